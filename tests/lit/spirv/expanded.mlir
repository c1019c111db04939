// A kernel whose loops are expanded continues where `--emit=expand` ended.
// DEFINE: %{target} = vulkan:1.3,shared=49152,f16,memory-model,explicit-layout,subgroup-control,shuffle,cm=16x16x16:f16:f16:f32
// RUN: tile-spirv %S/cooperative-matrix.mlir --target=%{target} --num-stages=2 --emit=spirv-dialect > %t.direct
// RUN: tile-spirv %S/cooperative-matrix.mlir --target=%{target} --num-stages=2 --emit=expand > %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tile-spirv %t.mlir --target=%{target} --num-stages=2 --emit=spirv-dialect | diff %t.direct -
// CHECK: sched.put
