// Passes after tile-expand-descriptors refuse descriptors that it would have expanded.
// RUN: not tile-opt %s --target=generic --tile-pad 2>&1 | FileCheck %s -DPASS=tile-pad
// RUN: not tile-opt %s --target=generic --tile-split 2>&1 | FileCheck %s -DPASS=tile-split
// RUN: not tile-opt %s --target=generic --tile-distribute 2>&1 | FileCheck %s -DPASS=tile-distribute
// RUN: tile-opt %s --target=generic --tile-expand-descriptors --tile-pad --tile-split --tile-distribute
// CHECK: error: 'tile.make_descriptor' op has a descriptor, which [[PASS]] does not take; run tile-expand-descriptors first
func.func @kernel(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i64) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p sizes [%n] strides [%one] : !tile.descriptor<1024xf32>
  %v = tile.descriptor_load %d[%zero] : !tile.descriptor<1024xf32>
  tile.descriptor_store %d[%zero], %v : !tile.descriptor<1024xf32>
  return
}
