// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a descriptor has 1 to 5 dimensions, not 6}}
func.func private @rank(!tile.descriptor<1x1x1x1x1x16xf32>)

// -----

// expected-error @below {{a descriptor has 1 to 5 dimensions, not 0}}
func.func private @scalar(!tile.descriptor<f32>)

// -----

// expected-error @below {{the elements of a descriptor are integers, floats or pointers of the language, not 'index'}}
func.func private @element(!tile.descriptor<16xindex>)

// -----

// expected-error @below {{the blocks of a descriptor have sizes of 1 or more and up to 1048576 elements, but these have the sizes 4, 0}}
func.func private @empty(!tile.descriptor<4x0xf32>)

// -----

// expected-error @below {{the blocks of a descriptor have sizes of 1 or more and up to 1048576 elements, but these have the sizes 2048, 1024}}
func.func private @large(!tile.descriptor<2048x1024xf32>)

// -----

// expected-error @below {{only floats can be padded with NaN, and not 'i32'}}
func.func private @nan(!tile.descriptor<16xi32, nan>)

// -----

// expected-error @below {{a descriptor pads with zero or nan, not with 'one'}}
func.func private @padding(!tile.descriptor<16xf32, one>)

// -----

func.func @base(%p: !tile.ptr<f16>, %n: i64) {
  // expected-error @below {{failed to verify that base points to an element of the descriptor}}
  %0 = "tile.make_descriptor"(%p, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tile.ptr<f16>, i64, i64) -> !tile.descriptor<16xf32>
  return
}

// -----

func.func @sizes(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @below {{'tile.make_descriptor' op needs one size for each of the 2 dimensions, but has 1}}
  %0 = tile.make_descriptor %p sizes [%n] strides [%n, %n] : !tile.descriptor<4x16xf32>
  return
}

// -----

func.func @strides(%p: !tile.ptr<f32>, %n: i64) {
  // expected-error @below {{'tile.make_descriptor' op needs one stride for each of the 1 dimensions, but has 2}}
  %0 = tile.make_descriptor %p sizes [%n] strides [%n, %n] : !tile.descriptor<16xf32>
  return
}

// -----

func.func @size_axis(%d: !tile.descriptor<16xf32>) {
  // expected-error @below {{'tile.descriptor_size' op axis 1 is out of range; the descriptor has 1 dimensions}}
  %0 = tile.descriptor_size %d axis 1 : !tile.descriptor<16xf32>
  return
}

// -----

func.func @stride_axis(%d: !tile.descriptor<4x16xf32>) {
  // expected-error @below {{'tile.descriptor_stride' op axis 2 is out of range; the descriptor has 2 dimensions}}
  %0 = tile.descriptor_stride %d axis 2 : !tile.descriptor<4x16xf32>
  return
}

// -----

func.func @load_offsets(%d: !tile.descriptor<4x16xf32>, %i: i64) {
  // expected-error @below {{'tile.descriptor_load' op needs one offset for each of the 2 dimensions, but has 1}}
  %0 = tile.descriptor_load %d[%i] : !tile.descriptor<4x16xf32>
  return
}

// -----

func.func @load_result(%d: !tile.descriptor<16xf32>, %i: i64) {
  // expected-error @below {{failed to verify that result is a block of the descriptor}}
  %0 = "tile.descriptor_load"(%d, %i) : (!tile.descriptor<16xf32>, i64) -> tensor<8xf32>
  return
}

// -----

func.func @store_offsets(%d: !tile.descriptor<16xf32>, %i: i64, %v: tensor<16xf32>) {
  // expected-error @below {{'tile.descriptor_store' op needs one offset for each of the 1 dimensions, but has 3}}
  tile.descriptor_store %d[%i, %i, %i], %v : !tile.descriptor<16xf32>
  return
}

// -----

func.func @reduce_offsets(%d: !tile.descriptor<4x16xf32>, %v: tensor<4x16xf32>) {
  // expected-error @below {{'tile.descriptor_reduce' op needs one offset for each of the 2 dimensions, but has 0}}
  tile.descriptor_reduce fadd %d[], %v : !tile.descriptor<4x16xf32>
  return
}

// -----

func.func @reduce_kind(%d: !tile.descriptor<16xf32>, %i: i64, %v: tensor<16xf32>) {
  // expected-error @below {{'tile.descriptor_reduce' op 'add' works on i32 and i64, but the element type is 'f32'}}
  tile.descriptor_reduce add %d[%i], %v : !tile.descriptor<16xf32>
  return
}

// -----

func.func @reduce_exchange(%d: !tile.descriptor<16xf32>, %i: i64, %v: tensor<16xf32>) {
  // expected-error @below {{'tile.descriptor_reduce' op cannot exchange, because it gives no old values; store the block instead}}
  tile.descriptor_reduce xchg %d[%i], %v : !tile.descriptor<16xf32>
  return
}

// -----

func.func @gather_block(%d: !tile.descriptor<2x16xf32>, %rows: tensor<4xi64>, %i: i64) {
  // expected-error @below {{'tile.descriptor_gather' op needs a descriptor of two dimensions whose blocks have one row, but it is '!tile.descriptor<2x16xf32>'}}
  %0 = tile.descriptor_gather %d[%rows, %i] : !tile.descriptor<2x16xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @gather_rows(%d: !tile.descriptor<1x16xf32>, %rows: tensor<4xi64>, %i: i64) {
  // expected-error @below {{'tile.descriptor_gather' op must have rows of blocks, as in 'tensor<4x16xf32>', but they are 'tensor<4x8xf32>'}}
  %0 = tile.descriptor_gather %d[%rows, %i] : !tile.descriptor<1x16xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_numbers(%d: !tile.descriptor<1x16xf32>, %rows: tensor<8xi64>, %i: i64) {
  // expected-error @below {{failed to verify that there is a number for each row of result}}
  %0 = "tile.descriptor_gather"(%d, %rows, %i) : (!tile.descriptor<1x16xf32>, tensor<8xi64>, i64) -> tensor<4x16xf32>
  return
}

// -----

func.func @scatter_element(%d: !tile.descriptor<1x16xf32>, %rows: tensor<4xi64>, %i: i64, %v: tensor<4x16xf16>) {
  // expected-error @below {{'tile.descriptor_scatter' op must have rows of blocks, as in 'tensor<4x16xf32>', but they are 'tensor<4x16xf16>'}}
  tile.descriptor_scatter %d[%rows, %i], %v : !tile.descriptor<1x16xf32>, tensor<4x16xf16>
  return
}

// -----

// expected-error @below {{'func.func' op a kernel takes no descriptor, but argument 1 is one; pass its address, sizes and strides, and make it in the kernel}}
func.func @kernel(%n: i32, %d: !tile.descriptor<16xf32>) attributes {tile.kernel} {
  return
}
