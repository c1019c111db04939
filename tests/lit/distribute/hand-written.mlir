// Hand-written layouts are followed: the same copy once with four neighbours in a thread,
// as tile-distribute would choose, and once with one, although memory would allow four.
// RUN: tile-opt %s --lower-to-threads --split-input-file | FileCheck %s

#layout = #distribute.layout<"{register = [(1), (2)], lane = [(4), (8), (16), (32), (64)], warp = []} -> (dim0: 128)">
#access = #distribute.access<layout = #layout, contiguity = [128], alignment = [16], constancy = [128], order = [0]>
module attributes {distribute.target = #distribute.target<"generic:lanes=32,shared=48k">, distribute.num_warps = 1 : i32} {
  // CHECK-LABEL: func.func @wide(
  // CHECK: simt.load {{.*}} : vector<4xf32>
  // CHECK-NOT: simt.load
  // CHECK: simt.store {{.*}} : vector<4xf32>
  func.func @wide(%x: !tile.ptr<f32>) attributes {tile.kernel} {
    %i = tile.make_range 0 to 128 : tensor<128xi32>
    %b = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %p = tile.addptr %b, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p {distribute.access = #access, distribute.homes = [#layout]} : tensor<128x!tile.ptr<f32>>
    tile.store %p, %v {distribute.access = #access} : tensor<128x!tile.ptr<f32>>
    return
  }
}

// -----

#layout = #distribute.layout<"{register = [(32), (64)], lane = [(1), (2), (4), (8), (16)], warp = []} -> (dim0: 128)">
#access = #distribute.access<layout = #layout, contiguity = [128], alignment = [16], constancy = [128], order = [0]>
module attributes {distribute.target = #distribute.target<"generic:lanes=32,shared=48k">, distribute.num_warps = 1 : i32} {
  // CHECK-LABEL: func.func @narrow(
  // CHECK-COUNT-4: simt.load {{.*}} : vector<1xf32>
  // CHECK-NOT: simt.load
  // CHECK-COUNT-4: simt.store {{.*}} : vector<1xf32>
  func.func @narrow(%x: !tile.ptr<f32>) attributes {tile.kernel} {
    %i = tile.make_range 0 to 128 : tensor<128xi32>
    %b = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
    %p = tile.addptr %b, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %v = tile.load %p {distribute.access = #access, distribute.homes = [#layout]} : tensor<128x!tile.ptr<f32>>
    tile.store %p, %v {distribute.access = #access} : tensor<128x!tile.ptr<f32>>
    return
  }
}

// -----

// A load and a store in different layouts: the lowering converts between them, here by shuffles.
#layout = #distribute.layout<"{register = [(1)], lane = [(2), (4), (8), (16), (32)], warp = []} -> (dim0: 64)">
#layout1 = #distribute.layout<"{register = [(32)], lane = [(1), (2), (4), (8), (16)], warp = []} -> (dim0: 64)">
#access = #distribute.access<layout = #layout, contiguity = [64], alignment = [8], constancy = [64], order = [0]>
#access1 = #distribute.access<layout = #layout1, contiguity = [64], alignment = [8], constancy = [64], order = [0]>
module attributes {distribute.target = #distribute.target<"generic:lanes=32,shared=48k">, distribute.num_warps = 1 : i32} {
  // CHECK-LABEL: func.func @convert(
  // CHECK: simt.load {{.*}} : vector<2xf32>
  // CHECK: simt.shuffle
  // CHECK-COUNT-2: simt.store {{.*}} : vector<1xf32>
  func.func @convert(%x: !tile.ptr<f32>) attributes {tile.kernel} {
    %i = tile.make_range 0 to 64 : tensor<64xi32>
    %b = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %p = tile.addptr %b, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %v = tile.load %p {distribute.access = #access, distribute.homes = [#layout]} : tensor<64x!tile.ptr<f32>>
    tile.store %p, %v {distribute.access = #access1} : tensor<64x!tile.ptr<f32>>
    return
  }
}
