// A loop of products with roles, as attributes: a producer of four warps copies, four warps multiply by warp groups.
// RUN: tile-nvptx %s --arch=sm_90a > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=PRODUCER --input-file=%t.ptx
// RUN: FileCheck %s --check-prefix=CONSUMER --input-file=%t.ptx
// RUN: not tile-nvptx %s --arch=sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: 'scf.for' op cannot follow its schedule: it has roles, but cuda:sm_80 has none: they need phase barriers, barriers of some of the warps, and asynchronous copies

// CHECK: .reqntid 256
// One thread of each warp arrives for it; everybody waits until phases are initialized.
// CHECK-COUNT-8: mbarrier.init.shared.b64 [%{{.*}}], 4;
// CHECK: bar{{.*}}.sync{{.*}} 0;

// The producer: two slots may be in flight when the third one is published.
// PRODUCER: mbarrier.try_wait.parity
// PRODUCER: cp.async.{{.*}} 16
// PRODUCER: cp.async.commit_group;
// PRODUCER: cp.async.wait_group 2;
// PRODUCER: fence.proxy.async
// PRODUCER: bar.warp.sync
// PRODUCER: mbarrier.arrive
// The rest is published after the loop.
// PRODUCER: cp.async.wait_group 2;
// PRODUCER: cp.async.wait_group 2;

// The consumer: products of one iteration run on into the next one, which releases their slot.
// CONSUMER: mbarrier.try_wait.parity
// CONSUMER: wgmma.mma_async
// CONSUMER: wgmma.wait_group.sync.aligned 1;
// CONSUMER: mbarrier.arrive
// Nobody waits for the last slot; an arrival for it here, if there was an iteration, keeps ptxas from overlapping products.
// CONSUMER-NOT: mbarrier.arrive
// CONSUMER: wgmma.wait_group.sync.aligned 0;
// CONSUMER-NOT: mbarrier.arrive
// CONSUMER: st.global
func.func @k(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %size = arith.constant 4096 : i32
  %init = arith.constant dense<0.0> : tensor<64x64xf32>
  %lines = arith.constant dense<64> : tensor<64x1xi32>
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %column = tile.expand_dims %range axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %starts = arith.muli %column, %lines : tensor<64x1xi32>
  %starts2 = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %row2 = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %starts2, %row2 : tensor<64x64xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> (tensor<64x64xf32>) : i32 {
    %at = arith.muli %i, %size : i32
    %p = tile.addptr %x, %at : !tile.ptr<f16>, i32
    %q = tile.addptr %y, %at : !tile.ptr<f16>, i32
    %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %qs = tile.splat %q : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %pa = tile.addptr %ps, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %pb = tile.addptr %qs, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %a = tile.load %pa {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<64x64x!tile.ptr<f16>>
    %b = tile.load %pb {sched.ring = #sched.ring<order = swizzled, inner = 1>} : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc {sched.deferred} : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {sched.by_hand, sched.pipeline = #sched.pipeline<slots = 4, distance = 3, copies = chunks>, sched.role = #sched.role<producers = 4>}
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %po = tile.addptr %os, %offsets : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %po, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
