// Signed extension of words: by halves unless the driver is known to compare extended values correctly.
// RUN: tile-spirv --emit=spirv-asm %s | FileCheck %s
// RUN: tile-spirv --emit=spirv-asm --target=vulkan:1.3,wide-compare %s | FileCheck %s --check-prefix=WIDE

// CHECK: %[[HIGH:[0-9]+]] = OpShiftRightArithmetic %uint %[[WORD:[0-9]+]] %uint_31
// CHECK: %[[HALVES:[0-9]+]] = OpCompositeConstruct %v2uint %[[WORD]] %[[HIGH]]
// CHECK: %[[LONG:[0-9]+]] = OpBitcast %ulong %[[HALVES]]
// CHECK: OpSLessThan %bool %[[LONG]] %ulong_30
// CHECK-NOT: OpSConvert
// WIDE: %[[LONG:[0-9]+]] = OpSConvert %ulong
// WIDE: OpSLessThan %bool %[[LONG]] %ulong_30
func.func @extended(%x: !tile.ptr<i64>, %a: i32) attributes {tile.kernel} {
  %limit = arith.constant 30 : i64
  %long = arith.extsi %a : i32 to i64
  %less = arith.cmpi slt, %long, %limit : i64
  %least = arith.select %less, %long, %limit : i64
  tile.store %x, %least : !tile.ptr<i64>
  return
}
