// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @empty_range() {
  // expected-error @below {{the range [4, 4) is empty}}
  %0 = tile.make_range 4 to 4 : tensor<1xi32>
  return
}

// -----

func.func @backward_range() {
  // expected-error @below {{the range [4, -4) is empty}}
  %0 = tile.make_range 4 to -4 : tensor<8xi32>
  return
}

// -----

func.func @long_range() {
  // expected-error @below {{the range has 1048577 elements; it may have up to 1048576}}
  %0 = tile.make_range 0 to 1048577 : tensor<1048576xi32>
  return
}

// -----

func.func @range_of_whole_int32() {
  // expected-error @below {{the range has 4294967295 elements; it may have up to 1048576}}
  %0 = tile.make_range -2147483648 to 2147483647 : tensor<8xi32>
  return
}

// -----

func.func @range_of_another_size() {
  // expected-error @below {{the result must be 1-D with 8 elements, but is 'tensor<4xi32>'}}
  %0 = tile.make_range 0 to 8 : tensor<4xi32>
  return
}

// -----

func.func @range_of_another_type() {
  // expected-error @below {{must be tensor of static shape (rank of at least 1, at most 2^20 elements) of 32-bit signless integer values}}
  %0 = tile.make_range 0 to 8 : tensor<8xi64>
  return
}

// -----

func.func @splat_of_another_type(%x: f32) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %0 = tile.splat %x : f32 -> tensor<8xi32>
  return
}

// -----

func.func @splat_to_rank_0(%x: f32) {
  // expected-error @below {{rank of at least 1}}
  %0 = tile.splat %x : f32 -> tensor<f32>
  return
}

// -----

func.func @splat_to_nothing(%x: f32) {
  // expected-error @below {{rank of at least 1}}
  %0 = tile.splat %x : f32 -> tensor<0xf32>
  return
}

// -----

func.func @splat_too_large(%x: f32) {
  // expected-error @below {{at most 2^20 elements}}
  %0 = tile.splat %x : f32 -> tensor<2048x1024xf32>
  return
}

// -----

func.func @splat_far_too_large(%x: f32) {
  // expected-error @below {{at most 2^20 elements}}
  %0 = tile.splat %x : f32 -> tensor<4294967296x4294967296x2xf32>
  return
}

// -----

func.func @splat_to_dynamic_shape(%x: f32) {
  // expected-error @below {{tensor of static shape}}
  %0 = tile.splat %x : f32 -> tensor<?xf32>
  return
}

// -----

func.func @broadcast_ranks(%x: tensor<8xf32>) {
  // expected-error @below {{source and result must have the same rank, but have 1 and 2}}
  %0 = tile.broadcast %x : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @broadcast_of_2(%x: tensor<2x8xf32>) {
  // expected-error @below {{dimension 0 cannot be stretched from 2 to 4; only size 1 can}}
  %0 = tile.broadcast %x : tensor<2x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @expand_dims_beyond(%x: tensor<8xf32>) {
  // expected-error @below {{axis 2 is out of range; the source has rank 1}}
  %0 = tile.expand_dims %x axis 2 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expand_dims_result(%x: tensor<8xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<1x8xf32>' are incompatible with return type(s) of operation 'tensor<8x1xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x axis 0 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @reshape_elements(%x: tensor<8xf32>) {
  // expected-error @below {{source has 8 elements, but the result has 16}}
  %0 = tile.reshape %x : tensor<8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @trans_rank(%x: tensor<4x8xf32>) {
  // expected-error @below {{order has 3 entries, but the source has rank 2}}
  %0 = tile.trans %x [1, 0, 2] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @trans_beyond(%x: tensor<4x8xf32>) {
  // expected-error @below {{order names dimension 2, but the source has rank 2}}
  %0 = tile.trans %x [2, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @trans_twice(%x: tensor<4x8xf32>) {
  // expected-error @below {{order names dimension 1 twice}}
  %0 = tile.trans %x [1, 1] : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @join_result(%x: tensor<8xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<8x2xf32>' are incompatible with return type(s) of operation 'tensor<2x8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.join %x, %x : tensor<8xf32> -> tensor<2x8xf32>
  return
}

// -----

func.func @split_of_4(%x: tensor<8x4xf32>) {
  // expected-error @below {{the innermost dimension must have size 2, but has 4}}
  %0:2 = tile.split %x : tensor<8x4xf32> -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @split_result(%x: tensor<8x2xf32>) {
  // expected-error @below {{each result must be 'tensor<8xf32>', but one is 'tensor<4xf32>'}}
  %0:2 = tile.split %x : tensor<8x2xf32> -> tensor<8xf32>, tensor<4xf32>
  return
}

// -----

func.func @cat_rank(%x: tensor<4x2xf32>) {
  // expected-error @below {{operands must be 1-D, but are 'tensor<4x2xf32>' and 'tensor<4x2xf32>'}}
  %0 = tile.cat %x, %x : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<8x2xf32>
  return
}

// -----

func.func @cat_types(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @below {{operands must have one element type, but have 'f32' and 'f16'}}
  %0 = tile.cat %x, %y : tensor<4xf32>, tensor<4xf16> -> tensor<8xf32>
  return
}

// -----

func.func @cat_result(%x: tensor<4xf32>) {
  // expected-error @below {{the result must be 'tensor<8xf32>', but is 'tensor<4xf32>'}}
  %0 = tile.cat %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @program_axis() {
  // expected-error @below {{attribute 'axis' failed to satisfy constraint: 32-bit signless integer attribute whose minimum value is 0 whose maximum value is 2}}
  %0 = tile.program_id 3
  return
}

// -----

func.func @gather_axis(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{axis 1 is out of range; the source has rank 1}}
  %0 = tile.gather %x[%i] axis 1 : tensor<8xf32>, tensor<8xi32> -> tensor<8xf32>
  return
}

// -----

func.func @gather_shape(%x: tensor<8x4xf32>, %i: tensor<8x2xi32>) {
  // expected-error @below {{source and indices must agree except along axis 0; in dimension 1 they have 4 and 2}}
  %0 = tile.gather %x[%i] axis 0 : tensor<8x4xf32>, tensor<8x2xi32> -> tensor<8x2xf32>
  return
}

// -----

func.func @gather_result(%x: tensor<8x4xf32>, %i: tensor<8x2xi32>) {
  // expected-error @below {{the result must be 'tensor<8x2xf32>', but is 'tensor<8x4xf32>'}}
  %0 = tile.gather %x[%i] axis 1 : tensor<8x4xf32>, tensor<8x2xi32> -> tensor<8x4xf32>
  return
}

// -----

func.func @histogram_result(%x: tensor<8xi32>) {
  // expected-error @below {{the result must be 1-D, but is 'tensor<2x2xi32>'}}
  %0 = tile.histogram %x : tensor<8xi32> -> tensor<2x2xi32>
  return
}
