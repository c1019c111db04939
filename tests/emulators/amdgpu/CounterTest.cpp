// What a launch counts: instructions by class, transactions of global memory, phases of LDS.
#include "tests/emulators/amdgpu/TestKernels.h"

namespace tilerun::amdsim::tests {
namespace {

// Counters of one wave that runs `body`; v0 is the lane, s[4:5] and s[6:7] are two arrays.
Counters count(const std::string &cpu, const std::string &body, unsigned ldsBytes = 65536) {
  bool isGfx9 = cpu.starts_with("gfx9"), isGfx12 = cpu.starts_with("gfx12");
  std::string start = std::string(isGfx9 ? "s_load_dwordx4" : "s_load_b128") +
                      " s[4:7], s[0:1], 0x0\n" +
                      (isGfx12 ? "s_wait_kmcnt 0\n" : "s_waitcnt lgkmcnt(0)\n");
  Loaded loaded = load(cpu, assemble(cpu, {{.body = start + body, .ldsBytes = ldsBytes}}));
  uint64_t in = upload(*loaded.device, std::vector<uint32_t>(16384, 7));
  uint64_t out = upload(*loaded.device, std::vector<uint32_t>(16384, 0));
  LaunchResult result =
      loaded.run("k", in, out, {.threads = {isGfx9 ? 64u : 32u, 1, 1}, .countsMemory = true});
  EXPECT_EQ(messages(result), "") << cpu << ": " << body;
  return result.counters;
}

TEST(AmdsimCounters, EveryInstructionIsOfOneClass) {
  Counters c = count("gfx942", R"(
    s_mov_b32 s8, 0
    v_lshlrev_b32 v1, 2, v0
    v_cmp_lt_u32 vcc, v0, v1
    v_readfirstlane_b32 s9, v1
    v_cvt_f32_u32 v3, v1
    v_rcp_f32 v3, v3
    v_mfma_f32_16x16x4_f32 v[4:7], v3, v3, 0
    global_load_dword v2, v1, s[4:5]
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[6:7]
    global_atomic_add v1, v2, s[6:7]
    ds_write_b32 v1, v2
    ds_add_u32 v1, v2
    ds_bpermute_b32 v2, v1, v2
    s_barrier
    s_branch next
  next:
    s_nop 0
    s_setprio 0
    s_sleep 0
  )");
  uint64_t sum = 0;
  for (unsigned kind = 0; kind < unsigned(InstructionClass::count); ++kind)
    sum += c.ofClass(InstructionClass(kind));
  EXPECT_EQ(sum, c.instructions);
  EXPECT_EQ(c.waves, 1u);
  const std::pair<InstructionClass, uint64_t> expected[] = {
      {InstructionClass::salu, 1},           {InstructionClass::valu, 4},
      {InstructionClass::transcendental, 1}, {InstructionClass::matrix, 1},
      {InstructionClass::scalarLoad, 1},     {InstructionClass::vectorLoad, 1},
      {InstructionClass::vectorStore, 1},    {InstructionClass::vectorAtomic, 1},
      {InstructionClass::privateMemory, 0},  {InstructionClass::lds, 2},
      {InstructionClass::ldsAtomic, 1},      {InstructionClass::branch, 1},
      {InstructionClass::wait, 2},           {InstructionClass::barrier, 1},
      {InstructionClass::other, 4}};
  for (auto [kind, number] : expected)
    EXPECT_EQ(c.ofClass(kind), number) << instructionClassName(kind);
  EXPECT_EQ(c.matrixFlops, 2u * 16 * 16 * 4);
}

// A pair that is issued at once is one instruction of two classes.
TEST(AmdsimCounters, Pairs) {
  Counters c = count("gfx1100", "v_mov_b32 v1, 1.0\nv_mov_b32 v2, 1.0\n"
                                "v_dual_add_f32 v3, v1, v1 :: v_dual_mul_f32 v4, v2, v2");
  EXPECT_EQ(c.ofClass(InstructionClass::valu), 4u);
  EXPECT_EQ(c.instructions, 6u); // with the load, its wait and the end
}

struct GlobalCase {
  const char *cpu, *address, *text;
  uint64_t bytes, transactions, fewest;
};

TEST(AmdsimCounters, TransactionsOfGlobalMemory) {
  const GlobalCase cases[] = {
      {"gfx942", "v_lshlrev_b32 v1, 2, v0", "global_load_dword v2, v1, s[4:5]", 256, 2, 2},
      // Bytes 4 to 259 lie in three lines.
      {"gfx942", "v_lshlrev_b32 v1, 2, v0", "global_load_dword v2, v1, s[4:5] offset:4", 256, 3, 2},
      {"gfx942", "v_lshlrev_b32 v1, 4, v0", "global_load_dwordx4 v[4:7], v1, s[4:5]", 1024, 8, 8},
      {"gfx942", "v_lshlrev_b32 v1, 7, v0", "global_load_dword v2, v1, s[4:5]", 256, 64, 2},
      // All lanes want the same word.
      {"gfx942", "v_mov_b32 v1, 0", "global_load_dword v2, v1, s[4:5]", 256, 1, 1},
      {"gfx942", "v_lshlrev_b32 v1, 1, v0", "global_load_ushort v2, v1, s[4:5]", 128, 1, 1},
      // Every other byte of 128: half a line at the least.
      {"gfx942", "v_lshlrev_b32 v1, 1, v0", "global_load_ubyte v2, v1, s[4:5]", 64, 1, 1},
      {"gfx1100", "v_lshlrev_b32 v1, 2, v0", "global_load_b32 v2, v1, s[4:5]", 128, 2, 2},
      {"gfx1201", "v_lshlrev_b32 v1, 6, v0", "global_load_b32 v2, v1, s[4:5]", 128, 32, 2},
  };
  for (const GlobalCase &g : cases) {
    Counters c = count(g.cpu, std::string(g.address) + "\n" + g.text);
    const GlobalCounts &load = c.global[0];
    EXPECT_EQ(load.accesses, 1u) << g.text;
    EXPECT_EQ(load.bytes, g.bytes) << g.text;
    EXPECT_EQ(load.transactions, g.transactions) << g.cpu << ": " << g.address << "; " << g.text;
    EXPECT_EQ(load.fewest, g.fewest) << g.cpu << ": " << g.address << "; " << g.text;
    EXPECT_EQ(c.global[1].accesses + c.global[2].accesses, 0u) << g.text;
  }
}

TEST(AmdsimCounters, LanesThatAreOffAccessNothing) {
  Counters c = count("gfx942", "v_lshlrev_b32 v1, 2, v0\ns_mov_b64 exec, 1\n"
                               "global_load_dword v2, v1, s[4:5]\ns_mov_b64 exec, 0\n"
                               "global_load_dword v2, v1, s[4:5]\nds_write_b32 v1, v0");
  EXPECT_EQ(c.global[0].accesses, 1u);
  EXPECT_EQ(c.global[0].bytes, 4u);
  EXPECT_EQ(c.lds[1].accesses, 0u);
}

TEST(AmdsimCounters, KindsOfAccesses) {
  Counters c = count("gfx942", "v_lshlrev_b32 v1, 2, v0\nglobal_store_dword v1, v0, s[6:7]\n"
                               "global_atomic_add v1, v0, s[6:7]\nds_write_b32 v1, v0\n"
                               "ds_read_b32 v2, v1\nds_add_u32 v1, v0\n"
                               "ds_read2_b32 v[4:5], v1 offset1:64");
  EXPECT_EQ(c.global[0].accesses, 0u);
  EXPECT_EQ(c.global[1].accesses, 1u);
  EXPECT_EQ(c.global[2].accesses, 1u);
  EXPECT_EQ(c.lds[0].accesses, 3u); // one of them has two addresses
  EXPECT_EQ(c.lds[0].bytes, 3u * 256);
  EXPECT_EQ(c.lds[1].accesses, 1u);
  EXPECT_EQ(c.lds[2].accesses, 1u);
}

struct LdsCase {
  const char *cpu, *address, *text;
  unsigned use;
  uint64_t phases, conflicts;
};

TEST(AmdsimCounters, PhasesOfLds) {
  // Lane n at byte `scale` * n; swizzled: lanes 8 apart in the same bank, as rows of 128 bytes are.
  const std::string one = "v_lshlrev_b32 v1, 2, v0", two = "v_lshlrev_b32 v1, 3, v0",
                    four = "v_lshlrev_b32 v1, 4, v0", row = "v_lshlrev_b32 v1, 7, v0";
  const LdsCase cases[] = {
      {"gfx942", one.c_str(), "ds_write_b32 v1, v0", 1, 2, 0},
      {"gfx942", two.c_str(), "ds_write_b32 v1, v0", 1, 4, 2},
      {"gfx942", row.c_str(), "ds_write_b32 v1, v0", 1, 64, 62},
      {"gfx942", "v_mov_b32 v1, 0", "ds_read_b32 v2, v1", 0, 2, 0}, // one word for all
      {"gfx942", two.c_str(), "ds_read_b64 v[2:3], v1", 0, 4, 0},
      {"gfx942", four.c_str(), "ds_read_b128 v[4:7], v1", 0, 8, 0},
      {"gfx942", four.c_str(), "ds_write_b128 v1, v[4:7]", 1, 8, 0},
      {"gfx942", row.c_str(), "ds_read_b128 v[4:7], v1", 0, 64, 56},
      {"gfx950", one.c_str(), "ds_read_b32 v2, v1", 0, 1, 0},
      {"gfx950", one.c_str(), "ds_write_b32 v1, v0", 1, 2, 0},
      {"gfx950", two.c_str(), "ds_read_b64 v[2:3], v1", 0, 2, 0},
      {"gfx950", four.c_str(), "ds_read_b128 v[4:7], v1", 0, 4, 0},
      {"gfx950", two.c_str(), "ds_read_b64_tr_b16 v[2:3], v1", 0, 2, 0},
      // 16 lanes of one phase at 8 places each of a row of 64 banks: two turns.
      {"gfx950", row.c_str(), "ds_read_b128 v[4:7], v1", 0, 32, 28},
      {"gfx1100", one.c_str(), "ds_load_b32 v2, v1", 0, 1, 0},
      {"gfx1100", four.c_str(), "ds_load_b128 v[4:7], v1", 0, 4, 0},
      {"gfx1201", row.c_str(), "ds_load_b32 v2, v1", 0, 32, 31},
  };
  for (const LdsCase &l : cases) {
    // All of LDS that lanes read is written before.
    bool isGfx9 = l.cpu[3] == '9';
    std::string write = isGfx9 ? "ds_write_b128" : "ds_store_b128";
    std::string prefix = "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n";
    Counters before = count(l.cpu, prefix + l.address + "\n" + write + " v1, v[4:7]");
    Counters c =
        count(l.cpu, prefix + l.address + "\n" + write + " v1, v[4:7]\n" + std::string(l.text));
    LdsCounts counted = c.lds[l.use];
    if (l.use == 1)
      counted.phases -= before.lds[1].phases, counted.conflicts -= before.lds[1].conflicts;
    EXPECT_EQ(counted.phases, l.phases) << l.cpu << ": " << l.address << "; " << l.text;
    EXPECT_EQ(counted.conflicts, l.conflicts) << l.cpu << ": " << l.address << "; " << l.text;
  }
}

} // namespace
} // namespace tilerun::amdsim::tests
