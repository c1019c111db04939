// Loops with a schedule become prologue, loop and epilogue: by asynchronous copies, through registers with two slots and
// with one, with products that run on into the next iteration.
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand | FileCheck %s --check-prefix=CHUNKS
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand | FileCheck %s --check-prefix=REGISTERS
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=6k --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k --num-stages=1 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand | FileCheck %s --check-prefix=NONE
// A kernel that is expanded already stays as it is.
// RUN: tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on --num-stages=3 --tile-distribute --schedule-stages --schedule-allocate --schedule-expand | tile-opt --schedule-expand | FileCheck %s --check-prefix=CHUNKS
// RUN: not tile-opt %S/Inputs/product.mlir --schedule-expand 2>&1 | FileCheck %s --check-prefix=TARGET

// CHUNKS: func.func @k({{.*}}sched.expanded, tile.kernel
// The sum's first value is in its layout before anything is copied.
// CHUNKS: %[[INIT:.*]] = sched.keep {{.*}} : tensor<32x32xf32>
// CHUNKS: %[[CHANNEL:.*]] = sched.channel : <slots = 3, copies = chunks>
// CHUNKS: %[[A:.*]] = sched.ring %[[CHANNEL]] : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
// CHUNKS: %[[B:.*]] = sched.ring %[[CHANNEL]] : <slots = 3, copies = chunks> -> <3 of tensor<32x32xf16>, <order = swizzled, inner = 1>>
// CHUNKS: %[[ANY:.*]] = arith.cmpi slt, %[[ZERO:.*]], %[[N:.*]] : i32
// CHUNKS: sched.ahead {
// CHUNKS: sched.acquire %[[CHANNEL]][%[[SLOT0:.*]]]
// CHUNKS: sched.copy {{.*}} when %[[ANY]] -> %[[A]][%[[SLOT0]]] {distribute.access
// CHUNKS: sched.copy {{.*}} when %[[ANY]] -> %[[B]][%[[SLOT0]]] {distribute.access
// CHUNKS: sched.publish %[[CHANNEL]][%[[SLOT0]]]
// CHUNKS: sched.ahead {
// CHUNKS: %[[LIMIT:.*]] = arith.select
// CHUNKS: scf.for %[[I:.*]] = %[[ZERO]] to %[[N]] step {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]], %[[READ:.*]] = %{{.*}}, %[[WRITE:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<32x32xf32>, i32, i32, i32)
// CHUNKS: %[[HAS:.*]] = arith.cmpi slt, %[[I]], %[[LIMIT]]
// CHUNKS: sched.await %[[CHANNEL]][%[[READ]]] pending 1
// CHUNKS: sched.ahead {
// CHUNKS: sched.acquire %[[CHANNEL]][%[[WRITE]]]
// CHUNKS: sched.copy {{.*}} when %[[HAS]] -> %[[A]][%[[WRITE]]]
// CHUNKS: sched.publish %[[CHANNEL]][%[[WRITE]]]
// CHUNKS: %[[X:.*]] = sched.read %[[A]][%[[READ]]]
// CHUNKS: %[[Y:.*]] = sched.read %[[B]][%[[READ]]]
// CHUNKS-NOT: tile.load
// CHUNKS: tile.dot %[[X]], %[[Y]], %[[ACC]]
// CHUNKS: sched.release %[[CHANNEL]][%[[READ]]]
// CHUNKS: scf.yield
// CHUNKS: sched.drain %[[CHANNEL]]
// CHUNKS-NOT: func.func

// Of three iterations ahead one is in registers: two slots, filled before a barrier that the next await is.
// REGISTERS: sched.channel : <slots = 2, copies = registers>
// REGISTERS: %[[AHEAD:.*]]:2 = sched.ahead {
// REGISTERS: %[[FETCHED:.*]]:2 = sched.fetch when %{{.*}} {
// REGISTERS: tile.load
// REGISTERS: tile.load
// REGISTERS: sched.yield %{{.*}} : tensor<32x32xf16>, tensor<32x32xf16>
// REGISTERS: } : !sched.staged<tensor<32x32xf16>, #layout{{.*}}, 2>
// REGISTERS: sched.yield %[[FETCHED]]#0, %[[FETCHED]]#1
// REGISTERS: sched.acquire
// REGISTERS: sched.put %[[AHEAD]]#0 ->
// REGISTERS: sched.put %[[AHEAD]]#1 ->
// REGISTERS: sched.publish
// REGISTERS: scf.for
// REGISTERS: sched.await
// REGISTERS: sched.acquire
// REGISTERS: sched.put ahead
// REGISTERS: sched.put ahead
// REGISTERS: sched.publish
// REGISTERS: sched.ahead
// REGISTERS: sched.read
// REGISTERS: sched.drain

// ONE: sched.channel : <slots = 1, copies = registers>
// ONE: scf.for
// ONE: sched.acquire
// ONE: sched.put %
// ONE: sched.publish
// ONE: sched.await
// ONE: sched.ahead
// ONE: sched.read
// ONE: sched.release

// NONE: func.func @k({{.*}}sched.expanded, tile.kernel
// NONE-NOT: sched.ring

// Slots that are asked for, but not allocated.
// RUN: not tile-opt %S/Inputs/product.mlir --target=generic:shared=160k,async=on --tile-distribute --schedule-stages --schedule-expand 2>&1 | FileCheck %s --check-prefix=ASKED
// ASKED: error: the loops of kernel 'k' have a schedule, but no 'sched.conversions'; run schedule-allocate first

// TARGET: error: the module has no 'distribute.target'; run tile-set-target first
