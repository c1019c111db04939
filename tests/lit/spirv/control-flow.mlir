// Loops and branches: carried values are in variables, a loop without iterations never runs its body, and a branch
// in a loop keeps its own merge block.
// RUN: tile-spirv %s -emit spirv-asm | FileCheck %s

// CHECK-NOT: OpPhi
// CHECK: OpFunction
// The bound is compared before the first iteration.
// CHECK: OpStore %[[COUNTER:[0-9]+]] %uint_0
// CHECK: OpBranch %[[HEADER:[0-9]+]]
// CHECK: %[[HEADER]] = OpLabel
// CHECK: %[[I:[0-9]+]] = OpLoad %uint %[[COUNTER]]
// CHECK: %[[MORE:[0-9]+]] = OpSLessThan %bool %[[I]] %[[N:[0-9]+]]
// CHECK: OpLoopMerge %[[MERGE:[0-9]+]] %[[NEXT:[0-9]+]] None
// CHECK: OpBranchConditional %[[MORE]] %[[BODY:[0-9]+]] %[[MERGE]]
// CHECK: %[[BODY]] = OpLabel
// CHECK: OpSelectionMerge %[[JOIN:[0-9]+]] None
// CHECK: OpBranchConditional %{{[0-9]+}} %[[THEN:[0-9]+]] %[[ELSE:[0-9]+]]
// CHECK: %[[THEN]] = OpLabel
// CHECK: OpStore %[[V:[0-9]+]]
// CHECK: OpBranch %[[JOIN]]
// CHECK: %[[ELSE]] = OpLabel
// CHECK: OpStore %[[V]]
// CHECK: OpBranch %[[JOIN]]
// CHECK: %[[JOIN]] = OpLabel
// CHECK: OpLoad %float %[[V]]
// CHECK: OpBranch %[[NEXT]]
// CHECK: %[[NEXT]] = OpLabel
// CHECK: OpIAdd %uint %[[I]]
// CHECK: OpBranch %[[HEADER]]
// CHECK: %[[MERGE]] = OpLabel
// The second loop tests in the middle.
// CHECK: OpLoopMerge %[[END:[0-9]+]] %[[AGAIN:[0-9]+]] None
// CHECK-NEXT: OpBranch %[[BEFORE:[0-9]+]]
// CHECK: %[[BEFORE]] = OpLabel
// CHECK: OpBranchConditional %{{[0-9]+}} %[[AFTER:[0-9]+]] %[[END]]
// CHECK: %[[AFTER]] = OpLabel
// CHECK: OpBranch %[[AGAIN]]
// CHECK: %[[END]] = OpLabel
// CHECK: OpReturn
func.func @loops(%x: !tile.ptr<f32>, %n: i32, %limit: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = arith.constant 1.0 : f32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (f32) : i32 {
    %odd = arith.andi %i, %one : i32
    %is = arith.cmpi eq, %odd, %zero : i32
    %next = scf.if %is -> (f32) {
      %p = tile.addptr %x, %i : !tile.ptr<f32>, i32
      %v = tile.load %p : !tile.ptr<f32>
      scf.yield %v : f32
    } else {
      %q = tile.addptr %x, %n : !tile.ptr<f32>, i32
      %v = tile.load %q : !tile.ptr<f32>
      scf.yield %v : f32
    }
    %s = arith.addf %acc, %next : f32
    scf.yield %s : f32
  }
  %r:2 = scf.while (%a = %sum, %k = %zero) : (f32, i32) -> (f32, i32) {
    %below = arith.cmpf olt, %a, %limit : f32
    scf.condition(%below) %a, %k : f32, i32
  } do {
  ^bb0(%a: f32, %k: i32):
    %d = arith.addf %a, %a : f32
    %m = arith.addi %k, %one : i32
    scf.yield %d, %m : f32, i32
  }
  %y = tile.addptr %x, %r#1 : !tile.ptr<f32>, i32
  tile.store %y, %r#0 : !tile.ptr<f32>
  return
}
