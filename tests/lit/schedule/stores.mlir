// schedule-stores on text, for a target that no vendor makes: the store of a product by copies of boxes, in a kernel that is
// persistent or not.
// RUN: tile-opt %s --target=generic:shared=160k,async=on,roles=on,box-copies=on --tile-distribute --schedule-stages=boxes=on --schedule-roles --schedule-persist=persistent=on --schedule-stores --schedule-allocate | FileCheck %s --check-prefix=SCHEDULE --implicit-check-not=tile.store
// SCHEDULE: %[[BUFFER:.*]] = sched.store_buffer : <tensor<32x32xf32>, 1>
// SCHEDULE: scf.for
// SCHEDULE: sched.store_box %{{.*}} -> %[[BUFFER]] -> [%{{.*}}, %{{.*}}] {tensor = #sched.box<base = 2, element = f32
// RUN: tile-opt %s --target=generic:shared=160k,async=on,roles=on,box-copies=on --tile-distribute --schedule-stages=boxes=on --schedule-roles --schedule-persist=persistent=on --schedule-stores --schedule-allocate --schedule-expand | FileCheck %s --check-prefix=EXPAND
// EXPAND: %[[BUFFER:.*]] = sched.store_buffer
// EXPAND: sched.role {{ *}}consumer
// EXPAND: sched.store_box %{{[^ ]*}} -> %[[BUFFER]]
// EXPAND: sched.store_wait %[[BUFFER]]
// RUN: tile-opt %s --target=generic:shared=160k,async=on,roles=on,box-copies=on --tile-distribute --schedule-stages=boxes=on --schedule-roles --schedule-persist=persistent=off --schedule-stores --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=store_b --implicit-check-not=store-
// RUN: tile-opt %s --target=generic:shared=160k,async=on,roles=on,box-copies=on --tile-distribute --schedule-stages=boxes=on --schedule-roles --schedule-persist=persistent=on --schedule-stores=stores=off --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=store_b --implicit-check-not=store-
// PLAIN: tile.store
// RUN: tile-opt %s --target=generic:shared=160k,async=on,roles=on,box-copies=on --tile-distribute --schedule-stages=boxes=on --schedule-roles --schedule-persist=persistent=off --schedule-stores=stores=on --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=store_b --implicit-check-not=store-
// RUN: tile-opt %s --target=generic:shared=160k,async=on,roles=on --tile-distribute --schedule-stages --schedule-roles --schedule-stores=stores=on --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=PLAIN --implicit-check-not=store_b --implicit-check-not=store-
// RUN: not tile-opt %s --target=generic: --tile-distribute --schedule-stores=stores=yes 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: error: 'yes' is not a choice of async-stores; use 'auto', 'off' or 'on'

func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %z: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 1024 : i32
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %lines = arith.constant dense<32> : tensor<32x1xi32>
  %range = tile.make_range 0 to 32 : tensor<32xi32>
  %column = tile.expand_dims %range axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %starts = arith.muli %column, %lines : tensor<32x1xi32>
  %starts2 = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %row2 = tile.broadcast %row : tensor<1x32xi32> -> tensor<32x32xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<32x32xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<32x32xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %p = tile.addptr %x, %at : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %at : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %pb = tile.addptr %qs, %offsets : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %a = tile.load %pa : tensor<32x32x!tile.ptr<f16>>
    %b = tile.load %pb : tensor<32x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %d : tensor<32x32xf32>
  }
  %id = tile.program_id 0
  %here = arith.muli %id, %size : i32
  %o = tile.addptr %z, %here : !tile.ptr<f32>, i32
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %po = tile.addptr %os, %offsets : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  tile.store %po, %r : tensor<32x32x!tile.ptr<f32>>
  return
}
