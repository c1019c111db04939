// Resources are those of the finished code object; a minimum of waves limits registers.
// RUN: tile-amdgpu %s --emit=resources | FileCheck %s
// RUN: tile-amdgpu %s --emit=resources --waves-per-eu=8 | FileCheck %s --check-prefix=EIGHT
// RUN: tile-amdgpu %s --emit=resources-json | FileCheck %s --check-prefix=JSON

// CHECK: kernel sum
// CHECK-NEXT: target hip:gfx942
// CHECK-NEXT: VGPR {{[1-9][0-9]*}}
// CHECK-NEXT: AGPR 0
// CHECK-NEXT: SGPR {{[1-9][0-9]*}}
// CHECK-NEXT: VGPR spills 0
// CHECK-NEXT: SGPR spills 0
// CHECK-NEXT: LDS bytes 16
// CHECK-NEXT: scratch bytes 0
// CHECK-NEXT: code bytes {{[1-9][0-9]*}}
// CHECK-NEXT: waves per SIMD {{[1-8]}} of 8
// CHECK-NEXT: limited by {{waves|registers|shared memory}}
// EIGHT: waves per SIMD 8 of 8
// JSON: {
// JSON-NEXT: "kernel": "sum",
// JSON-NEXT: "threads": 256,
// JSON-NEXT: "registers": {{[1-9][0-9]*}},
// JSON-NEXT: "accumulation_registers": 0,
// JSON-NEXT: "scalar_registers": {{[1-9][0-9]*}},
// JSON-NEXT: "spilled_registers": 0,
// JSON-NEXT: "spilled_scalar_registers": 0,
// JSON-NEXT: "shared_bytes": 16,
// JSON-NEXT: "stack_bytes": 0,
// JSON-NEXT: "argument_bytes": 16,
// JSON-NEXT: "code_bytes": {{[1-9][0-9]*}},
// JSON-NEXT: "waves": {{[1-8]}},
// JSON-NEXT: "max_waves": 8,
// JSON-NEXT: "limiter": "{{waves|registers|shared memory}}",
// JSON-NEXT: "bounds": [
// JSON-NEXT: {
// JSON-NEXT: "name": "waves",
// JSON-NEXT: "waves": 8
// JSON: "name": "registers",
// JSON: "name": "shared memory",
// JSON-NEXT: "waves": 8
func.func @sum(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.make_range 0 to 16384 : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %p : tensor<16384x!tile.ptr<f32>>
  %r = tile.reduce %v axis 0 : (tensor<16384xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %y, %r : !tile.ptr<f32>
  return
}
