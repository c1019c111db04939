// Diagnostics of the verifier about attributes that do not fit their op.
// RUN: tile-opt %s --split-input-file --verify-diagnostics

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes' must be an array of 1 entry}}
    %r = arith.addi %a, %a {distribute.homes = []} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes' must be an array of 1 entry}}
    %r = arith.addi %a, %a {distribute.homes = 1} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': 1 : i64 is neither a layout nor unit}}
    %r = arith.addi %a, %a {distribute.homes = [1]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {register = [], lane = [(1), (2)], warp = []} -> (dim1: 4) is not a layout of 'tensor<4xi32>'}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim1: 4)">]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {register = [], lane = [(1), (2)], warp = []} -> (dim0: 8) is not a layout of 'tensor<4xi32>'}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim0: 8)">]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {lane = [(1), (2)], register = [], warp = []} -> (dim0: 4) must have the inputs register, lane and warp, in this order}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{lane = [(1), (2)], register = [], warp = []} -> (dim0: 4)">]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {register = [(2)], lane = [(1)], warp = []} -> (dim0: 4) is over 2 lanes, but the target has 4}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{register = [(2)], lane = [(1)], warp = []} -> (dim0: 4)">]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {register = [], lane = [(1), (2)], warp = [(0)]} -> (dim0: 4) is over 2 warps, but the program has 1}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{register = [], lane = [(1), (2)], warp = [(0)]} -> (dim0: 4)">]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {register = [], lane = [(1), (0)], warp = []} -> (dim0: 4) leaves out elements of 'tensor<4xi32>'}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{register = [], lane = [(1), (0)], warp = []} -> (dim0: 4)">]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<4xi32>) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {register = [(0)], lane = [(1), (2)], warp = []} -> (dim0: 4) has registers that repeat others of the same thread}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{register = [(0)], lane = [(1), (2)], warp = []} -> (dim0: 4)">]} : tensor<4xi32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: i32) {
    // expected-error @+1 {{'arith.addi' op 'distribute.homes': {register = [], lane = [(1), (2)], warp = []} -> (dim0: 4) is given for a value of type 'i32', which is not a tensor}}
    %r = arith.addi %a, %a {distribute.homes = [#distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim0: 4)">]} : i32
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: i32) {
    // expected-error @+1 {{'arith.addi' op 'distribute.arguments' belongs on loops}}
    %r = arith.addi %a, %a {distribute.arguments = []} : i32
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: i32) {
    // expected-error @+1 {{'scf.for' op 'distribute.arguments' must be an array of 1 entry}}
    scf.for %i = %a to %a step %a : i32 {
    } {distribute.arguments = []}
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: i32) {
    // expected-error @+1 {{'arith.addi' op the distribute dialect has no attribute 'distribute.home'}}
    %r = arith.addi %a, %a {distribute.home = 1} : i32
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%p: tensor<4x!tile.ptr<f32>>) {
    // expected-error @+1 {{'tile.load' op 'distribute.access' must be #distribute.access, on a load, store or atomic}}
    %v = tile.load %p {distribute.access = unit} : tensor<4x!tile.ptr<f32>>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%p: tensor<4x!tile.ptr<f32>>) {
    // expected-error @+1 {{'tile.load' op 'distribute.access': contiguity must be 1 positive numbers}}
    %v = tile.load %p {distribute.access = #distribute.access<layout = #distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim0: 4)">, contiguity = [4, 4], alignment = [4], constancy = [4], order = [0]>} : tensor<4x!tile.ptr<f32>>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%p: tensor<4x!tile.ptr<f32>>) {
    // expected-error @+1 {{'tile.load' op 'distribute.access': contiguity must be 1 positive numbers}}
    %v = tile.load %p {distribute.access = #distribute.access<layout = #distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim0: 4)">, contiguity = [0], alignment = [4], constancy = [4], order = [0]>} : tensor<4x!tile.ptr<f32>>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%p: tensor<4x!tile.ptr<f32>>) {
    // expected-error @+1 {{'tile.load' op 'distribute.access': order must be a permutation of 1 dimensions}}
    %v = tile.load %p {distribute.access = #distribute.access<layout = #distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim0: 4)">, contiguity = [4], alignment = [4], constancy = [4], order = [1]>} : tensor<4x!tile.ptr<f32>>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%p: tensor<4x!tile.ptr<f32>>) {
    // expected-error @+1 {{'tile.load' op 'distribute.access': tile_inner must be a dimension}}
    %v = tile.load %p {distribute.access = #distribute.access<layout = #distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim0: 4)">, contiguity = [4], alignment = [4], constancy = [4], order = [0], tile_inner = 1>} : tensor<4x!tile.ptr<f32>>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: i32) {
    // expected-error @+1 {{'arith.addi' op 'distribute.access' must be #distribute.access, on a load, store or atomic}}
    %r = arith.addi %a, %a {distribute.access = #distribute.access<layout = #distribute.layout<"{register = [], lane = [(1), (2)], warp = []} -> (dim0: 4)">, contiguity = [4], alignment = [4], constancy = [4], order = [0]>} : i32
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot' must be #distribute.dot, on tile.dot}}
    %r = tile.dot %a, %a, %c {distribute.dot = unit} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': parts must be 1, 2 or 3}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, parts = 4>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': generic has no matrix instruction "none"}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "none">} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': warp_group needs instruction and a, and leaves out b}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, warp_group = "types">} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': generic has no instruction of warp groups "none"}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", a = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, warp_group = "none">} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': columns must be a power of two from 8 to 256}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", a = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, warp_group = "types", columns = 24>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': turns must be a power of two up to the 0 steps along k}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", a = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, warp_group = "types", columns = 8, turns = 3>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': a product of warp groups is swapped for its turns alone}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", a = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, warp_group = "types", columns = 8, swapped = true>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': warp_group with swapped needs instruction and b}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", a = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, warp_group = "types", columns = 8, swapped = true, turns = 1>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': turns are of an instruction of warp groups}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", a = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, turns = 2>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': {register = [(0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8) leaves out elements of 'tensor<8x8xf32>'}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:matrix=multiply:16x8x16:f16:f16:f32:mma.m16n8k16.a.b16:mma.m16n8k16.b.b16:mma.m16n8.d">} {
  func.func @k(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': instruction needs a and b}}
    %r = tile.dot %a, %b, %c {distribute.dot = #distribute.dot<instruction = "multiply", d = #distribute.layout<"{register = [(0, 1), (8, 0)], lane = [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)], warp = []} -> (dim0: 16, dim1: 8)">>} : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
    return
  }
}

// -----

func.func @k(%a: tensor<4xi32>) {
  // expected-error @+1 {{'arith.cmpi' op 'distribute.runs' must be a positive number for each dimension, on a comparison, a division, a shift to the right or an address of tensors}}
  %r = arith.cmpi slt, %a, %a {distribute.runs = array<i64: 4, 4>} : tensor<4xi32>
  return
}

// -----

// expected-error @+1 {{'builtin.module' op 'distribute.num_warps' must be a power of two of type i32, on a module}}
module attributes {distribute.num_warps = 3 : i32} {
}

// -----

// expected-error @+1 {{'builtin.module' op 'distribute.num_stages' must be a positive number of type i32, on a module}}
module attributes {distribute.num_stages = 0 : i32} {
}

// -----

// expected-error @+1 {{'func.func' op 'distribute.target' must be #distribute.target, on a module}}
func.func @k() attributes {distribute.target = unit} {
  return
}

// -----

// expected-error @+1 {{column 13: expected '[', found '('}}
#layout = #distribute.layout<"{register = (1)} -> (dim0: 2)">

// -----

// expected-error @+1 {{'lanes=3' is not a power of two from 1 to 128}}
#target = #distribute.target<"generic:lanes=3">

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': without an instruction there is only d}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, row_bits = 1>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': step_bits = 1 are not the steps of 8 in 8}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", step_bits = 1>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

module attributes {distribute.target = #distribute.target<"generic:lanes=4,shared=48k,matrix=opaque:8x8x8:f16:f16:f32,warp-group=types:1:8x256x16:f16:f16:f32:{register = [(0, 1), (0, 2), (0, 4), (0, 8), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 16):{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)]} -> (dim0: 8, dim1: 8)">, distribute.num_warps = 1 : i32} {
  func.func @k(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) {
    // expected-error @+1 {{'tile.dot' op 'distribute.dot': d has 4 bits of registers, but a fragment has 4 and fragments are numbered by 1}}
    %r = tile.dot %a, %a, %c {distribute.dot = #distribute.dot<d = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4), (4, 0)], lane = [(1, 0), (2, 0)], warp = []} -> (dim0: 8, dim1: 8)">, instruction = "opaque m8n8k8.f32.f16.f16", column_bits = 1>} : tensor<8x8xf16>, tensor<8x8xf16> -> tensor<8x8xf32>
    return
  }
}

// -----

// expected-error @+1 {{'builtin.module' op 'distribute.across_k' must be "auto", "registers" or "copies", on a module}}
module attributes {distribute.across_k = "both"} {
}
