// Every op of the dialect survives printing, parsing and bytecode.
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @program(
// CHECK-SAME: %{{.*}}: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x"}
// CHECK-SAME: attributes {tile.kernel}
func.func @program(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x"}, %n: i32)
    attributes {tile.kernel} {
  // CHECK: tile.program_id 0
  %pid = tile.program_id 0
  // CHECK: tile.num_programs 2
  %np = tile.num_programs 2
  // CHECK: tile.block_rank
  %rank = tile.block_rank
  return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%s: f32, %p: !tile.ptr<i1>, %b: tensor<4x1xf32>) {
  // CHECK: tile.make_range 0 to 128 : tensor<128xi32>
  %r = tile.make_range 0 to 128 : tensor<128xi32>
  // CHECK: tile.make_range -4 to 4 : tensor<8xi32>
  %neg = tile.make_range -4 to 4 : tensor<8xi32>
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<4x4xf32>
  %0 = tile.splat %s : f32 -> tensor<4x4xf32>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<i1> -> tensor<8x!tile.ptr<i1>>
  %1 = tile.splat %p : !tile.ptr<i1> -> tensor<8x!tile.ptr<i1>>
  // CHECK: tile.broadcast %{{.*}} : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = tile.broadcast %b : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %3 = tile.expand_dims %r axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  // CHECK: tile.reshape %{{.*}} : tensor<128xi32> -> tensor<8x16xi32>
  %4 = tile.reshape %r : tensor<128xi32> -> tensor<8x16xi32>
  // CHECK: tile.reshape %{{.*}} allow_reorder : tensor<128xi32> -> tensor<16x8xi32>
  %5 = tile.reshape %r allow_reorder : tensor<128xi32> -> tensor<16x8xi32>
  // CHECK: tile.trans %{{.*}} [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %6 = tile.trans %2 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %7 = tile.join %2, %2 : tensor<4x8xf32> -> tensor<4x8x2xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : f32 -> tensor<2xf32>
  %8 = tile.join %s, %s : f32 -> tensor<2xf32>
  // CHECK: tile.split %{{.*}} : tensor<4x8x2xf32> -> tensor<4x8xf32>, tensor<4x8xf32>
  %9:2 = tile.split %7 : tensor<4x8x2xf32> -> tensor<4x8xf32>, tensor<4x8xf32>
  // CHECK: tile.split %{{.*}} : tensor<2xf32> -> f32, f32
  %10:2 = tile.split %8 : tensor<2xf32> -> f32, f32
  // CHECK: tile.cat %{{.*}}, %{{.*}} : tensor<128xi32>, tensor<128xi32> -> tensor<256xi32>
  %11 = tile.cat %r, %r : tensor<128xi32>, tensor<128xi32> -> tensor<256xi32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%p: tensor<8x!tile.ptr<f16>>, %o: tensor<8xi32>, %m: tensor<8xi1>, %v: tensor<8xf16>,
                  %sp: !tile.ptr<i1>, %sm: i1, %pp: !tile.ptr<!tile.ptr<f32>>) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f16>>, tensor<8xi32>
  %q = tile.addptr %p, %o : tensor<8x!tile.ptr<f16>>, tensor<8xi32>
  // CHECK: tile.load %{{[a-z0-9]+}} : tensor<8x!tile.ptr<f16>>
  %0 = tile.load %q : tensor<8x!tile.ptr<f16>>
  // CHECK: tile.load %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} : tensor
  %1 = tile.load %q mask %m : tensor<8x!tile.ptr<f16>>
  // CHECK: tile.load %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} other %{{[a-z0-9]+}} volatile {cache = #tile<cache cg>, evict = #tile<evict evict_last>} : tensor
  %2 = tile.load %q mask %m other %v volatile {cache = #tile<cache cg>, evict = #tile<evict evict_last>} : tensor<8x!tile.ptr<f16>>
  // CHECK: tile.load %{{[a-z0-9]+}} : !tile.ptr<i1>
  %3 = tile.load %sp : !tile.ptr<i1>
  // CHECK: tile.load %{{[a-z0-9]+}} : !tile.ptr<!tile.ptr<f32>>
  %4 = tile.load %pp : !tile.ptr<!tile.ptr<f32>>
  // CHECK: tile.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor
  tile.store %q, %v : tensor<8x!tile.ptr<f16>>
  // CHECK: tile.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} {cache = #tile<cache wt>} : tensor
  tile.store %q, %v mask %m {cache = #tile<cache wt>} : tensor<8x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @atomics
func.func @atomics(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %ip: !tile.ptr<i64>, %i: i64) {
  // CHECK: tile.atomic_rmw fadd %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>
  %0 = tile.atomic_rmw fadd %p, %v mask %m : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw umax %{{.*}}, %{{.*}} {scope = #tile<scope sys>, sem = #tile<sem relaxed>} : !tile.ptr<i64>
  %1 = tile.atomic_rmw umax %ip, %i {scope = #tile<scope sys>, sem = #tile<sem relaxed>} : !tile.ptr<i64>
  // CHECK: tile.atomic_rmw xchg %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>
  %2 = tile.atomic_rmw xchg %p, %v : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} {sem = #tile<sem acquire>} : !tile.ptr<i64>
  %3 = tile.atomic_cas %ip, %i, %i {sem = #tile<sem acquire>} : !tile.ptr<i64>
  return
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %b: tensor<8xi8>) {
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  %0 = tile.ptr_to_int %p : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  // CHECK: tile.int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tile.ptr<i8>>
  %1 = tile.int_to_ptr %0 : tensor<8xi64> -> tensor<8x!tile.ptr<i8>>
  // CHECK: tile.bitcast %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i32>>
  %2 = tile.bitcast %p : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i32>>
  // CHECK: tile.bitcast %{{.*}} : tensor<8xi8> -> tensor<8x!tile.f8E4M3B15>
  %3 = tile.bitcast %b : tensor<8xi8> -> tensor<8x!tile.f8E4M3B15>
  // CHECK: tile.fp_cast %{{.*}} : tensor<8x!tile.f8E4M3B15> -> tensor<8xf32>
  %4 = tile.fp_cast %3 : tensor<8x!tile.f8E4M3B15> -> tensor<8xf32>
  // CHECK: tile.fp_cast %{{.*}} rounding rtz : tensor<8xf32> -> tensor<8xf8E5M2>
  %5 = tile.fp_cast %v rounding rtz : tensor<8xf32> -> tensor<8xf8E5M2>
  return
}

// CHECK-LABEL: func.func @dot
func.func @dot(%a: tensor<16x8xf32>, %b: tensor<8x4xf32>, %c: tensor<16x4xf32>,
               %i: tensor<2x4x8xi8>, %j: tensor<2x8x4xi8>, %k: tensor<2x4x4xi32>,
               %e: tensor<16x8xf8E4M3FN>, %f: tensor<8x4xf8E5M2>) {
  // CHECK: tile.dot %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : tensor<16x8xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  %0 = tile.dot %a, %b, %c : tensor<16x8xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  // CHECK: tile.dot %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} precision tf32x3 :
  %1 = tile.dot %a, %b, %c precision tf32x3 : tensor<16x8xf32>, tensor<8x4xf32> -> tensor<16x4xf32>
  // CHECK: tile.dot {{.*}} : tensor<2x4x8xi8>, tensor<2x8x4xi8> -> tensor<2x4x4xi32>
  %2 = tile.dot %i, %j, %k : tensor<2x4x8xi8>, tensor<2x8x4xi8> -> tensor<2x4x4xi32>
  // CHECK: tile.dot {{.*}} {max_imprecise = 32 : i32} :
  %3 = tile.dot %e, %f, %c {max_imprecise = 32 : i32} : tensor<16x8xf8E4M3FN>, tensor<8x4xf8E5M2> -> tensor<16x4xf32>
  return
}

// CHECK-LABEL: func.func @regions
func.func @regions(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>, %v: tensor<8xf32>) {
  // CHECK: tile.reduce %{{.*}} axis 1 : (tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
  // CHECK: tile.yield %{{.*}} : f32
  %0 = tile.reduce %x axis 1 : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  // CHECK: tile.reduce %{{.*}} axis 0 : (tensor<8xf32>) -> f32 {
  %1 = tile.reduce %v axis 0 : (tensor<8xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maxnumf %a, %b : f32
    tile.yield %s : f32
  }
  // CHECK: %{{.*}}:2 = tile.reduce %{{.*}}, %{{.*}} axis 0 : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %2:2 = tile.reduce %x, %y axis 0 : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %b, %a : f32
    %s = arith.select %gt, %b, %a : f32
    %k = arith.select %gt, %j, %i : i32
    tile.yield %s, %k : f32, i32
  }
  // CHECK: tile.scan %{{.*}} axis 0 : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  %3 = tile.scan %x axis 0 : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tile.yield %s : f32
  }
  // CHECK: tile.scan %{{.*}} axis 1 reverse : (tensor<4x8xi32>) -> tensor<4x8xi32> {
  %4 = tile.scan %y axis 1 reverse : (tensor<4x8xi32>) -> tensor<4x8xi32> {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }
  return
}

// CHECK-LABEL: func.func @positions
func.func @positions(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %n: tensor<64xi8>, %m: tensor<64xi1>) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis 1 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
  %0 = tile.gather %x[%i] axis 1 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
  // CHECK: tile.histogram %{{.*}} : tensor<64xi8> -> tensor<16xi32>
  %1 = tile.histogram %n : tensor<64xi8> -> tensor<16xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<64xi8> -> tensor<16xi32>
  %2 = tile.histogram %n mask %m : tensor<64xi8> -> tensor<16xi32>
  // CHECK: tile.map %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1> {
  %3 = tile.map %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf olt, %a, %b : f32
    // CHECK: tile.yield %{{.*}} : i1
    tile.yield %c : i1
  }
  return
}

// CHECK-LABEL: func.func @hints
func.func @hints(%x: tensor<4x8xi32>, %n: i32, %c: i1, %m: tensor<8xi1>) {
  // CHECK: tile.hint %{{.*}} {divisibility = array<i64: 16>} : i32
  %0 = tile.hint %n {divisibility = array<i64: 16>} : i32
  // CHECK: tile.hint %{{.*}} {constancy = array<i64: 1, 8>, contiguity = array<i64: 4, 1>} : tensor<4x8xi32>
  %1 = tile.hint %x {constancy = array<i64: 1, 8>, contiguity = array<i64: 4, 1>} : tensor<4x8xi32>
  // CHECK: tile.assume %{{.*}}
  tile.assume %c
  // CHECK: tile.assert %{{.*}}, "bad" : i1
  tile.assert %c, "bad" : i1
  // CHECK: tile.assert %{{.*}}, "bad lane" mask %{{.*}} : tensor<8xi1>
  tile.assert %m, "bad lane" mask %m : tensor<8xi1>
  // CHECK: tile.print "nothing"
  tile.print "nothing"
  // CHECK: tile.print "x" hex : %{{.*}}, %{{.*}} signed [true, false] : tensor<4x8xi32>, i32
  tile.print "x" hex : %x, %n signed [true, false] : tensor<4x8xi32>, i32
  // CHECK: tile.barrier
  tile.barrier
  return
}

// CHECK-LABEL: func.func @targets
func.func @targets(%x: tensor<8xf32>, %n: i32) {
  // CHECK: tile.inline_asm pure "abs.f32 $0, $1;" constraints "=f,f" as "asm" %{{.*}} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tile.inline_asm pure "abs.f32 $0, $1;" constraints "=f,f" as "asm" %x : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.inline_asm "mov.u32 $0, %{{.*}};" constraints "=r" as "cuda.smid" for "ptx" : () -> i32
  %1 = tile.inline_asm "mov.u32 $0, %smid;" constraints "=r" as "cuda.smid" for "ptx" : () -> i32
  // CHECK: tile.inline_asm pure "{{.*}}" constraints "=r,=r,r,r" as "asm" pack 2 %{{.*}} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = tile.inline_asm pure "x" constraints "=r,=r,r,r" as "asm" pack 2 %x : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tile.grid_dependency wait
  tile.grid_dependency wait
  // CHECK: tile.grid_dependency release
  tile.grid_dependency release
  return
}

// CHECK-LABEL: func.func @descriptor_blocks
func.func @descriptor_blocks(%p: !tile.ptr<f32>, %m: i64, %n: i64) {
  // CHECK: %[[D:.*]] = tile.make_descriptor %arg0 sizes[%arg1, %arg2] strides[%arg2, %{{.*}}] : !tile.descriptor<8x16xf32>
  %one = arith.constant 1 : i64
  %d = tile.make_descriptor %p sizes [%m, %n] strides [%n, %one] : !tile.descriptor<8x16xf32>
  // CHECK: %[[V:.*]] = tile.descriptor_load %[[D]][%arg1, %arg2] : !tile.descriptor<8x16xf32>
  %v = tile.descriptor_load %d[%m, %n] : !tile.descriptor<8x16xf32>
  // CHECK: tile.descriptor_load %[[D]][%arg1, %arg2] {cache = #tile<cache cg>, evict = #tile<evict evict_first>} : !tile.descriptor<8x16xf32>
  %w = tile.descriptor_load %d[%m, %n] {cache = #tile<cache cg>, evict = #tile<evict evict_first>} : !tile.descriptor<8x16xf32>
  // CHECK: tile.descriptor_store %[[D]][%arg2, %arg1], %[[V]] : !tile.descriptor<8x16xf32>
  tile.descriptor_store %d[%n, %m], %v : !tile.descriptor<8x16xf32>
  // CHECK: tile.descriptor_reduce fadd %[[D]][%arg1, %arg1], %{{.*}} : !tile.descriptor<8x16xf32>
  tile.descriptor_reduce fadd %d[%m, %m], %w : !tile.descriptor<8x16xf32>
  return
}

// CHECK-LABEL: func.func @descriptor_rows
func.func @descriptor_rows(%d: !tile.descriptor<1x16xf16, nan>, %rows: tensor<4xi64>, %column: i64) {
  // CHECK: %[[V:.*]] = tile.descriptor_gather %arg0[%arg1, %arg2] : !tile.descriptor<1x16xf16, nan> -> tensor<4x16xf16>
  %v = tile.descriptor_gather %d[%rows, %column] : !tile.descriptor<1x16xf16, nan> -> tensor<4x16xf16>
  // CHECK: tile.descriptor_scatter %arg0[%arg1, %arg2], %[[V]] : !tile.descriptor<1x16xf16, nan>, tensor<4x16xf16>
  tile.descriptor_scatter %d[%rows, %column], %v : !tile.descriptor<1x16xf16, nan>, tensor<4x16xf16>
  return
}

// CHECK-LABEL: func.func private @descriptor_types(!tile.descriptor<16xi8>, !tile.descriptor<4x!tile.ptr<f32>>, !tile.descriptor<2x16x!tile.f8E4M3B15, nan>,
// CHECK-SAME: !tile.descriptor<1x1x1x1x16xi1>)
func.func private @descriptor_types(!tile.descriptor<16xi8, zero>, !tile.descriptor<4x!tile.ptr<f32>>, !tile.descriptor<2x16x!tile.f8E4M3B15, nan>,
                         !tile.descriptor<1x1x1x1x16xi1>)

// CHECK-LABEL: func.func @descriptor_fields
func.func @descriptor_fields(%d: !tile.descriptor<4x8xi32>) -> (i64, i64) {
  // CHECK: tile.descriptor_size %{{.*}} axis 1 : !tile.descriptor<4x8xi32>
  %0 = tile.descriptor_size %d axis 1 : !tile.descriptor<4x8xi32>
  // CHECK: tile.descriptor_stride %{{.*}} axis 0 : !tile.descriptor<4x8xi32>
  %1 = tile.descriptor_stride %d axis 0 : !tile.descriptor<4x8xi32>
  return %0, %1 : i64, i64
}

// CHECK-LABEL: func.func @debug_events
func.func @debug_events(%x: tensor<8xf32>) {
  // CHECK: tile.debug_event {{ *}}enter "k" ""
  tile.debug_event enter "k" ""
  // CHECK-NEXT: tile.debug_event {{ *}}statement "" ""
  tile.debug_event statement "" ""
  // CHECK-NEXT: tile.debug_event {{ *}}assign "x" "float32" : %arg0 : tensor<8xf32>
  tile.debug_event assign "x" "float32" : %x : tensor<8xf32>
  // CHECK-NEXT: tile.debug_event {{ *}}assign "N" "4"
  tile.debug_event assign "N" "4"
  // CHECK-NEXT: tile.debug_event {{ *}}break "" ""
  tile.debug_event break "" ""
  // CHECK-NEXT: tile.debug_event {{ *}}leave "k" ""
  tile.debug_event leave "k" ""
  return
}
