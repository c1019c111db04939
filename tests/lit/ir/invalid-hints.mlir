// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @hint_entries(%x: tensor<4x8xi32>) {
  // expected-error @below {{contiguity has 1 entries, but 'tensor<4x8xi32>' needs 2}}
  %0 = tile.hint %x {contiguity = array<i64: 4>} : tensor<4x8xi32>
  return
}

// -----

func.func @hint_entries_of_scalar(%x: i32) {
  // expected-error @below {{divisibility has 2 entries, but 'i32' needs 1}}
  %0 = tile.hint %x {divisibility = array<i64: 4, 4>} : i32
  return
}

// -----

func.func @hint_zero(%x: i32) {
  // expected-error @below {{constancy must be positive, but has 0}}
  %0 = tile.hint %x {constancy = array<i64: 0>} : i32
  return
}

// -----

func.func @print_signs(%x: i32) {
  // expected-error @below {{needs one 'signed' entry per value, but has 2 for 1}}
  tile.print "x" : %x signed [true, false] : i32
  return
}

// -----

func.func @assert_mask(%c: tensor<8xi1>, %m: tensor<4xi1>) {
  // expected-error @below {{failed to verify that mask has the shape of condition}}
  "tile.assert"(%c, %m) <{message = "m"}> : (tensor<8xi1>, tensor<4xi1>) -> ()
  return
}

// -----

// expected-error @below {{argument 0: 'tile.divisibility' must be a positive i64, but is 16 : i32}}
func.func @divisibility_type(%n: i32 {tile.divisibility = 16 : i32}) { return }

// -----

// expected-error @below {{argument 0: 'tile.divisibility' must be a positive i64, but is 0 : i64}}
func.func @divisibility_zero(%n: i32 {tile.divisibility = 0 : i64}) { return }

// -----

// expected-error @below {{argument 1: 'tile.divisibility' needs an integer or a pointer, but the type is 'f32'}}
func.func @divisibility_of_float(%n: i32, %x: f32 {tile.divisibility = 16 : i64}) { return }

// -----

// expected-error @below {{argument 0: 'tile.name' must be a string, but is 5 : i32}}
func.func @name(%n: i32 {tile.name = 5 : i32}) { return }

// -----

// expected-error @below {{'tile.kernel' is a unit attribute; remove its value}}
func.func @kernel_value() attributes {tile.kernel = 1 : i32} { return }

// -----

// expected-error @below {{a kernel returns nothing, but this one has 1 results}}
func.func @kernel_result(%n: i32) -> i32 attributes {tile.kernel} { return %n : i32 }

// -----

// expected-error @below {{'tile.blocks' must be a power of two up to 8 of type i32, on a kernel}}
func.func @blocks_three() attributes {tile.kernel, tile.blocks = 3 : i32} { return }

// -----

// expected-error @below {{'tile.blocks' must be a power of two up to 8 of type i32, on a kernel}}
func.func @blocks_sixteen() attributes {tile.kernel, tile.blocks = 16 : i32} { return }

// -----

// expected-error @below {{'tile.blocks' must be a power of two up to 8 of type i32, on a kernel}}
func.func @blocks_type() attributes {tile.kernel, tile.blocks = 2 : i64} { return }

// -----

// expected-error @below {{'tile.blocks' must be a power of two up to 8 of type i32, on a kernel}}
func.func @blocks_elsewhere() attributes {tile.blocks = 2 : i32} { return }

// -----

// expected-error @below {{'tile.most_programs' must be three numbers that are not negative, on a kernel}}
func.func @most_programs_two() attributes {tile.kernel, tile.most_programs = array<i32: 1, 2>} { return }

// -----

// expected-error @below {{'tile.most_programs' must be three numbers that are not negative, on a kernel}}
func.func @most_programs_elsewhere() attributes {tile.most_programs = array<i32: 1, 2, 0>} { return }

// -----

func.func @kernel_on_op(%n: i32) {
  // expected-error @below {{'tile.kernel' belongs on a function}}
  %0 = tile.hint %n {tile.kernel} : i32
  return
}

// -----

func.func @stages_type(%n: i32) {
  // expected-error @below {{'tile.num_stages' must be an i64 of at least 0, but is 3 : i32}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.num_stages = 3 : i32}
  return
}

// -----

func.func @stages_negative(%n: i32) {
  // expected-error @below {{'tile.num_stages' must be an i64 of at least 0, but is -5 : i64}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.num_stages = -5 : i64}
  return
}

// -----

func.func @stages_unit(%n: i32) {
  // expected-error @below {{'tile.num_stages' must be an i64 of at least 0, but is unit}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.num_stages}
  return
}

// -----

func.func @flatten_type(%n: i32) {
  // expected-error @below {{'tile.flatten' must be an i64, but is true}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.flatten = true}
  return
}

// -----

func.func @stages_of_op(%n: i32) {
  // expected-error @below {{'tile.num_stages' belongs on a loop}}
  %0 = tile.hint %n {tile.num_stages = 3 : i64} : i32
  return
}

// -----

func.func @split_value(%n: i32) {
  // expected-error @below {{'tile.split' is a unit attribute; remove its value}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.split = 1 : i32}
  return
}

// -----

func.func @signed_value(%n: i32) {
  // expected-error @below {{'tile.signed' is a unit attribute; remove its value}}
  %0 = arith.addi %n, %n {tile.signed = true} : i32
  return
}

// -----

func.func @unknown(%n: i32) {
  // expected-error @below {{the tile dialect has no attribute 'tile.foo' of ops}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.foo = 1 : i32}
  return
}
