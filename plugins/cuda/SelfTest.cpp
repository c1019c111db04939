// The self-test kernels of the ABI in PTX, by which a device is tested without a compiler. With a
// limit of registers, so that the driver may link them (Link.cpp).
#include "plugins/cuda/Device.h"
#include "plugins/support/SelfTests.h"

using namespace cuda;

static constexpr const char *kPtx = R"(.version 6.3
.target sm_70
.address_size 64

.visible .entry tilerun_test_add(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n)
.maxnreg 64
{
  .reg .u32 %r<8>;
  .reg .u64 %p<8>;
  .reg .pred %q;
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %q, %r4, %r0;
  @%q ret;
  ld.param.u64 %p0, [out];
  ld.param.u64 %p1, [a];
  ld.param.u64 %p2, [b];
  mul.wide.u32 %p3, %r4, 4;
  add.u64 %p0, %p0, %p3;
  add.u64 %p1, %p1, %p3;
  add.u64 %p2, %p2, %p3;
  ld.global.u32 %r5, [%p1];
  ld.global.u32 %r6, [%p2];
  add.u32 %r7, %r5, %r6;
  st.global.u32 [%p0], %r7;
  ret;
}

.visible .entry tilerun_test_arguments(.param .u64 out, .param .u8 i8, .param .u16 i16,
    .param .u32 i32, .param .u64 i64, .param .b16 f16, .param .b32 f32, .param .b64 f64)
.maxnreg 64
{
  .reg .u64 %p<8>;
  .reg .u16 %h<2>;
  .reg .u32 %r<2>;
  ld.param.u64 %p0, [out];
  ld.param.u8 %h0, [i8];
  cvt.u64.u16 %p1, %h0;
  st.global.u64 [%p0], %p1;
  ld.param.u16 %h1, [i16];
  cvt.u64.u16 %p2, %h1;
  st.global.u64 [%p0 + 8], %p2;
  ld.param.u32 %r0, [i32];
  cvt.u64.u32 %p3, %r0;
  st.global.u64 [%p0 + 16], %p3;
  ld.param.u64 %p4, [i64];
  st.global.u64 [%p0 + 24], %p4;
  ld.param.u16 %h1, [f16];
  cvt.u64.u16 %p5, %h1;
  st.global.u64 [%p0 + 32], %p5;
  ld.param.u32 %r1, [f32];
  cvt.u64.u32 %p6, %r1;
  st.global.u64 [%p0 + 40], %p6;
  ld.param.u64 %p7, [f64];
  st.global.u64 [%p0 + 48], %p7;
  ret;
}

.visible .entry tilerun_test_grid(.param .u64 out)
.maxnreg 64
{
  .reg .u32 %r<8>;
  .reg .u64 %p<2>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ctaid.y;
  mov.u32 %r2, %ctaid.z;
  mov.u32 %r3, %nctaid.x;
  mov.u32 %r4, %nctaid.y;
  mad.lo.u32 %r5, %r2, %r4, %r1;
  mad.lo.u32 %r5, %r5, %r3, %r0;
  mad.lo.u32 %r6, %r1, 1024, %r0;
  mad.lo.u32 %r6, %r2, 1048576, %r6;
  ld.param.u64 %p0, [out];
  mul.wide.u32 %p1, %r5, 4;
  add.u64 %p0, %p0, %p1;
  st.global.u32 [%p0], %r6;
  ret;
}

.visible .entry tilerun_test_delay(.param .u64 out, .param .u64 ns)
.maxnreg 64
{
  .reg .u64 %p<6>;
  .reg .u32 %r<2>;
  .reg .pred %q;
  ld.param.u64 %p0, [out];
  ld.param.u64 %p1, [ns];
  mov.u64 %p2, %globaltimer;
wait:
  mov.u64 %p3, %globaltimer;
  sub.u64 %p4, %p3, %p2;
  setp.lt.u64 %q, %p4, %p1;
  @%q bra wait;
  ld.global.u32 %r0, [%p0];
  add.u32 %r1, %r0, 1;
  st.global.u32 [%p0], %r1;
  ret;
}

.visible .entry tilerun_test_fault(.param .u64 address)
.maxnreg 64
{
  .reg .u64 %p0;
  .reg .u32 %r0;
  ld.param.u64 %p0, [address];
  mov.u32 %r0, 1;
  st.global.u32 [%p0], %r0;
  ret;
}

.visible .entry tilerun_test_persistent(.param .u64 out, .param .u32 n,
    .param .align 8 .b8 words[32])
.maxnreg 64
{
  .reg .u64 %p<6>;
  .reg .u32 %r<3>;
  .reg .pred %q;
  ld.param.u64 %p0, [out];
  ld.param.u64 %p1, [words + 24];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %nctaid.x;
  add.u32 %r2, %r0, 1;
  cvt.u64.u32 %p2, %r0;
  cvt.u64.u32 %p3, %r1;
next:
  setp.ge.u64 %q, %p2, %p1;
  @%q ret;
  shl.b64 %p4, %p2, 2;
  add.u64 %p5, %p0, %p4;
  st.global.u32 [%p5], %r2;
  add.u64 %p2, %p2, %p3;
  bra next;
}
)";

static constexpr const char *kClusterPtx = R"(.version 7.8
.target sm_90
.address_size 64

.visible .entry tilerun_test_cluster(.param .u64 out)
.maxnreg 64
{
  .reg .u32 %r<2>;
  .reg .u64 %p<2>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %cluster_ctaid.x;
  ld.param.u64 %p0, [out];
  mul.wide.u32 %p1, %r0, 4;
  add.u64 %p0, %p0, %p1;
  st.global.u32 [%p0], %r1;
  ret;
}
)";

void cuda::addSelfTestEntries(TilerunPlugin &table) {
  table.get_self_test = [](const char *name, const TilerunPluginArtifact **artifact,
                           const TilerunErrorSink *sink) {
    auto getCode = [](int kernel) -> std::pair<const char *, const char *> {
      // Clusters need an architecture that has them.
      if (kSelfTests[kernel].name == std::string_view("tilerun_test_cluster"))
        return {kClusterPtx, "cuda:ptx-7.8:sm_90"};
      return {kPtx, "cuda:ptx-6.3:sm_70"};
    };
    return giveSelfTest("cuda", name, getCode, artifact, sink);
  };
}
