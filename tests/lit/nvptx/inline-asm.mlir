// Assembly of a kernel: registers by constraint, elements that share one, and overlapping launches.
// RUN: split-file %s %t
// RUN: tile-nvptx --arch sm_90a %t/elementwise.mlir | FileCheck %t/elementwise.mlir
// RUN: tile-nvptx --arch sm_80 %t/elementwise.mlir | FileCheck %t/elementwise.mlir --check-prefix=OLD
// RUN: tile-nvptx --arch sm_90a %t/packed.mlir | FileCheck %t/packed.mlir
// RUN: tile-nvptx --arch sm_90a %t/scalars.mlir | FileCheck %t/scalars.mlir
// RUN: tile-nvptx --arch sm_90a %t/effects.mlir | FileCheck %t/effects.mlir

//--- elementwise.mlir
// CHECK: .entry elementwise(
// CHECK: griddepcontrol.wait;
// One instance for each of the four elements that a thread has.
// CHECK-COUNT-4: rcp.approx.ftz.f32
// CHECK-NOT: rcp.approx
// CHECK: griddepcontrol.launch_dependents;
// Before sm_90 launches do not overlap.
// OLD: .entry elementwise(
// OLD-NOT: griddepcontrol
// OLD: ret;
func.func @elementwise(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  tile.grid_dependency wait
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %s = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %p = tile.addptr %s, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %p : tensor<512x!tile.ptr<f32>>
  %y = tile.inline_asm pure "rcp.approx.ftz.f32 $0, $1;" constraints "=f,f" as "asm" %v : (tensor<512xf32>) -> tensor<512xf32>
  tile.store %p, %y : tensor<512x!tile.ptr<f32>>
  tile.grid_dependency release
  return
}

//--- packed.mlir
// Four bytes in a register, two halves in another: two instances for the eight elements of a thread.
// CHECK: .entry packed(
// CHECK-COUNT-2: vabsdiff4.u32.u32.u32.add
// CHECK-NOT: vabsdiff4
// CHECK: ret;
func.func @packed(%x: !tile.ptr<i8> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f16> {tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %s = tile.splat %x : !tile.ptr<i8> -> tensor<1024x!tile.ptr<i8>>
  %p = tile.addptr %s, %r : tensor<1024x!tile.ptr<i8>>, tensor<1024xi32>
  %t = tile.splat %z : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %q = tile.addptr %t, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %v = tile.load %p : tensor<1024x!tile.ptr<i8>>
  %h = tile.load %q : tensor<1024x!tile.ptr<f16>>
  %y:2 = tile.inline_asm pure "{ vabsdiff4.u32.u32.u32.add $0, $3, $4, $5; mov.b32 $1, $4; mov.b32 $2, $5; }" constraints "=r,=r,=r,r,r,r" as "asm" pack 4 %v, %h
      : (tensor<1024xi8>, tensor<1024xf16>) -> (tensor<1024xi8>, tensor<1024xf16>)
  tile.store %p, %y#0 : tensor<1024x!tile.ptr<i8>>
  tile.store %q, %y#1 : tensor<1024x!tile.ptr<f16>>
  return
}

//--- scalars.mlir
// Scalars, a 16-bit value in a register of 32 bits, an input tied to an output, and a clobber.
// CHECK: .entry scalars(
// CHECK: add.u32 [[R:%r[0-9]+]], {{%r[0-9]+}}, [[R]];
// CHECK: mov.u32 {{%r[0-9]+}}, %smid;
func.func @scalars(%x: !tile.ptr<i32>, %n: i16, %m: i32) attributes {tile.kernel} {
  %a = tile.inline_asm "add.u32 $0, $1, $2;" constraints "=r,r,0,~{memory}" as "asm" %n, %m : (i16, i32) -> i32
  tile.store %x, %a : !tile.ptr<i32>
  %b = tile.inline_asm pure "mov.u32 $0, %smid;" constraints "=r" as "cuda.smid" for "ptx" : () -> i32
  tile.store %x, %b : !tile.ptr<i32>
  return
}

//--- effects.mlir
// Without results: once for each element, of tensors whose addresses depend on nothing else, and for a scalar.
// CHECK: .entry effects(
// CHECK: // begin inline asm
// CHECK-NEXT: // effects.mlir:
// CHECK-COUNT-2: prefetch.global.L2
// CHECK-NOT: prefetch
// CHECK: nanosleep.u32
// CHECK: ret;
func.func @effects(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 256 : tensor<256xi32>
  %s = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %s, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.inline_asm "prefetch.global.L2 [$0];" constraints "l" as "asm" %p : (tensor<256x!tile.ptr<f32>>) -> ()
  tile.inline_asm "nanosleep.u32 $0;" constraints "r" as "asm" %n : (i32) -> ()
  return
}
