// Mistakes in a schedule that the IR alone shows.
// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has an impossible pipeline: a ring has 1 to 64 slots, not 0}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 0, distance = 0, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has an impossible pipeline: a ring has 1 to 64 slots, not 65}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 65, distance = 64, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has an impossible pipeline: asynchronous copies need 2 slots or more: one is read while another is filled}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 1, distance = 0, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has an impossible pipeline: asynchronous copies into 3 slots run ahead by 1 to 2 iterations, not by 3}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 3, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has an impossible pipeline: asynchronous copies into 3 slots run ahead by 1 to 2 iterations, not by 0}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 0, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has an impossible pipeline: loads through registers into 2 slots run ahead by 2 iterations, not by 1}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 2, distance = 1, copies = registers>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has a pipeline, but compares its induction variable as unsigned; past the end of the loop that may wrap around}}
  %r = scf.for unsigned %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has a pipeline, but no load in its body has 'sched.ring'}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.pipeline' = 3 : i64, which is not a #sched.pipeline}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = 3 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.cluster', which is reserved: no pass reads it yet}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.cluster = 1 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.cluster', which is reserved: no pass reads it yet}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.cluster = 1 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.role', which belongs on a loop with 'sched.pipeline'}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.role = 1 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.persistent', a unit attribute that belongs on a kernel}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.persistent = 1 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.pipelined', which is not an attribute of schedules}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipelined}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.conversions' = 0 : i64, which is not a positive i64}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.conversions = 0 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.ring', which belongs on tile.load}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.ring = #sched.ring<order = swizzled, inner = 1>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.deferred', which belongs on tile.dot}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.deferred}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring', but is not in the body of a loop with 'sched.pipeline'}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } 
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring' = 7 : i32, which is not a #sched.ring}}
    %a = tile.load %ps {sched.ring = 7 : i32} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has a ring whose inner dimension is 2, but a tile has the dimensions 0 and 1}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 2>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has a swizzled ring with a pitch of 80 bytes; only padded ones have a pitch}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1, pitch = 80>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has a ring with a pitch of 72 bytes, but must have a multiple of 16 that holds a line of 64 bytes}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = padded, inner = 1, pitch = 72>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 2, distance = 2, copies = registers>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has a ring with a pitch of 48 bytes, but must have a multiple of 16 that holds a line of 64 bytes}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = padded, inner = 1, pitch = 48>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 2, distance = 2, copies = registers>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has a ring with 4 elements of 2 bytes in a word of 4 bytes}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1, perWord = 4>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 2, distance = 2, copies = registers>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has a padded ring, which asynchronous copies cannot fill}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = padded, inner = 1, pitch = 80>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has a ring with several elements in a word, which only copies through registers have}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1, perWord = 2>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring', but its slots are never read}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %b, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring', but is not only read by products of the loop's body, in the iteration that its slot lives for}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    // expected-note @+1 {{it is read here}}
    tile.store %qs, %a : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring', but may not be made earlier: the loop writes to the argument that it reads}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %o = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %v = arith.constant dense<0.0> : tensor<32x32xf16>
    // expected-note @+1 {{here}}
    tile.store %o, %v : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring', but may not be made earlier: the loop has a 'tile.barrier' that must come before later loads}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    // expected-note @+1 {{here}}
    tile.barrier
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.dot' op has 'sched.deferred', but is not in the body of a loop with asynchronous copies}}
    %d = tile.dot %a, %b, %acc {sched.deferred} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 2, distance = 2, copies = registers>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs : tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.dot' op has 'sched.deferred', but an operand is not in a ring, so that nothing keeps it until the product is done}}
    %d = tile.dot %a, %b, %acc {sched.deferred} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.dot' op has 'sched.deferred', but its sum is read or made by an op other than the next iteration's product}}
    %d = tile.dot %a, %b, %init {sched.deferred} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.dot' op has 'sched.deferred' with a value; it is a unit attribute}}
    %d = tile.dot %a, %b, %acc {sched.deferred = 1 : i64} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<2x16x16xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<2x16x16xf32>) : i32 {
    %ps = tile.splat %x : !tile.ptr<f16> -> tensor<2x16x16x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring', but loads 'tensor<2x16x16xf16>'; slots hold tensors of two dimensions}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<2x16x16x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
    scf.yield %d : tensor<2x16x16xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %t: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %tp = tile.addptr %t, %i : !tile.ptr<i32>, i32
    // expected-note @+1 {{because it depends on this 'tile.load'}}
    %j = tile.load %tp volatile : !tile.ptr<i32>
    %p = tile.addptr %x, %j : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.load' op has 'sched.ring', but its address or mask cannot be computed for later iterations}}
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

// expected-error @+1 {{'func.func' op has 'sched.pipeline', which belongs on scf.for}}
func.func @k() attributes {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>} {
  return
}

// -----

// expected-error @+1 {{'func.func' op argument 0 has 'sched.ring', but schedules belong on ops}}
func.func @k(%x: i32 {sched.ring = #sched.ring<order = swizzled, inner = 1>}) {
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{'arith.constant' op has 'sched.by_hand', which belongs on a loop with 'sched.pipeline' and is a unit attribute or a named location}}
  %c = arith.constant {sched.by_hand} 0 : i32
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{'arith.constant' op has 'sched.fewer_warps', which belongs on a kernel}}
  %c = arith.constant {sched.fewer_warps = 2 : i64} 0 : i32
  return
}

// -----

// expected-error @+1 {{'func.func' op has 'sched.fewer_warps' = 0 : i64, which is not a positive i64}}
func.func @k() attributes {sched.fewer_warps = 0 : i64, tile.kernel} {
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{'arith.constant' op has 'sched.conversions', which belongs on a kernel or a loop}}
  %c = arith.constant {sched.conversions = 8 : i64} 0 : i32
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.role' = 4 : i64, which is not a #sched.role}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>, sched.role = 4 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.role_asked' = 4 : i64, which is not a #sched.role}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>, sched.role_asked = 4 : i64}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has a producer of 0 warps; it has 1 to 64}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>, sched.role = #sched.role<producers = 0>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has a producer of 65 warps; it has 1 to 64}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>, sched.role = #sched.role<producers = 65>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  scf.for %j = %zero to %n step %one : i32 {
    // expected-error @+1 {{'scf.for' op has roles, but is not in the block of a kernel}}
    %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
      %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
      %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
      %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
      %d = tile.dot %a, %a, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
      scf.yield %d : tensor<32x32xf32>
    } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>, sched.role = #sched.role<producers = 4>}
  }
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @+1 {{'scf.for' op has 'sched.stage', which belongs on tile.dot}}
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>, sched.stage = 1 : i32}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.dot' op has 'sched.stage' = 2 : i32; a product is one iteration late, 1 : i32}}
    %d = tile.dot %a, %b, %acc {sched.stage = 2 : i32} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

func.func @k(%x: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %p = tile.addptr %x, %i : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %a = tile.load %ps {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %q = tile.addptr %y, %i : !tile.ptr<f16>, i32
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %qs {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    // expected-error @+1 {{'tile.dot' op has 'sched.stage', but is not in the body of a loop with copies = boxes}}
    %d = tile.dot %a, %b, %acc {sched.stage = 1 : i32} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}

// -----

// Of a loop that does not yield what it carries nothing is followed.
func.func @k(%x: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %ps = tile.splat %x : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  // expected-error @+1 {{different number of region iter_args and yielded values: 2 != 1}}
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %init, %p = %ps) -> (tensor<32x32xf32>, tensor<32x32x!tile.ptr<f16>>) : i32 {
    %a = tile.load %p {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %acc {sched.deferred} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  } {sched.pipeline = #sched.pipeline<slots = 3, distance = 2, copies = chunks>}
  return
}
