// Refusals of the lowering to threads, with reasons.
// RUN: split-file %s %t
// RUN: not tile-nvptx %t/no-handler.mlir 2>&1 | FileCheck %t/no-handler.mlir
// RUN: not tile-nvptx %t/refused.mlir 2>&1 | FileCheck %t/refused.mlir
// RUN: not tile-nvptx %t/debugged.mlir 2>&1 | FileCheck %t/debugged.mlir
// RUN: not tile-nvptx %t/in-region.mlir 2>&1 | FileCheck %t/in-region.mlir
// RUN: not tile-nvptx %t/constant.mlir 2>&1 | FileCheck %t/constant.mlir
// RUN: not tile-nvptx %t/float8.mlir 2>&1 | FileCheck %t/float8.mlir
// RUN: not tile-nvptx %t/print-float8.mlir 2>&1 | FileCheck %t/print-float8.mlir
// RUN: not tile-nvptx %t/parameter.mlir 2>&1 | FileCheck %t/parameter.mlir
// RUN: not tile-nvptx %t/blocks.mlir 2>&1 | FileCheck %t/blocks.mlir

//--- no-handler.mlir
// CHECK: no-handler.mlir:[[@LINE+3]]:3: error: 'func.call' cannot be compiled for cuda:sm_80: it is not supported yet
func.func private @f()
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  func.call @f() : () -> ()
  return
}

//--- refused.mlir
// CHECK: refused.mlir:[[@LINE+2]]:8: error: 'scf.index_switch' cannot be compiled for cuda:sm_80: it is not supported yet
func.func @k(%x: !tile.ptr<i32>, %i: i32, %n: index) attributes {tile.kernel} {
  %v = scf.index_switch %n -> i32
  case 2 {
    scf.yield %i : i32
  }
  default {
    %c = arith.constant 5 : i32
    scf.yield %c : i32
  }
  tile.store %x, %v : !tile.ptr<i32>
  return
}

//--- debugged.mlir
// CHECK: debugged.mlir:[[@LINE+2]]:3: error: 'tile.debug_event' cannot be compiled for cuda:sm_80: it is not supported yet
func.func @k(%x: !tile.ptr<i32>, %i: i32) attributes {tile.kernel} {
  tile.debug_event assign "i" "int32" : %i : i32
  tile.store %x, %i : !tile.ptr<i32>
  return
}

//--- in-region.mlir
// CHECK: in-region.mlir:[[@LINE+8]]:10: error: 'tile.join' cannot be compiled for cuda:sm_80: it is not supported yet
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %a = tile.addptr %s, %r : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %a : tensor<128x!tile.ptr<i32>>
  %t = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%p: i32, %q: i32):
    %w = tile.join %p, %q : i32 -> tensor<2xi32>
    %lhs, %rhs = tile.split %w : tensor<2xi32> -> i32, i32
    tile.yield %lhs : i32
  }) : (tensor<128xi32>) -> i32
  tile.store %x, %t : !tile.ptr<i32>
  return
}

//--- constant.mlir
// CHECK: constant.mlir:[[@LINE+2]]:8: error: 'arith.constant' cannot be compiled for cuda:sm_80: a constant tensor must be a splat or evenly spaced integers
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %c = arith.constant dense<[1, 2, 4, 8]> : tensor<4xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  tile.store %s, %c : tensor<4x!tile.ptr<i32>>
  return
}

//--- float8.mlir
// CHECK: float8.mlir:[[@LINE+3]]:8: error: 'arith.addf' cannot be compiled for cuda:sm_80: arithmetic on 8-bit floats is not defined; convert to another type first
func.func @k(%x: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f8E5M2>
  %w = arith.addf %v, %v : f8E5M2
  tile.store %x, %w : !tile.ptr<f8E5M2>
  return
}

//--- print-float8.mlir
// CHECK: print-float8.mlir:[[@LINE+3]]:3: error: 'tile.print' cannot be compiled for cuda:sm_80: printing 8-bit floats is not supported; convert to another type first
func.func @k(%x: !tile.ptr<f8E5M2>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f8E5M2>
  tile.print "v: " : %v signed [true] : f8E5M2
  return
}

//--- parameter.mlir
// CHECK: parameter.mlir:[[@LINE+1]]:1: error: a kernel's parameters are scalars and pointers, not 'tensor<4xi32>'
func.func @k(%x: !tile.ptr<i32>, %t: tensor<4xi32>) attributes {tile.kernel} {
  return
}

//--- blocks.mlir
// CHECK: blocks.mlir:[[@LINE+1]]:1: error: control flow must be structured before a kernel is lowered to threads
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  cf.br ^next
^next:
  return
}
