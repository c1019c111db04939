// Errors of single ops of an expanded schedule, or of their types.
// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @k() {
  %order = sched.channel : <slots = 2, copies = chunks>
  // expected-error @+1 {{a ring has 1 to 64 slots, not 0}}
  %r = sched.ring %order : <slots = 2, copies = chunks> -> <0 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k() {
  %order = sched.channel : <slots = 2, copies = chunks>
  // expected-error @+1 {{slots hold tensors of two dimensions, not 'tensor<32xf16>'}}
  %r = sched.ring %order : <slots = 2, copies = chunks> -> <2 of tensor<32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k() {
  %order = sched.channel : <slots = 2, copies = chunks>
  // expected-error @+1 {{has a ring with a pitch of 24 bytes, but must have a multiple of 16 that holds a line of 64 bytes}}
  %r = sched.ring %order : <slots = 2, copies = chunks> -> <2 of tensor<32x32xf16>, <order = padded, inner = 1, pitch = 24>>
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{a channel has 1 to 64 slots, not 65}}
  %c = sched.channel : !sched.channel<slots = 65, copies = chunks>
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{a channel between roles has producers and consumers}}
  %c = sched.channel : !sched.channel<slots = 2, copies = chunks, producers = 4>
  return
}

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
// expected-error @+1 {{a tile on its way to a slot has 3 elements of 2 bytes in a word of 4 bytes, of 8 registers}}
func.func private @k(!sched.staged<tensor<32x32xf16>, #layout, 3>)

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
// expected-error @+1 {{a tile on its way to a slot has 0 elements of 2 bytes in a word of 4 bytes, of 8 registers}}
func.func private @k(!sched.staged<tensor<32x32xf16>, #layout, 0>)

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
// expected-error @+1 {{a tile on its way to a slot has a layout that is not one of registers of the tile}}
func.func private @k(!sched.staged<tensor<32x64xf16>, #layout, 2>)

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
// expected-error @+1 {{slots hold tensors of two dimensions, not 'tensor<32xf16>'}}
func.func private @k(!sched.staged<tensor<32xf16>, #layout, 2>)

// -----

//===----------------------------------------------------------------------===//
// Rings and channels
//===----------------------------------------------------------------------===//

func.func @k(%r: !sched.ring<3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>, %s: i32) {
  // expected-error @+1 {{'sched.read' op failed to verify that its rings, channels and store buffers are results of the ops that make them}}
  %a = sched.read %r[%s] : !sched.ring<3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k() {
  %order = sched.channel : <slots = 2, copies = chunks>
  // expected-error @+1 {{'sched.ring' op has 3 slots, but its channel has 2}}
  %r = sched.ring %order : <slots = 2, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{'sched.channel' op is that of all blocks, whose slots only copies of boxes can fill}}
  %order = sched.channel everywhere : <slots = 2, copies = chunks>
  return
}

// -----

func.func @k(%c: !sched.channel<slots = 2, copies = chunks>) {
  // expected-error @+1 {{'sched.drain' op failed to verify that its rings, channels and store buffers are results of the ops that make them}}
  sched.drain %c : !sched.channel<slots = 2, copies = chunks>
  return
}

// -----

func.func @k(%p: i1) {
  %order = sched.channel : <slots = 3, copies = chunks>
  // expected-error @+1 {{'sched.ring' op is used by an op that does not fill or read slots}}
  %r = sched.ring %order : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  %q = sched.ring %order : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  // expected-note @+1 {{here}}
  %s = arith.select %p, %r, %q : !sched.ring<3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k(%p: i1) {
  // expected-error @+1 {{'sched.channel' op is used by an op that does not fill or read slots}}
  %c = sched.channel : !sched.channel<slots = 2, copies = chunks>
  sched.ahead {
    // expected-note @+1 {{here}}
    sched.yield %c : !sched.channel<slots = 2, copies = chunks>
  } : !sched.channel<slots = 2, copies = chunks>
  return
}

// -----

func.func @k(%s: i32) {
  %order = sched.channel : <slots = 3, copies = chunks>
  %r = sched.ring %order : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  %slot = arith.constant 99 : i32
  // expected-error @+1 {{'sched.read' op has slot 99 of 3}}
  %a = sched.read %r[%slot] : !sched.ring<3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k(%s: i32) {
  %c = sched.channel : !sched.channel<slots = 2, copies = chunks>
  %slot = arith.constant -1 : i32
  // expected-error @+1 {{'sched.acquire' op has slot -1 of 2}}
  sched.acquire %c[%slot] : !sched.channel<slots = 2, copies = chunks>
  return
}

// -----

func.func @k(%s: i32) {
  %c = sched.channel : !sched.channel<slots = 2, copies = chunks>
  %slot = arith.constant 2 : i32
  // expected-error @+1 {{'sched.await' op has slot 2 of 2}}
  sched.await %c[%slot] : !sched.channel<slots = 2, copies = chunks>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

func.func @k(%p: tensor<32x16x!tile.ptr<f16>>, %s: i32) {
  %order = sched.channel : <slots = 3, copies = chunks>
  %r = sched.ring %order : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  // expected-error @+1 {{'sched.copy' op copies from 'tensor<32x16x!tile.ptr<f16>>' to slots of 'tensor<32x32xf16>'}}
  sched.copy %p -> %r[%s] : tensor<32x16x!tile.ptr<f16>> -> !sched.ring<3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k(%p: tensor<32x32x!tile.ptr<f16>>, %m: tensor<32x1xi1>, %s: i32) {
  %order = sched.channel : <slots = 3, copies = chunks>
  %r = sched.ring %order : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  // expected-error @+1 {{'sched.copy' op has a mask of 'tensor<32x1xi1>' for 'tensor<32x32x!tile.ptr<f16>>'}}
  sched.copy %p mask %m -> %r[%s] : tensor<32x32x!tile.ptr<f16>>, tensor<32x1xi1> -> !sched.ring<3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k(%p: tensor<32x32x!tile.ptr<f16>>, %s: i32) {
  %order = sched.channel : <slots = 3, copies = chunks>
  %r = sched.ring %order : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = padded, inner = 1, pitch = 80>>
  // expected-error @+1 {{'sched.copy' op fills padded slots, which asynchronous copies cannot}}
  sched.copy %p -> %r[%s] : tensor<32x32x!tile.ptr<f16>> -> !sched.ring<3 of tensor<32x32xf16>, <order = padded, inner = 1, pitch = 80>>
  return
}

// -----

func.func @k(%p: tensor<32x32x!tile.ptr<f16>>) {
  %order = sched.channel : <slots = 3, copies = chunks>
  %r = sched.ring %order : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  %s = arith.constant 3 : i32
  // expected-error @+1 {{'sched.copy' op has slot 3 of 3}}
  sched.copy %p -> %r[%s] : tensor<32x32x!tile.ptr<f16>> -> !sched.ring<3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
func.func @k(%p: tensor<32x32x!tile.ptr<f16>>, %w: i1) {
  // expected-error @+1 {{'sched.fetch' op must yield one tile for each result}}
  %x = sched.fetch when %w {
    sched.yield
  } : !sched.staged<tensor<32x32xf16>, #layout, 2>
  return
}

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
func.func @k(%p: tensor<32x32x!tile.ptr<f16>>, %w: i1) {
  // expected-error @+1 {{'sched.fetch' op contains 'arith.negf', but may only contain loads}}
  %x = sched.fetch when %w {
    %a = tile.load %p : tensor<32x32x!tile.ptr<f16>>
    %b = arith.negf %a : tensor<32x32xf16>
    sched.yield %b : tensor<32x32xf16>
  } : !sched.staged<tensor<32x32xf16>, #layout, 2>
  return
}

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
func.func @k(%a: tensor<32x32xf16>, %w: i1) {
  // expected-error @+1 {{'sched.fetch' op must yield loads of its body, but yields another value for '!sched.staged<tensor<32x32xf16>,}}
  %x = sched.fetch when %w {
    sched.yield %a : tensor<32x32xf16>
  } : !sched.staged<tensor<32x32xf16>, #layout, 2>
  return
}

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
func.func @k(%x: !sched.staged<tensor<32x32xf16>, #layout, 2>, %s: i32) {
  %order = sched.channel : <slots = 2, copies = chunks>
  %r = sched.ring %order : <slots = 2, copies = chunks> -> <2 of tensor<16x32xf16>, <order = swizzled, inner = 1, perWord = 2>>
  // expected-error @+1 {{'sched.put' op puts 'tensor<32x32xf16>' into slots of 'tensor<16x32xf16>'}}
  sched.put %x -> %r[%s] : !sched.staged<tensor<32x32xf16>, #layout, 2> -> !sched.ring<2 of tensor<16x32xf16>, <order = swizzled, inner = 1, perWord = 2>>
  return
}

// -----

#layout = #distribute.layout<"{register = [(0, 1), (0, 2), (0, 4)], lane = [(0, 8), (0, 16), (1, 0), (2, 0), (4, 0)], warp = [(8, 0), (16, 0)]} -> (dim0: 32, dim1: 32)">
func.func @k(%x: !sched.staged<tensor<32x32xf16>, #layout, 2>, %s: i32) {
  %order = sched.channel : <slots = 2, copies = chunks>
  %r = sched.ring %order : <slots = 2, copies = chunks> -> <2 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  // expected-error @+1 {{'sched.put' op puts words of 2 elements into slots for 1}}
  sched.put %x -> %r[%s] : !sched.staged<tensor<32x32xf16>, #layout, 2> -> !sched.ring<2 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  return
}

// -----

func.func @k(%s: i32) -> tensor<32x32xf16> {
  %order = sched.channel : <slots = 2, copies = chunks>
  %r = sched.ring %order : <slots = 2, copies = chunks> -> <2 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  // expected-error @+1 {{'sched.read' op is not only used by products of its block}}
  %a = sched.read %r[%s] : !sched.ring<2 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
  // expected-note @+1 {{it is used here}}
  return %a : tensor<32x32xf16>
}

// -----

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

func.func @k(%s: i32) {
  %c = sched.channel : !sched.channel<slots = 2, copies = chunks, producers = 4, consumers = 4>
  // expected-error @+1 {{'sched.acquire' op is between roles and needs a phase}}
  sched.acquire %c[%s] : !sched.channel<slots = 2, copies = chunks, producers = 4, consumers = 4>
  return
}

// -----

func.func @k(%s: i32) {
  %c = sched.channel : !sched.channel<slots = 2, copies = chunks>
  // expected-error @+1 {{'sched.await' op has a phase, but its channel is not between roles}}
  sched.await %c[%s] phase %s : !sched.channel<slots = 2, copies = chunks>
  return
}

// -----

func.func @k(%s: i32) {
  %c = sched.channel : !sched.channel<slots = 2, copies = chunks, producers = 4, consumers = 4>
  // expected-error @+1 {{'sched.await' op has slots pending, which only channels within one role can have}}
  sched.await %c[%s] phase %s pending 1 : !sched.channel<slots = 2, copies = chunks, producers = 4, consumers = 4>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

func.func @k(%s: i32) {
  // expected-error @+1 {{'sched.ahead' op must yield values of its results' types}}
  %x = sched.ahead {
    sched.yield
  } : i32
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{'sched.dot_wait' op cannot leave a negative number of products in flight}}
  sched.dot_wait pending -1
  return
}

// -----

func.func @k(%x: tensor<32x32xf32>) {
  // expected-error @+1 {{'sched.dot_wait' op returns sums to which products may still add}}
  %s = sched.dot_wait pending 1 for %x : tensor<32x32xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// expected-error @+1 {{'func.func' op has 'sched.expanded', a unit attribute that belongs on a kernel}}
func.func @k() attributes {sched.expanded = 3 : i32, tile.kernel} {
  return
}

// -----

// expected-error @+1 {{'func.func' op has 'sched.by_hand', which belongs on a loop with 'sched.pipeline' and is a unit attribute or a named location}}
func.func @k() attributes {sched.by_hand, sched.expanded, tile.kernel} {
  return
}

// -----

//===----------------------------------------------------------------------===//
// Products in flight
//===----------------------------------------------------------------------===//

func.func @k() {
  // expected-error @+1 {{'arith.constant' op has 'sched.in_flight', which belongs on tile.dot}}
  %c = arith.constant {sched.in_flight} 0 : i32
  return
}

// -----

func.func @k(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{'tile.dot' op has 'sched.in_flight' with a value; it is a unit attribute}}
  %d = tile.dot %a, %a, %c {sched.in_flight = 1 : i32} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  return
}

// -----

func.func @k(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{'tile.dot' op has 'sched.in_flight', but its sum is read or made by an op other than the next iteration's product}}
  %d = tile.dot %a, %a, %c {sched.in_flight} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  return
}

// -----

func.func @k(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>) {
  %d = tile.dot %a, %a, %c {sched.in_flight} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %e = tile.dot %a, %a, %c {sched.in_flight} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %x = sched.dot_wait pending 1 for %d : tensor<32x32xf32>
  // expected-error @+1 {{'sched.dot_wait' op returns sums to which products may still add}}
  %y = sched.dot_wait pending 1 for %e : tensor<32x32xf32>
  return
}

// -----

func.func @k(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>, %x: tensor<32x32xf32>) {
  %zero = arith.constant 0 : i32
  %ch = sched.channel : <slots = 2, copies = boxes, producers = 1, consumers = 4>
  sched.await %ch[%zero] phase %zero : <slots = 2, copies = boxes, producers = 1, consumers = 4>
  %d = tile.dot %a, %a, %c {sched.in_flight} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  sched.release %ch[%zero] : <slots = 2, copies = boxes, producers = 1, consumers = 4>
  // expected-error @+1 {{'sched.dot_wait' op has values to be computed before it, but the slot awaited last is released already}}
  %y = sched.dot_wait pending 0 for %d : tensor<32x32xf32> after %x : tensor<32x32xf32>
  return
}

// -----

func.func @k(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>, %n: i32) -> tensor<32x32xf32> {
  %r = scf.for %i = %n to %n step %n iter_args(%acc = %c) -> (tensor<32x32xf32>) : i32 {
    // expected-error @+1 {{'tile.dot' op has 'sched.in_flight', but its sum is read without a 'sched.dot_wait'}}
    %d = tile.dot %a, %a, %acc {sched.in_flight} : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  // expected-note @+1 {{here}}
  return %r : tensor<32x32xf32>
}

// -----

func.func @k() {
  // expected-error @+1 {{a store buffer holds a tensor of two dimensions, not 'tensor<32xf16>'}}
  %b = sched.store_buffer : !sched.store_buffer<tensor<32xf16>, 0>
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{the lines of a store buffer are along dimension 0 or 1, not 2}}
  %b = sched.store_buffer : !sched.store_buffer<tensor<32x32xf16>, 2>
  return
}

// -----

func.func @k() {
  // expected-error @+1 {{boxes cannot be copied from a tile of 'tensor<32x4xf16>'}}
  %b = sched.store_buffer : !sched.store_buffer<tensor<32x4xf16>, 1>
  return
}

// -----

func.func @k(%b: !sched.store_buffer<tensor<32x32xf16>, 1>) {
  // expected-error @+1 {{its rings, channels and store buffers are results of the ops that make them}}
  sched.store_wait %b : <tensor<32x32xf16>, 1>
  return
}

// -----

#map = affine_map<()[s0, s1] -> (s0, s1)>
#stride = affine_map<()[s0, s1] -> (s0 * 2)>
#box = #sched.box<base = 0, element = f16, arguments = [1, 2], extents = #map, strides = #stride, tile = [32, 64], natural = []>
func.func @k(%p: !tile.ptr<f16>, %n: i32, %m: i32, %t: tensor<32x32xf16>) {
  %b = sched.store_buffer : <tensor<32x32xf16>, 1>
  // expected-error @+1 {{has a box of other sizes than 'tensor<32x32xf16>'}}
  sched.store_box %t -> %b -> [%n, %m] {tensor = #box} : tensor<32x32xf16> -> <tensor<32x32xf16>, 1>
  return
}

// -----

#map = affine_map<()[s0, s1] -> (s0, s1)>
#stride = affine_map<()[s0, s1] -> (s0 * 2)>
#box = #sched.box<base = 0, element = f16, arguments = [1, 2], extents = #map, strides = #stride, tile = [32, 32], natural = []>
func.func @k(%p: !tile.ptr<f16>, %n: i32, %m: i32, %t: tensor<32x32xf16>) {
  %b = sched.store_buffer : <tensor<32x32xf16>, 1>
  // expected-error @+1 {{begins at 1 indices of a tensor of 2 dimensions}}
  sched.store_box %t -> %b -> [%n] {tensor = #box} : tensor<32x32xf16> -> <tensor<32x32xf16>, 1>
  return
}

// -----

#map = affine_map<()[s0, s1] -> (s0, s1)>
#stride = affine_map<()[s0, s1] -> (s0 * 2)>
#box = #sched.box<base = 0, element = f16, arguments = [1, 2], extents = #map, strides = #stride, tile = [32, 32], natural = []>
func.func @k(%p: !tile.ptr<f16>, %n: i32, %m: i32, %t: tensor<32x32xf16>, %mask: tensor<32x64xi1>) {
  %b = sched.store_buffer : <tensor<32x32xf16>, 1>
  // expected-error @+1 {{has a mask of 'tensor<32x64xi1>' for 'tensor<32x32xf16>'}}
  sched.store_box %t mask %mask : tensor<32x64xi1> -> %b -> [%n, %m] {tensor = #box} : tensor<32x32xf16> -> <tensor<32x32xf16>, 1>
  return
}

// -----

func.func @k(%s: !sched.staged<tensor<16x16xf16>, <"{register = [(0, 1), (0, 2), (0, 4), (8, 0)], lane = [(0, 8), (1, 0), (2, 0)], warp = [(4, 0)]} -> (dim0: 16, dim1: 16)">, 2>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %c = sched.channel : <slots = 1, copies = registers>
  %r = sched.ring %c : <slots = 1, copies = registers> -> <1 of tensor<16x16xf16>, <order = swizzled, inner = 1, perWord = 2>>
  // expected-error @+1 {{'sched.put' op is ahead of the barrier of an await, which channels of one slot do not have}}
  sched.put ahead %s -> %r[%zero] : <tensor<16x16xf16>, <"{register = [(0, 1), (0, 2), (0, 4), (8, 0)], lane = [(0, 8), (1, 0), (2, 0)], warp = [(4, 0)]} -> (dim0: 16, dim1: 16)">, 2> -> <1 of tensor<16x16xf16>, <order = swizzled, inner = 1, perWord = 2>>
  return
}
