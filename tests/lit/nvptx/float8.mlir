// Rounding into 8-bit floats: an instruction from sm_89 on and to nearest, else integer arithmetic.
// RUN: tile-nvptx %s --arch=sm_80 | FileCheck %s --check-prefix=OLD
// RUN: tile-nvptx %s --arch=sm_90a | FileCheck %s --check-prefix=NEW

// OLD-NOT: satfinite
// NEW: cvt.rn.satfinite.e4m3x2.f32
// NEW-NOT: satfinite
func.func @k(%x: !tile.ptr<f8E4M3FN>, %z: !tile.ptr<f8E5M2>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %y : !tile.ptr<f32>
  %w = tile.fp_cast %v : f32 -> f8E4M3FN
  tile.store %x, %w : !tile.ptr<f8E4M3FN>
  %t = tile.fp_cast %v rounding rtz : f32 -> f8E5M2
  tile.store %z, %t : !tile.ptr<f8E5M2>
  return
}
