// Decoding of text: what an operand or modifier becomes, and errors for what the table does not
// have.
#include "emulators/amdgpu/Program.h"

#include <gtest/gtest.h>

#include <set>

namespace tilerun::amdsim::tests {
namespace {

struct Decoded {
  std::deque<Instruction> seconds;
  std::deque<Dpp> permutations;
  Instruction inst;
  std::string error;
};

std::unique_ptr<Decoded> decode(const char *text, unsigned lanes = 64,
                                Generation generation = Generation::gfx9) {
  auto result = std::make_unique<Decoded>();
  DecodeContext context = {lanes, generation, &result->seconds, &result->permutations};
  if (llvm::Error error = decodeText(text, context, result->inst))
    result->error = llvm::toString(std::move(error));
  return result;
}

TEST(AmdsimDecode, RegistersAndConstants) {
  auto d = decode("v_fma_f32 v5, -v1, |s7|, 1.0");
  ASSERT_EQ(d->error, "");
  EXPECT_EQ(d->inst.dst[0].reg, 5);
  EXPECT_EQ(d->inst.sources, 3);
  EXPECT_TRUE(d->inst.src[0].isNegated);
  EXPECT_FALSE(d->inst.src[0].isPlain);
  EXPECT_TRUE(d->inst.src[1].isAbsolute);
  EXPECT_EQ(d->inst.src[1].place, Operand::sgpr);
  EXPECT_EQ(d->inst.src[2].value, 0x3f800000u);
  EXPECT_EQ(decode("v_add_f64 v[2:3], v[4:5], 0.5")->inst.src[1].value, 0x3fe0000000000000u);
  EXPECT_EQ(decode("v_add_f64 v[2:3], v[4:5], 0x40100000")->inst.src[1].value, 0x4010000000000000u);
  EXPECT_EQ(decode("v_add_f16_e32 v2, 2.0, v4")->inst.src[0].value, 0x4000u);
  EXPECT_EQ(decode("v_add_u32_e32 v2, -1, v4")->inst.src[0].value, ~uint64_t(0));
  EXPECT_EQ(decode("v_accvgpr_read_b32 v2, a9")->inst.src[0].reg, agprBase + 9);
  EXPECT_EQ(decode("s_mov_b64 vcc, exec")->inst.dst[0].reg, sgprVcc);
}

TEST(AmdsimDecode, Modifiers) {
  auto d = decode("v_add_f32_e64 v0, v1, v2 clamp");
  EXPECT_EQ(d->error, "");
  EXPECT_TRUE(d->inst.flags & clamp);
  EXPECT_FALSE(d->inst.dst[0].isPlain);
  d = decode("v_pk_fma_f16 v0, v1, v2, v3 op_sel:[0,1,0] op_sel_hi:[1,0,1] neg_lo:[0,0,1]");
  EXPECT_EQ(d->error, "");
  EXPECT_EQ(d->inst.src[0].select, 2);
  EXPECT_TRUE(d->inst.src[0].isPlain);
  EXPECT_EQ(d->inst.src[1].select, 1);
  EXPECT_TRUE(d->inst.src[2].isNegated);
  d = decode("v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0x5 bound_ctrl:1");
  EXPECT_EQ(d->error, "");
  ASSERT_NE(d->inst.dpp, nullptr);
  EXPECT_EQ(d->inst.dpp->from[4], 5);
  EXPECT_EQ(d->inst.dpp->bankMask, 5);
  EXPECT_TRUE(d->inst.dpp->readsZero);
  d = decode("v_add_u32_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 "
             "src1_sel:WORD_0");
  EXPECT_EQ(d->error, "");
  EXPECT_EQ(d->inst.dstSelect, 5);
  EXPECT_EQ(d->inst.dstUnused, 2);
  EXPECT_EQ(d->inst.src[0].sdwa, 2);
  EXPECT_EQ(d->inst.src[1].sdwa, 4);
  d = decode("ds_read2_b64 v[0:3], v4 offset0:3 offset1:9");
  EXPECT_EQ(d->error, "");
  EXPECT_EQ(d->inst.offset0, 3);
  EXPECT_EQ(d->inst.offset1, 9);
  d = decode("s_waitcnt vmcnt(3) lgkmcnt(0)");
  EXPECT_EQ(d->inst.offset0, 3);
  EXPECT_EQ(d->inst.offset1, 0);
}

TEST(AmdsimDecode, PermutationsOfLanes) {
  auto from = [](const char *control, unsigned lane, unsigned lanes = 64) {
    std::string text =
        std::string("v_mov_b32_dpp v0, v1 ") + control + " row_mask:0xf bank_mask:0xf";
    auto d = decode(text.c_str(), lanes);
    EXPECT_EQ(d->error, "");
    return d->inst.dpp ? int(d->inst.dpp->from[lane]) : -2;
  };
  EXPECT_EQ(from("row_shl:1", 3), 4);
  EXPECT_EQ(from("row_shl:1", 15), -1);
  EXPECT_EQ(from("row_shr:2", 17), -1);
  EXPECT_EQ(from("row_shr:2", 18), 16);
  EXPECT_EQ(from("row_ror:4", 16), 28);
  EXPECT_EQ(from("row_mirror", 16), 31);
  EXPECT_EQ(from("row_half_mirror", 9), 14);
  EXPECT_EQ(from("row_bcast:15", 20), 15);
  EXPECT_EQ(from("row_bcast:31", 40), 31);
  EXPECT_EQ(from("row_newbcast:3", 40), 35);
  EXPECT_EQ(from("wave_shl:1", 63), -1);
  EXPECT_EQ(from("wave_ror:1", 0), 63);
  EXPECT_EQ(from("row_xmask:5", 18, 32), 23);
  EXPECT_EQ(from("dpp8:[7,6,5,4,3,2,1,0]", 10, 32), 13);
}

TEST(AmdsimDecode, Pairs) {
  auto d =
      decode("v_dual_fmac_f32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5", 32, Generation::gfx11);
  ASSERT_EQ(d->error, "");
  ASSERT_NE(d->inst.second, nullptr);
  EXPECT_EQ(d->inst.second->sources, 3); // with VCC
  EXPECT_EQ(d->inst.second->src[2].reg, sgprVcc);
}

TEST(AmdsimDecode, AccumulatorsTakeTheDestinationsHalf) {
  auto d = decode("v_fmac_f16_e64 v5.h, v1.h, v2.l op_sel:[1,0,0,1]", 32, Generation::gfx11);
  ASSERT_EQ(d->error, "");
  EXPECT_TRUE(d->inst.writesHigh);
  EXPECT_EQ(d->inst.src[0].select, 1);
  EXPECT_EQ(d->inst.src[1].select, 0);
  EXPECT_EQ(d->inst.src[2].reg, 5);
  EXPECT_EQ(d->inst.src[2].select, 1);
  d = decode("v_fmac_f16_e64 v5.l, v1.h, v2.l op_sel:[1,0,0,0]", 32, Generation::gfx11);
  EXPECT_FALSE(d->inst.writesHigh);
  EXPECT_EQ(d->inst.src[2].select, 0);
  d = decode("v_fmac_f16_e32 v5.h, v1.l, v2.l", 32, Generation::gfx11);
  EXPECT_TRUE(d->inst.writesHigh);
  EXPECT_EQ(d->inst.src[2].select, 1);
}

TEST(AmdsimDecode, AtomicOperationsThatReturn) {
  for (const char *policy : {"th:TH_ATOMIC_RETURN", "th:TH_ATOMIC_NT_RETURN"}) {
    std::string text = std::string("buffer_atomic_add_u32 v5, off, s[8:11], s3 ") + policy;
    EXPECT_TRUE(decode(text.c_str(), 32, Generation::gfx12)->inst.flags & hasReturn) << policy;
  }
  auto d =
      decode("buffer_atomic_add_u32 v5, off, s[8:11], s3 th:TH_ATOMIC_NT", 32, Generation::gfx12);
  EXPECT_EQ(d->error, "");
  EXPECT_FALSE(d->inst.flags & hasReturn);
}

TEST(AmdsimDecode, Errors) {
  EXPECT_EQ(decode("v_add_u32_e64 v0, v1, v2 mul:2")->error,
            "output modifier 'mul:2' is not supported for this instruction");
  EXPECT_EQ(decode("v_dot4_i32_i8 v0, v1, v2, v3 neg_lo:[1,0,0]")->error,
            "'neg_lo' is not supported for this instruction");
  EXPECT_EQ(decode("v_pk_add_u16 v0, v1, v2 neg_hi:[0,1]")->error,
            "'neg_hi' is not supported for this instruction");

  EXPECT_EQ(decode("v_frobnicate_b32 v0, v1")->error, "unknown instruction");
  EXPECT_EQ(decode("v_add_f32_e32 v0, v1")->error, "2 operands where the instruction table has 3");
  EXPECT_EQ(decode("v_add_f32_e32 v0, v1, q2")->error, "operand 'q2' is not known");
  EXPECT_EQ(decode("v_add_f32_e32 v0, v1, v[2:3]")->error,
            "operand 'v[2:3]' has 2 registers where the instruction table has 1");
  EXPECT_EQ(decode("v_add_f32_e64 v0, v1, v2 sparkle:1")->error,
            "modifier 'sparkle:1' is not known");
  EXPECT_EQ(decode("v_add_f32_e32 v0, v1, v[")->error, "operand 'v[' is not known");
  EXPECT_EQ(decode("s_getreg_b32 s0, hwreg(")->error, "operand 'hwreg(' is not known");
  EXPECT_EQ(decode("s_waitcnt s5")->error, "'s5' is not a count to wait for");
  EXPECT_EQ(decode("v_mul_lo_u32 v0, v1, v2 clamp")->error,
            "'clamp' is not supported for this instruction");
}

// Halves of what has none in the table would be read as whole registers.
TEST(AmdsimDecode, HalvesOfWholeRegistersAreRefused) {
  const char *source = "a high half of this operand is not supported";
  const char *result = "a high half of the result is not supported";
  EXPECT_EQ(decode("v_alignbit_b32 v0, v1, v2, v3.h", 32, Generation::gfx11)->error, source);
  EXPECT_EQ(decode("v_alignbit_b32 v0, v1, v2, v3.l", 32, Generation::gfx11)->error, "");
  EXPECT_EQ(decode("v_add_u32_e64 v0, v1, v2 op_sel:[1,0,0]")->error, source);
  EXPECT_EQ(decode("v_add_u32_e64 v0, v1, v2 op_sel:[0,0,1]")->error, result);
  EXPECT_EQ(decode("v_mad_u32_u16 v0, v1, v2, v3 op_sel:[1,1,0,0]")->error, "");
  EXPECT_EQ(decode("v_mad_u32_u16 v0, v1, v2, v3 op_sel:[0,0,1,0]")->error, source);
  EXPECT_EQ(decode("v_mad_u32_u16 v0, v1, v2, v3 op_sel:[0,0,0,1]")->error, result);
  // These take op_sel in a way of their own.
  EXPECT_EQ(decode("v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,1]")->error, "");
  EXPECT_EQ(decode("v_fma_mix_f32 v0, v1, v2, v3 op_sel:[1,0,0] op_sel_hi:[1,0,0]")->error, "");
  EXPECT_EQ(decode("v_permlane16_b32 v0, v1, s2, s3 op_sel:[1,1]", 32, Generation::gfx11)->error,
            "");
}

TEST(AmdsimDecode, RowsAreConsistent) {
  std::set<std::string> seen;
  for (unsigned index = 0; index < rowCount(); ++index) {
    const OpcodeRow &row = rowAt(index);
    ASSERT_NE(row.run, nullptr) << row.spellings;
    llvm::SmallVector<llvm::StringRef, 8> spellings;
    llvm::StringRef(row.spellings).split(spellings, '|');
    for (llvm::StringRef spelling : spellings) {
      EXPECT_TRUE(seen.insert(spelling.str()).second) << spelling.str() << " is in the table twice";
      EXPECT_EQ(findRow(spelling), &row);
    }
    if (row.results)
      EXPECT_NE(row.types[row.results - 1], Type::none) << row.spellings;
  }
}

} // namespace
} // namespace tilerun::amdsim::tests
