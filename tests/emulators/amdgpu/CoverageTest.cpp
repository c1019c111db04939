// Every row of the instruction table has a test of what it computes.
#include "emulators/amdgpu/Program.h"
#include "tests/emulators/amdgpu/Cases.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

#include <set>

namespace tilerun::amdsim::tests {
namespace {

// Rows whose meaning shows in whole kernels only: control flow, waits, and what has no effect here.
const char *const inKernels[] = {
    "s_branch",
    "s_cbranch_scc0",
    "s_cbranch_scc1",
    "s_cbranch_vccz",
    "s_cbranch_vccnz",
    "s_cbranch_execz",
    "s_cbranch_execnz",
    "s_getpc_b64",
    "s_setpc_b64",
    "s_swappc_b64",
    "s_call_b64",
    "s_endpgm",
    "global_inv",
    "global_wb",
    "s_trap",
    "s_waitcnt",
    "s_waitcnt_vscnt",
    "s_wait_loadcnt",
    "s_wait_dscnt",
    "s_wait_kmcnt",
    "s_wait_idle",
    "s_wait_loadcnt_dscnt",
    "s_barrier",
    "s_barrier_signal",
    "s_wait_storecnt_dscnt",
    "s_barrier_wait",
    "s_getreg_b32",
    "s_round_mode",
    "s_denorm_mode",
    "s_sendmsg",
    "s_setprio",
    "s_icache_inv",
    "s_memtime",
    "s_memrealtime",
    "s_sendmsg_rtn_b32",
    "s_sendmsg_rtn_b64",
    // Of registers' halves alone, which the assembler of the tests does not take.
    "v_mov_b16",
    // Steps of divisions, which are compared with the host's.
    "v_div_scale_f32",
    "v_div_fmas_f32",
    "v_div_fixup_f32",
    "v_div_scale_f64",
    "v_div_fmas_f64",
    "v_div_fixup_f64",
    "v_div_fixup_f16",
};

std::set<unsigned> rowsOf(const std::vector<std::string> &texts) {
  std::set<unsigned> rows;
  for (const std::string &text : texts) {
    llvm::SmallVector<llvm::StringRef, 8> lines, halves;
    llvm::StringRef(text).split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines) {
      std::deque<Instruction> seconds;
      std::deque<Dpp> permutations;
      DecodeContext context = {64, Generation::gfx9, &seconds, &permutations};
      Instruction inst;
      // The row is known before the operands, some of which are those of another generation.
      llvm::consumeError(decodeText(line, context, inst));
      if (inst.row)
        rows.insert(inst.rowIndex);
    }
  }
  return rows;
}

TEST(AmdsimCoverage, EveryRowHasATest) {
  std::vector<std::string> texts;
  for (const Case &c : allCases())
    texts.push_back(c.text);
  for (const auto &list :
       {scalarTexts(), comparisonTexts(), memoryTexts(), atomicTexts(), matrixTexts()})
    texts.insert(texts.end(), list.begin(), list.end());
  std::set<unsigned> tested = rowsOf(texts);
  for (const char *name : inKernels) {
    uint16_t index = 0;
    ASSERT_NE(findRow(name, &index), nullptr) << name;
    EXPECT_FALSE(tested.contains(index)) << name << " has a case, so that it needs no exception";
    tested.insert(index);
  }
  for (unsigned index = 0; index < rowCount(); ++index)
    EXPECT_TRUE(tested.contains(index)) << rowAt(index).spellings << " has no test";
}

} // namespace
} // namespace tilerun::amdsim::tests
