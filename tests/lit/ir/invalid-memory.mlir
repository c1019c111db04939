// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a pointer points to an integer, a float or a pointer of the language, not to 'index'}}
func.func @pointee(%p: !tile.ptr<index>) { return }

// -----

// expected-error @below {{not to 'i24'}}
func.func @pointee_width(%p: !tile.ptr<i24>) { return }

// -----

// expected-error @below {{not to 'tensor<4xf32>'}}
func.func @pointee_tensor(%p: !tile.ptr<tensor<4xf32>>) { return }

// -----

// expected-error @below {{address space 3 is reserved; use 1 (global) or leave it out}}
func.func @address_space(%p: !tile.ptr<f32, 3>) { return }

// -----

func.func @addptr_shape(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<4xi32>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>>, tensor<4xi32>
  return
}

// -----

func.func @addptr_scalar_offset(%p: tensor<8x!tile.ptr<f32>>, %o: i32) {
  // expected-error @below {{the offset must have the pointer's shape, but the pointer is 'tensor<8x!tile.ptr<f32>>' and the offset is 'i32'}}
  %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>>, i32
  return
}

// -----

func.func @load_of_float(%x: f32) {
  // expected-error @below {{'ptr' must be pointer or tensor of static shape}}
  %0 = tile.load %x : f32
  return
}

// -----

func.func @load_mask_shape(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{expects different type than prior uses: 'tensor<8xi1>' vs 'tensor<4xi1>'}}
  %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>>
  return
}

// -----

func.func @load_generic(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{failed to verify that mask has the shape of ptr}}
  %0 = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tile.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  return
}

// -----

func.func @load_generic_result(%p: tensor<8x!tile.ptr<f32>>) {
  // expected-error @below {{failed to verify that result has the pointee type in the pointer's shape}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tile.ptr<f32>>) -> tensor<8xf16>
  return
}

// -----

func.func @load_generic_of_float(%p: tensor<8xf32>) {
  // expected-error @below {{operand #0 must be pointer or tensor}}
  %0 = "tile.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @load_cache(%p: !tile.ptr<f32>) {
  // expected-error @below {{cache modifier 'wt' is for stores; a load takes none, ca, cg or cv}}
  %0 = tile.load %p {cache = #tile<cache wt>} : !tile.ptr<f32>
  return
}

// -----

func.func @store_cache(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{cache modifier 'ca' is for loads; a store takes none, wb, cg, cs or wt}}
  tile.store %p, %x {cache = #tile<cache ca>} : !tile.ptr<f32>
  return
}

// -----

func.func @unknown_cache(%p: !tile.ptr<f32>) {
  // expected-error @below {{expected ::tilerun::tile::CacheModifier to be one of: none, ca, cg, cv, wb, cs, wt}}
  // expected-error @below {{failed to parse Tile_CacheModifierAttr parameter 'value'}}
  %0 = tile.load %p {cache = #tile<cache fast>} : !tile.ptr<f32>
  return
}

// -----

func.func @store_generic(%p: !tile.ptr<f32>, %x: f16) {
  // expected-error @below {{failed to verify that value has the pointee type in the pointer's shape}}
  "tile.store"(%p, %x) : (!tile.ptr<f32>, f16) -> ()
  return
}

// -----

func.func @atomic_add_of_float(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @below {{'add' works on i32 and i64, but the element type is 'f32'}}
  %0 = tile.atomic_rmw add %p, %x : !tile.ptr<f32>
  return
}

// -----

func.func @atomic_or_of_byte(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @below {{'or' works on i32 and i64, but the element type is 'i8'}}
  %0 = tile.atomic_rmw or %p, %x : !tile.ptr<i8>
  return
}

// -----

func.func @atomic_fadd_of_int(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @below {{'fadd' works on 16, 32 and 64-bit floats, but the element type is 'i32'}}
  %0 = tile.atomic_rmw fadd %p, %x : !tile.ptr<i32>
  return
}

// -----

func.func @atomic_fmax_of_integer(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @below {{'fmax' works on 16, 32 and 64-bit floats, but the element type is 'i32'}}
  %0 = tile.atomic_rmw fmax %p, %x : !tile.ptr<i32>
  return
}

// -----

func.func @atomic_xchg_of_byte(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @below {{'xchg' works on elements of 16, 32 and 64 bits, but the element type is 'i8'}}
  %0 = tile.atomic_rmw xchg %p, %x : !tile.ptr<i8>
  return
}

// -----

func.func @atomic_cas_of_byte(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @below {{works on elements of 16, 32 and 64 bits, but the element type is 'i8'}}
  %0 = tile.atomic_cas %p, %x, %x : !tile.ptr<i8>
  return
}
