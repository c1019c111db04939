// Operations without code are errors at their locations, with messages that a new backend can keep.
// RUN: split-file %s %t
// RUN: not tile-template %t/op.mlir 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not tile-template %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not tile-template %t/comparison.mlir 2>&1 | FileCheck %s --check-prefix=COMPARISON
// RUN: not tile-template %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// OP: op.mlir:2:8: error: 'math.sin' cannot be compiled for template:c: it is not supported
// TYPE: type.mlir:2:8: error: the type 'f16' cannot be compiled for template:c: it is not supported
// COMPARISON: comparison.mlir:2:8: error: the comparison 'ueq' cannot be compiled for template:c: it is not supported
// NONE: error: the module has no kernel (a function with the attribute 'tile.kernel')

//--- op.mlir
func.func @op(%p: !tile.ptr<f32>, %x: f32) attributes {tile.kernel} {
  %y = math.sin %x : f32
  tile.store %p, %y : !tile.ptr<f32>
  return
}

//--- type.mlir
func.func @type(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>) attributes {tile.kernel} {
  %x = tile.load %p : !tile.ptr<f16>
  tile.store %q, %x : !tile.ptr<f16>
  return
}

//--- comparison.mlir
func.func @comparison(%p: !tile.ptr<i1>, %x: f32, %y: f32) attributes {tile.kernel} {
  %z = arith.cmpf ueq, %x, %y : f32
  tile.store %p, %z : !tile.ptr<i1>
  return
}

//--- none.mlir
func.func @helper() { return }
