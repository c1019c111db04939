// Fast forms are the hardware's approximations; accurate forms call nothing outside.
// RUN: tile-nvptx %s | FileCheck %s

// CHECK-NOT: .extern .func
// CHECK: ex2.approx.f32
// CHECK: lg2.approx.f32
// CHECK: div.full.f32
// CHECK: sqrt.approx.f32
// CHECK: rsqrt.approx.f32
// CHECK: div.rn.f32
// CHECK: sqrt.rn.f32
// CHECK-NOT: call
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  %0 = math.exp %v fastmath<afn> : f32
  %1 = math.log %0 fastmath<afn> : f32
  %2 = arith.divf %1, %v fastmath<afn> : f32
  %3 = math.sqrt %2 fastmath<afn> : f32
  %4 = math.rsqrt %3 fastmath<afn> : f32
  %5 = arith.divf %4, %v : f32
  %6 = math.sqrt %5 : f32
  %7 = math.erf %6 : f32
  %8 = math.tanh %7 : f32
  %9 = math.log10 %8 : f32
  tile.store %x, %9 : !tile.ptr<f32>
  return
}
