// Tensors that a program's registers cannot hold are computed in parts: in a loop for each
// reduction, whose first part comes before it, and one for the stores. Independent sinks share a loop.
// RUN: split-file %s %t
// RUN: tile-nvptx --emit=simt %t/softmax.mlir | FileCheck %t/softmax.mlir
// RUN: tile-nvptx --emit=simt %t/shared.mlir | FileCheck %t/shared.mlir
// RUN: tile-nvptx --emit=simt %t/rows.mlir | FileCheck %t/rows.mlir
// RUN: tile-nvptx --emit=simt %t/delayed.mlir | FileCheck %t/delayed.mlir

//--- softmax.mlir
// 2^18 elements are 64 parts of 4096.
// CHECK-LABEL: func.func @softmax
// CHECK: simt.load
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK: simt.load
// CHECK: arith.maxnumf
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (f32)
// CHECK: simt.load
// CHECK: math.exp
// CHECK-NOT: iter_args
// CHECK: scf.for
// CHECK: simt.load
// CHECK: math.exp
// CHECK: simt.store
func.func @softmax(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %o = tile.make_range 0 to 262144 : tensor<262144xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<262144x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<262144x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<262144x!tile.ptr<f32>>, tensor<262144xi32>
  %yp = tile.addptr %ys, %o : tensor<262144x!tile.ptr<f32>>, tensor<262144xi32>
  %v = tile.load %xp : tensor<262144x!tile.ptr<f32>>
  %most = tile.reduce %v axis 0 : (tensor<262144xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %ms = tile.splat %most : f32 -> tensor<262144xf32>
  %d = arith.subf %v, %ms : tensor<262144xf32>
  %e = math.exp %d fastmath<afn> : tensor<262144xf32>
  %sum = tile.reduce %e axis 0 : (tensor<262144xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %ss = tile.splat %sum : f32 -> tensor<262144xf32>
  %r = arith.divf %e, %ss : tensor<262144xf32>
  tile.store %yp, %r : tensor<262144x!tile.ptr<f32>>
  return
}

//--- shared.mlir
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
func.func @shared(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %o = tile.make_range 0 to 262144 : tensor<262144xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<262144x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %o : tensor<262144x!tile.ptr<i32>>, tensor<262144xi32>
  %v = tile.load %xp : tensor<262144x!tile.ptr<i32>>
  %w = arith.addi %v, %o : tensor<262144xi32>
  tile.store %xp, %w : tensor<262144x!tile.ptr<i32>>
  %sum = tile.reduce %v axis 0 : (tensor<262144xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %y, %sum : !tile.ptr<i32>
  return
}

//--- rows.mlir
// Sums of 1024 columns: parts of rows, whose sums are added as tensors.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xi32>)
// CHECK: arith.addi {{.*}} : vector<8xi32>
// CHECK: scf.yield {{.*}} : vector<8xi32>
func.func @rows(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 512 : tensor<512xi32>
  %j = tile.make_range 0 to 1024 : tensor<1024xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<512xi32> -> tensor<512x1xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<1024xi32> -> tensor<1x1024xi32>
  %i2 = tile.broadcast %i1 : tensor<512x1xi32> -> tensor<512x1024xi32>
  %j2 = tile.broadcast %j1 : tensor<1x1024xi32> -> tensor<512x1024xi32>
  %size = arith.constant dense<1024> : tensor<512x1024xi32>
  %row = arith.muli %i2, %size : tensor<512x1024xi32>
  %o = arith.addi %row, %j2 : tensor<512x1024xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<512x1024x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %o : tensor<512x1024x!tile.ptr<i32>>, tensor<512x1024xi32>
  %v = tile.load %xp : tensor<512x1024x!tile.ptr<i32>>
  %sum = tile.reduce %v axis 0 : (tensor<512x1024xi32>) -> tensor<1024xi32> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %j : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  tile.store %yp, %sum : tensor<1024x!tile.ptr<i32>>
  return
}

//--- delayed.mlir
// The second loop loads values again that were loaded before the store of the sum, so the store comes after it.
// CHECK-LABEL: func.func @delayed
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: simt.store
// CHECK: scf.for
// CHECK: simt.store {{.*}} : vector<4xi32>
// CHECK: }
// CHECK: simt.store {{.*}} : vector<1xi32>
func.func @delayed(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %z: !tile.ptr<i32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %o = tile.make_range 0 to 262144 : tensor<262144xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<262144x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %o : tensor<262144x!tile.ptr<i32>>, tensor<262144xi32>
  %zs = tile.splat %z : !tile.ptr<i32> -> tensor<262144x!tile.ptr<i32>>
  %zp = tile.addptr %zs, %o : tensor<262144x!tile.ptr<i32>>, tensor<262144xi32>
  %v = tile.load %xp : tensor<262144x!tile.ptr<i32>>
  %sum = tile.reduce %v axis 0 : (tensor<262144xi32>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  tile.store %y, %sum : !tile.ptr<i32>
  %ss = tile.splat %sum : i32 -> tensor<262144xi32>
  %w = arith.subi %v, %ss : tensor<262144xi32>
  tile.store %zp, %w : tensor<262144x!tile.ptr<i32>>
  return
}
