// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @bitcast_pointer_to_int(%p: !tile.ptr<f32>) {
  // expected-error @below {{a pointer can be cast to a pointer only, not '!tile.ptr<f32>' to 'i64'; see tile.int_to_ptr and tile.ptr_to_int}}
  %0 = tile.bitcast %p : !tile.ptr<f32> -> i64
  return
}

// -----

func.func @bitcast_plain(%x: i32) {
  // expected-error @below {{use arith.bitcast between 'i32' and 'f32'}}
  %0 = tile.bitcast %x : i32 -> f32
  return
}

// -----

func.func @bitcast_width(%x: i16) {
  // expected-error @below {{element types must have equal width, but 'i16' has 16 bits and '!tile.f8E4M3B15' has 8}}
  %0 = tile.bitcast %x : i16 -> !tile.f8E4M3B15
  return
}

// -----

func.func @bitcast_shape(%x: tensor<8x!tile.ptr<f32>>) {
  // expected-error @below {{requires the same shape for all operands and results}}
  %0 = tile.bitcast %x : tensor<8x!tile.ptr<f32>> -> tensor<4x!tile.ptr<f32>>
  return
}

// -----

func.func @fp_cast_rounding(%x: f16) {
  // expected-error @below {{rounding mode 'rtz' is for narrowing, but 'f32' is wider than 'f16'}}
  %0 = tile.fp_cast %x rounding rtz : f16 -> f32
  return
}

// -----

func.func @fp_cast_of_int(%x: i32) {
  // expected-error @below {{operand #0 must be floating-point element or tensor}}
  %0 = tile.fp_cast %x : i32 -> f32
  return
}

// -----

func.func @fp_cast_to_foreign_float(%x: f32) {
  // expected-error @below {{result #0 must be floating-point element or tensor}}
  %0 = tile.fp_cast %x : f32 -> f80
  return
}

// -----

func.func @int_to_ptr_width(%x: i32) {
  // expected-error @below {{operand #0 must be 64-bit signless integer or tensor}}
  %0 = tile.int_to_ptr %x : i32 -> !tile.ptr<f32>
  return
}

// -----

func.func @dot_rank(%a: tensor<8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xf32>) {
  // expected-error @below {{operands must all be 2-D or all be 3-D, but have ranks 1, 2 and 2}}
  %0 = tile.dot %a, %b, %c : tensor<8xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @dot_batch(%a: tensor<2x4x8xf32>, %b: tensor<4x8x4xf32>, %c: tensor<2x4x4xf32>) {
  // expected-error @below {{batch sizes differ: 2 and 4}}
  %0 = tile.dot %a, %b, %c : tensor<2x4x8xf32>, tensor<4x8x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @dot_inner(%a: tensor<16x8xf32>, %b: tensor<4x4xf32>, %c: tensor<16x4xf32>) {
  // expected-error @below {{inner sizes differ: a has 8 columns, b has 4 rows}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf32>, tensor<4x4xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @dot_acc(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x16xf32>) {
  // expected-error @below {{the accumulator must have shape 'tensor<16x4xf32>', but is 'tensor<4x16xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf32>, tensor<8x4xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @dot_int(%a: tensor<16x8xi16>, %b: tensor<8x4xi16>, %c: tensor<16x4xi32>) {
  // expected-error @below {{integer products are i8 by i8 into i32, but the types are 'i16', 'i16' and 'i32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xi16>, tensor<8x4xi16> -> tensor<16x4xi32>
  return
}

// -----

func.func @dot_mixed(%a: tensor<16x8xf16>, %b: tensor<8x4xbf16>, %c: tensor<16x4xf32>) {
  // expected-error @below {{operands must have one element type, or two 8-bit float types, but have 'f16' and 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf16>, tensor<8x4xbf16> -> tensor<16x4xf32>
  return
}

// -----

func.func @dot_bf16_acc(%a: tensor<16x8xbf16>, %b: tensor<8x4xbf16>, %c: tensor<16x4xbf16>) {
  // expected-error @below {{a float product accumulates in f16, f32 or f64, not in 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xbf16>, tensor<8x4xbf16> -> tensor<16x4xbf16>
  return
}

// -----

func.func @dot_narrow_acc(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xf16>) {
  // expected-error @below {{the accumulator type 'f16' is narrower than the operands' 'f32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf32>, tensor<8x4xf32> -> tensor<16x4xf16>
  return
}

// -----

func.func @dot_float_and_int(%a: tensor<16x8xf32>, %b: tensor<8x4xi8>, %c: tensor<16x4xf32>) {
  // expected-error @below {{cannot multiply 'f32' by 'i8' into 'f32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf32>, tensor<8x4xi8> -> tensor<16x4xf32>
  return
}

// -----

func.func @dot_of_storage_format(%a: tensor<16x8x!tile.f8E4M3B15>, %b: tensor<8x4x!tile.f8E4M3B15>, %c: tensor<16x4xf32>) {
  // expected-error @below {{cannot multiply '!tile.f8E4M3B15' by '!tile.f8E4M3B15' into 'f32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8x!tile.f8E4M3B15>, tensor<8x4x!tile.f8E4M3B15> -> tensor<16x4xf32>
  return
}
