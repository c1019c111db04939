// A program on several blocks is a cluster: programs are counted by clusters, and the code says how many blocks one has.
// RUN: tile-nvptx %s --arch=sm_90a --num-ctas=2 | FileCheck %s
// RUN: tile-nvptx %s --arch=sm_90a --num-ctas=2 --metadata | FileCheck %s --check-prefix=METADATA
// RUN: tile-nvptx %s --arch=sm_90a | FileCheck %s --check-prefix=ONE --implicit-check-not=cluster
// RUN: tile-nvptx %s --arch=sm_80 --num-ctas=2 | FileCheck %s --check-prefix=ONE --implicit-check-not=cluster
// RUN: not tile-nvptx %s --arch=sm_90a --num-ctas=16 2>&1 | FileCheck %s --check-prefix=SIXTEEN
// CHECK: .entry places(
// CHECK: .reqntid 128, 1, 1
// CHECK: .reqnctapercluster 2, 1, 1
// CHECK-NOT: {{%n?ctaid}}
// CHECK-DAG: mov.u32 %{{r[0-9]+}}, %clusterid.x;
// CHECK-DAG: mov.u32 %{{r[0-9]+}}, %clusterid.y;
// CHECK-DAG: mov.u32 %{{r[0-9]+}}, %nclusterid.x;
// CHECK-DAG: mov.u32 %{{r[0-9]+}}, %cluster_ctarank;
// CHECK-NOT: {{%n?ctaid}}
// METADATA: threads 128
// METADATA-NEXT: blocks 2
// ONE: .entry places(
// ONE-DAG: %ctaid.x
// ONE-DAG: %ctaid.y
// ONE-DAG: %nctaid.x
// SIXTEEN: error: num_ctas must be 1, 2, 4 or 8, but is 16
func.func @places(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %n = tile.num_programs 0
  %row = arith.muli %y, %n : i32
  %program = arith.addi %row, %x : i32
  %size = arith.constant 256 : i32
  %first = arith.muli %program, %size : i32
  %i = tile.make_range 0 to 256 : tensor<256xi32>
  %p = tile.addptr %out, %first : !tile.ptr<i32>, i32
  %all = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %ps = tile.addptr %all, %i : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  tile.store %ps, %i : tensor<256x!tile.ptr<i32>>
  return
}
