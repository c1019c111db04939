// Assembly of a kernel: registers of lanes and of the wave, bytes in one register, what is not a constraint.
// RUN: split-file %s %t
// RUN: tile-amdgpu %t/good.mlir | FileCheck %t/good.mlir
// RUN: tile-amdgpu %t/good.mlir --emit=hsaco -o %t/good.hsaco && llvm-objdump -d %t/good.hsaco | FileCheck %t/good.mlir --check-prefix=OBJECT
// RUN: not tile-amdgpu %t/constraint.mlir 2>&1 | FileCheck %t/constraint.mlir
// RUN: not tile-amdgpu %t/text.mlir --emit=hsaco 2>&1 | FileCheck %t/text.mlir

//--- good.mlir
// CHECK: good:
// CHECK: v_rcp_f32 v{{[0-9]+}}, v{{[0-9]+}}
// A register of the wave has the first lane's value.
// CHECK: v_readfirstlane_b32 [[S:s[0-9]+]], v
// CHECK: s_mov_b32 s{{[0-9]+}}, [[S]]
// CHECK: s_endpgm
// OBJECT: v_rcp_f32_e32
// OBJECT: s_mov_b32
func.func @good(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>>
  %y = tile.inline_asm pure "v_rcp_f32 $0, $1" constraints "=v,v" as "asm" %v : (tensor<256xf32>) -> tensor<256xf32>
  %z = tile.inline_asm pure "s_mov_b32 $0, $1" constraints "=s,s" as "asm" %y : (tensor<256xf32>) -> tensor<256xf32>
  tile.store %p, %z : tensor<256x!tile.ptr<f32>>
  return
}

//--- constraint.mlir
// CHECK: constraint.mlir:[[@LINE+3]]:{{[0-9]+}}: error: 'r' is not a constraint of AMD GPUs; use v (a register of each lane), s (one of the wave), a (an accumulation register), a register such as {v0}, or the number of an output
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  %y = tile.inline_asm pure "v_mov_b32 $0, $1" constraints "=v,r" as "asm" %v : (i32) -> i32
  tile.store %x, %y : !tile.ptr<i32>
  return
}

//--- text.mlir
// CHECK: error: {{.*}}invalid instruction
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<i32>
  %y = tile.inline_asm pure "v_nonsense $0, $1" constraints "=v,v" as "asm" %v : (i32) -> i32
  tile.store %x, %y : !tile.ptr<i32>
  return
}
