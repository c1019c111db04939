// Each kind of finding names its place: kernel, program, wave, lane, instruction and source line.
#include "tests/emulators/amdgpu/TestKernels.h"

#include <gmock/gmock.h>

#include <set>

namespace tilerun::amdsim::tests {
namespace {

struct FindingCase {
  FindingKind kind;
  std::string body;
  bool isOfAllWaves = false;
};

// Alone in program (1, 0, 0), in wave 1 unless both are to meet, with lanes from 5 on; s[6:7] is a
// buffer of 1 KiB, v1 the offset of a thread's word.
Source kernelOf(const FindingCase &c) {
  std::string body = "s_cmp_eq_u32 s2, 0\ns_cbranch_scc1 end\ns_load_dwordx4 s[4:7], s[0:1], 0x0\n"
                     "s_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\n";
  if (!c.isOfAllWaves)
    body += "v_readfirstlane_b32 s9, v0\ns_cmp_lt_u32 s9, 64\ns_cbranch_scc1 end\n";
  return {.name = "some_kernel",
          .body = body + "s_not_b64 exec, 31\n" + c.body + "\nend:",
          .ldsBytes = 512};
}

const FindingCase findingCases[] = {
    {FindingKind::unknownInstruction, "v_cubeid_f32 v1, v0, v0, v0"},
    {FindingKind::unsupported, "s_getreg_b32 s4, hwreg(HW_REG_STATUS)"},
    {FindingKind::outOfBounds, "global_store_dword v1, v1, s[6:7] offset:896"},
    {FindingKind::misaligned, "global_atomic_add v1, v1, s[6:7] offset:2"},
    {FindingKind::undefinedValue, "global_store_dword v1, v2, s[6:7]"},
    {FindingKind::undefinedValue, "s_cmp_eq_u32 s20, 0\ns_cbranch_scc1 end"},
    {FindingKind::undefinedValue, "v_readlane_b32 s10, v0, s20"},
    {FindingKind::missingWait, "global_load_dword v2, v1, s[6:7]\nv_mov_b32 v3, v2"},
    {FindingKind::missingWait, "s_load_dword s10, s[6:7], 0x0\nv_mov_b32 v3, s10"},
    {FindingKind::missingWait, "s_load_dword s10, s[6:7], 0x0\ns_mov_b32 s11, s10"},
    {FindingKind::ldsBounds, "ds_write_b32 v1, v1 offset:512"},
    {FindingKind::ldsUndefined, "ds_add_u32 v1, v1"},
    {FindingKind::ldsRace, "v_mov_b32 v2, 0\nds_write_b32 v2, v1", true},
    {FindingKind::barrier, "s_barrier"},
    {FindingKind::readOnly, "v_mov_b32 v2, 0\nglobal_store_dword v2, v2, s[0:1]"},
    {FindingKind::trap, "s_trap 2"},
    {FindingKind::endless, "again:\ns_branch again"},
};

LaunchResult run(const FindingCase &c) {
  Loaded loaded = load("gfx942", assemble("gfx942", {kernelOf(c)}));
  uint64_t buffer = upload(*loaded.device, std::vector<uint32_t>(256, 0));
  return loaded.run("some_kernel", buffer, buffer,
                    {.grid = {2, 1, 1}, .threads = {128, 1, 1}, .mostInstructions = 10000});
}

TEST(AmdsimFindings, NameTheirPlace) {
  std::set<FindingKind> kinds;
  for (const FindingCase &c : findingCases) {
    LaunchResult result = run(c);
    ASSERT_EQ(result.findings.size(), 1u) << c.body << "\n" << messages(result);
    const Finding &finding = result.findings[0];
    EXPECT_EQ(finding.kind, c.kind) << messages(result);
    EXPECT_EQ(finding.lane, 5) << messages(result);
    std::string wave = c.isOfAllWaves ? "[01]" : "1";
    EXPECT_THAT(finding.message(),
                testing::ContainsRegex(
                    "^kernel 'some_kernel', program \\(1, 0, 0\\), wave " + wave +
                    ", lane 5, \\+0x[0-9a-f]+ '[sdvg][^']*', [^ ]*:[0-9]+: " + findingName(c.kind) +
                    ": "));
    kinds.insert(c.kind);
  }
  for (unsigned kind = 0; kind <= unsigned(FindingKind::endless); ++kind)
    EXPECT_TRUE(kinds.contains(FindingKind(kind))) << findingName(FindingKind(kind));
}

TEST(AmdsimFindings, WithoutLanes) {
  LaunchResult result = run({FindingKind::trap, "s_mov_b64 exec, 0\ns_trap 2"});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_THAT(result.findings[0].message(), testing::HasSubstr("wave 1, all lanes off, +0x"));
}

} // namespace
} // namespace tilerun::amdsim::tests
