// What the emulator finds: each kind of finding with its exact text, and the same kernel put right
// without any.
#include "tests/emulators/amdgpu/TestKernels.h"

namespace tilerun::amdsim::tests {
namespace {

struct Fixture {
  Loaded loaded;
  uint64_t in, out;
  Fixture(const std::string &cpu, Source source) {
    source.name = "k";
    loaded = load(cpu, assemble(cpu, {source}));
    in = upload(*loaded.device, std::vector<uint32_t>(256, 7));
    out = upload(*loaded.device, std::vector<uint32_t>(256, 0));
  }
  LaunchResult run(LaunchOptions options = {.threads = {64, 1, 1}}) {
    return loaded.run("k", in, out, options);
  }
};

// The text of the only finding, without the part that names the place.
std::string finding(const LaunchResult &result) {
  if (result.findings.size() != 1)
    return std::to_string(result.findings.size()) + " findings: " + messages(result);
  return findingName(result.findings[0].kind) + (": " + result.findings[0].text);
}

const std::string pointers =
    "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\n";

TEST(AmdsimChecks, MissingWaitForScalarLoad) {
  std::string body = "s_load_dwordx2 s[4:5], s[0:1], 0x8\nWAIT\nv_mov_b32 v1, "
                     "0\nglobal_store_dword v1, v1, s[4:5]";
  std::string bad = body, good = body;
  bad.replace(bad.find("WAIT"), 4, "");
  good.replace(good.find("WAIT"), 4, "s_waitcnt lgkmcnt(0)");
  LaunchResult result = Fixture("gfx942", {.body = bad}).run();
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].text, "uses s4 before a wait for the access that loads it");
  EXPECT_EQ(result.findings[0].kind, FindingKind::missingWait);
  EXPECT_EQ(result.findings[0].instruction, "global_store_dword v1, v1, s[4:5]");
  EXPECT_EQ(messages(Fixture("gfx942", {.body = good}).run()), "");
}

TEST(AmdsimChecks, MissingWaitForVectorLoad) {
  auto body = [](const char *wait) {
    return pointers + "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v3, v1, s[4:5]\n" +
           wait + "\nglobal_store_dword v1, v2, s[6:7]";
  };
  EXPECT_EQ(finding(Fixture("gfx942", {.body = body("s_nop 0")}).run()),
            "missing wait: uses v2 before a wait for the access that loads it");
  EXPECT_EQ(finding(Fixture("gfx942", {.body = body("s_waitcnt vmcnt(2)")}).run()),
            "missing wait: uses v2 before a wait for the access that loads it");
  EXPECT_EQ(messages(Fixture("gfx942", {.body = body("s_waitcnt vmcnt(1)")}).run()), "");
}

// Loads of one counter return in order: one may follow another into the same register.
TEST(AmdsimChecks, LoadsIntoOneRegisterNeedNoWait) {
  auto body = [](const char *second, const char *wait) {
    return pointers + "v_mov_b32 v8, 0\nglobal_load_dword v2, v1, s[4:5]\n" + second + "\n" + wait +
           "\nglobal_store_dword v1, v2, s[6:7]";
  };
  const char *same = "global_load_dword v2, v1, s[4:5]", *lds = "ds_read_b32 v2, v8";
  EXPECT_EQ(messages(Fixture("gfx942", {.body = body(same, "s_waitcnt vmcnt(0)")}).run()), "");
  EXPECT_EQ(finding(Fixture("gfx942", {.body = body(same, "s_waitcnt vmcnt(1)")}).run()),
            "missing wait: uses v2 before a wait for the access that loads it");
  EXPECT_EQ(
      finding(Fixture("gfx942", {.body = "v_mov_b32 v9, 0\nv_mov_b32 v8, 0\nds_write_b32 v8, v9\n" +
                                         body(lds, "s_waitcnt vmcnt(0) lgkmcnt(0)"),
                                 .ldsBytes = 64})
                  .run()),
      "missing wait: uses v2 before a wait for the access that loads it");
}

TEST(AmdsimChecks, UndefinedRegister) {
  std::string body = pointers + "v_add_u32 v3, 1, v2\nglobal_store_dword v1, v3, s[6:7]";
  EXPECT_EQ(finding(Fixture("gfx942", {.body = body}).run()),
            "undefined value: a value that is stored depends on a register or LDS that was never "
            "written");
  EXPECT_EQ(messages(Fixture("gfx942", {.body = "v_mov_b32 v2, 0\n" + body}).run()), "");
}

TEST(AmdsimChecks, UndefinedHalvesThatDoNotMatter) {
  // The high half of v3 is never written, and masked away before the store.
  std::string body = pointers + "global_load_short_d16 v3, v1, s[4:5]\ns_waitcnt vmcnt(0)\n";
  EXPECT_EQ(
      messages(
          Fixture("gfx942",
                  {.body = body + "v_and_b32 v4, 0xffff, v3\nglobal_store_dword v1, v4, s[6:7]"})
              .run()),
      "");
  EXPECT_EQ(messages(Fixture("gfx942", {.body = body + "global_store_short v1, v3, s[6:7]"}).run()),
            "");
  EXPECT_EQ(finding(Fixture("gfx942", {.body = body + "global_store_dword v1, v3, s[6:7]"}).run()),
            "undefined value: a value that is stored depends on a register or LDS that was never "
            "written");
  EXPECT_EQ(
      messages(
          Fixture("gfx942",
                  {.body = body + "v_lshlrev_b32 v4, 16, v3\nglobal_store_dword v1, v4, s[6:7]"})
              .run()),
      "");
}

// A spill is not a use: what comes back is as undefined as it was.
TEST(AmdsimChecks, UndefinedValuesPassThroughPrivateMemory) {
  const std::string wait = "s_waitcnt vmcnt(0)\n", store = "global_store_dword v1, v5, s[6:7]",
                    unwritten = "undefined value: a value that is stored depends on a register or "
                                "LDS that was never written";
  auto run = [&](const std::string &body) {
    return Fixture("gfx942", {.body = pointers + body, .scratchBytes = 32}).run();
  };
  // v2 is written, v3 is not.
  const std::string spill = "v_mov_b32 v2, 7\nscratch_store_dwordx2 off, v[2:3], off\n" + wait;
  EXPECT_EQ(messages(run(spill + "scratch_load_dword v5, off, off\n" + wait + store)), "");
  EXPECT_EQ(finding(run(spill + "scratch_load_dword v5, off, off offset:4\n" + wait + store)),
            unwritten);
  EXPECT_EQ(finding(run(spill + "scratch_load_sbyte v5, off, off offset:5\n" + wait + store)),
            unwritten);
  // Bytes that are written later, and those that never are.
  EXPECT_EQ(messages(run(spill + "scratch_store_dword off, v2, off offset:4\n" + wait +
                         "scratch_load_dword v5, off, off offset:4\n" + wait + store)),
            "");
  EXPECT_EQ(finding(run("scratch_load_dword v5, off, off offset:8\n" + wait + store)), unwritten);
  // Halves: the low one of v5 is from memory never written, and masked away.
  EXPECT_EQ(messages(run("v_mov_b32 v5, 0\nscratch_load_short_d16 v5, off, off offset:8\n" + wait +
                         "v_and_b32 v5, 0xffff0000, v5\n" + store)),
            "");
  EXPECT_EQ(finding(run("v_mov_b32 v5, 0\nscratch_load_short_d16_hi v5, off, off offset:8\n" +
                        wait + store)),
            unwritten);
}

TEST(AmdsimChecks, UndefinedHighWordOfASum) {
  // v5 is never written: it reaches the high word of the sum, and not the low one.
  std::string body = pointers + "v_mov_b32 v4, 1\nv_mad_u64_u32 v[2:3], s[8:9], v0, 5, v[4:5]\n";
  EXPECT_EQ(messages(Fixture("gfx942", {.body = body + "global_store_dword v1, v2, s[6:7]"}).run()),
            "");
  EXPECT_EQ(finding(Fixture("gfx942", {.body = body + "global_store_dword v1, v3, s[6:7]"}).run()),
            "undefined value: a value that is stored depends on a register or LDS that was never "
            "written");
}

TEST(AmdsimChecks, UndefinedLanes) {
  // Only lanes below 32 write v2.
  std::string body = pointers +
                     "v_cmp_gt_u32 vcc, 32, v0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v2, 1\n"
                     "s_mov_b64 exec, s[8:9]\nglobal_store_dword v1, v2, s[6:7]";
  LaunchResult result = Fixture("gfx942", {.body = body}).run();
  ASSERT_EQ(result.findings.size(), 1u) << messages(result);
  EXPECT_EQ(result.findings[0].lane, 32);
}

TEST(AmdsimChecks, UndefinedBranch) {
  EXPECT_EQ(
      finding(Fixture("gfx942", {.body = "s_cmp_eq_u32 s20, 0\ns_cbranch_scc1 end\ns_nop 0\nend:"})
                  .run()),
      "undefined value: the condition of a branch depends on a register or LDS that was never "
      "written");
}

TEST(AmdsimChecks, OutOfBounds) {
  std::string body = pointers + "v_mov_b32 v2, 1\nglobal_store_dword v1, v2, s[6:7] offset:896";
  LaunchResult result = Fixture("gfx942", {.body = body}).run();
  EXPECT_EQ(
      finding(result),
      "out of bounds: a store of 4 bytes, 0 bytes past the end of allocation 2 (of 1024 bytes)");
  EXPECT_EQ(result.findings[0].lane, 32);
  EXPECT_EQ(result.findings[0].wave, 0);
  EXPECT_NE(
      result.findings[0].message().find("kernel 'k', program (0, 0, 0), wave 0, lane 32, +0x"),
      std::string::npos)
      << result.findings[0].message();
  EXPECT_NE(result.findings[0].source, "") << "the assembler wrote a line table";
  std::string straddling =
      pointers +
      "v_mov_b32 v2, 1\nv_mov_b32 v3, 1\nglobal_store_dwordx2 v1, v[2:3], s[6:7] offset:768";
  EXPECT_EQ(
      finding(Fixture("gfx942", {.body = straddling}).run()),
      "out of bounds: a store of 8 bytes that ends past the end of allocation 2 (of 1024 bytes)");
}

TEST(AmdsimChecks, ArgumentsAreReadOnly) {
  EXPECT_EQ(
      finding(
          Fixture("gfx942", {.body = "v_mov_b32 v1, 0\nglobal_store_dword v1, v1, s[0:1]"}).run()),
      "read-only memory: a store at byte 0 of the kernel's arguments (of 64 bytes), which is "
      "read-only");
}

// On gfx12 operations on caches are in order with loads and stores, and counted as these are.
TEST(AmdsimChecks, CacheOperationsAreCounted) {
  auto run = [](const std::string &between) {
    std::string body =
        "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\nv_lshlrev_b32 v1, 2, v0\n"
        "global_load_b32 v2, v1, s[4:5]\n" +
        between + "\nglobal_store_b32 v1, v2, s[6:7]";
    return messages(Fixture("gfx1201", {.body = body}).run({.threads = {32, 1, 1}}));
  };
  EXPECT_NE(run("global_wb scope:SCOPE_SYS\ns_wait_loadcnt 0x1"), "");
  EXPECT_EQ(run("global_inv scope:SCOPE_SE\ns_wait_loadcnt 0x1"), "");
  EXPECT_EQ(run("s_wait_loadcnt 0x0"), "");
}

TEST(AmdsimChecks, Misaligned) {
  EXPECT_EQ(
      finding(Fixture("gfx942",
                      {.body = pointers +
                               "global_atomic_add v1, v1, s[4:5] offset:2\ns_waitcnt vmcnt(0)"})
                  .run()),
      "misaligned: an address that is not a multiple of 4");
  // Compilers merge loads of neighbouring bytes, wherever they are.
  EXPECT_EQ(
      messages(Fixture("gfx942",
                       {.body = pointers +
                                "global_load_dword v2, v1, s[4:5] offset:2\ns_waitcnt vmcnt(0)"})
                   .run()),
      "");
}

TEST(AmdsimChecks, LdsBounds) {
  EXPECT_EQ(
      finding(Fixture("gfx942",
                      {.body = "v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v1", .ldsBytes = 128})
                  .run()),
      "out of bounds of LDS: an access of 4 bytes at byte 128 of LDS; the workgroup has 128 bytes");
}

TEST(AmdsimChecks, LdsNeverWritten) {
  std::string body =
      pointers + "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v2, s[6:7]";
  EXPECT_EQ(finding(Fixture("gfx942", {.body = body, .ldsBytes = 256}).run()),
            "undefined value: a value that is stored depends on a register or LDS that was never "
            "written");
}

TEST(AmdsimChecks, RaceInLds) {
  // Each thread reads what the thread 64 further on wrote.
  auto body = [](const char *between) {
    return pointers + "v_xor_b32 v2, 0x100, v1\nds_write_b32 v1, v0\n" + between +
           "\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v1, v3, s[6:7]";
  };
  LaunchOptions two = {.threads = {128, 1, 1}};
  LaunchResult result =
      Fixture("gfx942", {.body = body("s_waitcnt lgkmcnt(0)"), .ldsBytes = 512}).run(two);
  bool hasRace = false;
  for (const Finding &f : result.findings)
    hasRace |= f.kind == FindingKind::ldsRace;
  EXPECT_TRUE(hasRace) << messages(result);
  Fixture good("gfx942", {.body = body("s_waitcnt lgkmcnt(0)\ns_barrier"), .ldsBytes = 512});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    two.seed = seed;
    EXPECT_EQ(messages(good.run(two)), "") << "seed " << seed;
    for (uint32_t t = 0; t < 128; ++t)
      ASSERT_EQ(download<uint32_t>(good.out, 128)[t], t ^ 64);
  }
}

TEST(AmdsimChecks, AtomicOperationsOnLds) {
  // Waves may update the same word; only the wave that did alone may read it before a barrier.
  auto body = [](const char *address) {
    return pointers + "v_mov_b32 v2, 1\nv_and_b32 v3, " + address +
           ", v1\nv_mov_b32 v4, 0\nds_write_b32 v1, v4\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
           "ds_add_u32 v3, v2\ns_waitcnt lgkmcnt(0)\nds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)\n"
           "global_store_dword v1, v5, s[6:7]";
  };
  LaunchOptions two = {.threads = {128, 1, 1}};
  EXPECT_EQ(messages(Fixture("gfx942", {.body = body("0x3ff"), .ldsBytes = 512}).run(two)), "");
  LaunchResult result = Fixture("gfx942", {.body = body("0xff"), .ldsBytes = 512}).run(two);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, FindingKind::ldsRace) << messages(result);
}

TEST(AmdsimChecks, BarrierThatNotAllReach) {
  std::string body = "v_cmp_gt_u32 vcc, 64, v0\ns_cbranch_vccz end\ns_barrier\nend:";
  // Whether wave 1 ends before or after wave 0 waits.
  Fixture fixture("gfx942", {.body = body});
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(finding(fixture.run({.threads = {128, 1, 1}, .seed = seed})),
              "barrier: waits at a barrier that wave 1 never reached")
        << "seed " << seed;
}

TEST(AmdsimChecks, UnknownInstruction) {
  LaunchResult result = Fixture("gfx942", {.body = "v_cubeid_f32 v1, v0, v0, v0"}).run();
  EXPECT_EQ(finding(result), "unknown instruction: the emulator cannot execute this");
  EXPECT_EQ(result.findings[0].instruction, "v_cubeid_f32 v1, v0, v0, v0 (unknown instruction)");
  // It is an error only where it is executed.
  EXPECT_EQ(
      messages(
          Fixture("gfx942", {.body = "s_branch end\nv_cubeid_f32 v1, v0, v0, v0\nend:"}).run()),
      "");
}

TEST(AmdsimChecks, EndlessLoop) {
  LaunchOptions options = {.threads = {64, 1, 1}, .mostInstructions = 10000};
  EXPECT_EQ(finding(Fixture("gfx942", {.body = "again:\ns_branch again"}).run(options)),
            "endless: the workgroup ran more than 10000 instructions");
}

TEST(AmdsimChecks, HardwareRegistersWithoutAModelAreRefused) {
  EXPECT_EQ(finding(Fixture("gfx942", {.body = "s_getreg_b32 s4, hwreg(HW_REG_STATUS)"}).run()),
            "not emulated: reading hardware register 2 is not emulated");
  EXPECT_EQ(messages(Fixture("gfx942", {.body = "s_getreg_b32 s4, hwreg(HW_REG_XCC_ID)"}).run()),
            "");
}

TEST(AmdsimChecks, MessagesWithAnAnswer) {
  std::string store = "s_waitcnt lgkmcnt(0)\nv_mov_b32 v1, 0\nv_mov_b32 v2, s8\n"
                      "global_store_b32 v1, v2, s[6:7]";
  std::string body = "s_load_b128 s[4:7], s[0:1], 0x0\n";
  Fixture clock(
      "gfx1100",
      {.body = body + "s_sendmsg_rtn_b64 s[8:9], sendmsg(MSG_RTN_GET_REALTIME)\n" + store});
  EXPECT_EQ(messages(clock.run({.threads = {1, 1, 1}})), "");
  std::string other = "s_sendmsg_rtn_b32 s8, sendmsg(MSG_RTN_GET_DOORBELL)";
  LaunchResult result = Fixture("gfx1100", {.body = other}).run();
  EXPECT_EQ(finding(result), "unknown instruction: the emulator cannot execute this");
  EXPECT_EQ(result.findings[0].instruction,
            other + " (operand 'sendmsg(MSG_RTN_GET_DOORBELL)' is not known)");
}

TEST(AmdsimChecks, BuffersOfUnknownKindsAreRefused) {
  auto load = [](const char *cpu, const char *stride, const char *last) {
    bool isGfx9 = std::string(cpu) == "gfx942";
    std::string body = isGfx9 ? "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                              : "s_load_b64 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n";
    body += std::string("s_or_b32 s9, s9, ") + stride + "\ns_movk_i32 s10, 64\ns_mov_b32 s11, " +
            last + "\n" +
            (isGfx9 ? "buffer_load_dword v1, off, s[8:11], 0\ns_waitcnt vmcnt(0)"
                    : "buffer_load_b32 v1, off, s[8:11], 0\ns_waitcnt vmcnt(0)");
    return finding(Fixture(cpu, {.body = body}).run());
  };
  EXPECT_EQ(load("gfx942", "0", "0x27000"), "0 findings: ");
  EXPECT_EQ(load("gfx1100", "0", "0x31027000"), "0 findings: ");
  EXPECT_EQ(load("gfx942", "0", "0x827000"),
            "not emulated: the last word of a buffer's description "
            "is emulated with the value 0x27000 only");
  EXPECT_EQ(load("gfx1100", "0", "0x27000"),
            "not emulated: the last word of a buffer's description "
            "is emulated with the value 0x31027000 only");
  EXPECT_EQ(load("gfx942", "0x40000000", "0x27000"),
            "not emulated: buffers with a swizzled cache are not emulated");
  EXPECT_EQ(load("gfx942", "0x80000000", "0x27000"),
            "not emulated: swizzled buffers are not emulated");
  EXPECT_EQ(load("gfx942", "0x100000", "0x27000"), "0 findings: ");
  EXPECT_EQ(load("gfx1100", "0x100000", "0x31027000"),
            "not emulated: buffers with a stride are emulated on gfx9 only");
}

// Of a 16-bit result in a scalar register the lower half is known, and a mixed operand takes a
// half.
TEST(AmdsimChecks, MixedOperandsAreHalvesOfScalarRegisters) {
  auto mix = [](const char *modifiers) {
    const std::string body = "s_load_b64 s[4:5], s[0:1], 0x0\ns_mov_b32 s8, 0x3c00\n"
                             "s_add_f16 s8, s8, s8\nv_mov_b32 v1, 1.0\nv_mov_b32 v2, 0\n"
                             "v_fma_mix_f32 v1, s8, v1, v1 " +
                             std::string(modifiers) +
                             "\ns_wait_kmcnt 0x0\nglobal_store_b32 v2, v1, s[4:5]";
    return finding(Fixture("gfx1201", {.body = body}).run());
  };
  EXPECT_EQ(mix("op_sel_hi:[1,0,0]"), "0 findings: ");
  EXPECT_EQ(mix("op_sel:[1,0,0] op_sel_hi:[1,0,0]").substr(0, 15), "undefined value");
}

// Of a pair that is moved, each word is as defined as its own source.
TEST(AmdsimChecks, WordsOfAMovedPairAreTheirOwn) {
  auto move = [](const char *stored) {
    const std::string body = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_mov_b32 s9, 1\n"
                             "v_mov_b32 v1, 0\nv_mov_b64 v[2:3], s[8:9]\n"
                             "v_mov_b64 v[4:5], v[2:3]\ns_waitcnt lgkmcnt(0)\n"
                             "global_store_dword v1, " +
                             std::string(stored) + ", s[4:5]";
    return finding(Fixture("gfx942", {.body = body}).run()).substr(0, 15);
  };
  EXPECT_EQ(move("v3").substr(0, 10), "0 findings");
  EXPECT_EQ(move("v5").substr(0, 10), "0 findings");
  EXPECT_EQ(move("v2"), "undefined value");
  EXPECT_EQ(move("v4"), "undefined value");
}

// A count of zeros does not depend on what is beyond the first bit that is set.
TEST(AmdsimChecks, CountsOfZerosEndAtABit) {
  auto count = [](const char *half, const char *instruction) {
    const std::string body = "s_load_b64 s[4:5], s[0:1], 0x0\nv_mov_b32 v2, 0\n" +
                             std::string(half) + "\n" + instruction +
                             " v4, v3\ns_wait_kmcnt 0x0\nglobal_store_b32 v2, v4, s[4:5]";
    return finding(Fixture("gfx1201", {.body = body}).run()).substr(0, 15);
  };
  const char *low = "v_add_nc_u16 v3, v2, 4";
  const char *high = "v_mov_b32 v3, 0x40000\nv_add_nc_u16 v3, v5, v5";
  const char *zero = "v_add_nc_u16 v3, v2, 0";
  EXPECT_EQ(count(low, "v_ctz_i32_b32"), "0 findings: ");
  EXPECT_EQ(count(low, "v_clz_i32_u32"), "undefined value");
  EXPECT_EQ(count(high, "v_clz_i32_u32"), "0 findings: ");
  EXPECT_EQ(count(high, "v_ctz_i32_b32"), "undefined value");
  EXPECT_EQ(count(zero, "v_ctz_i32_b32"), "undefined value");
}

// Two waves; each copies 64 words to its place in LDS, and lane n of wave m reads word
// `offset` / 4 + 64 m + n.
LaunchResult copyToLds(const std::string &between, const std::string &offset,
                       const std::string &m0 = "s_lshl_b32 s8, s8, 8\ns_mov_b32 m0, s8\n") {
  std::string body = "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                     "v_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v0\n"
                     "v_readfirstlane_b32 s8, v0\ns_lshr_b32 s8, s8, 6\n" +
                     m0 + "global_load_lds_dword v1, s[4:5]\n" + between + "\nds_read_b32 v2, v1" +
                     offset + "\ns_waitcnt lgkmcnt(0)";
  return Fixture("gfx950", {.body = body, .ldsBytes = 1024})
      .run({.threads = {128, 1, 1}, .seed = 3});
}

TEST(AmdsimChecks, CopiesToLdsNeedAWait) {
  EXPECT_EQ(messages(copyToLds("s_waitcnt vmcnt(0)", "")), "");
  EXPECT_EQ(messages(copyToLds("s_waitcnt vmcnt(0)\ns_barrier", "")), "");
  EXPECT_EQ(finding(copyToLds("s_nop 0", "")).substr(0, 28), "missing wait: reads byte 0 o");
  EXPECT_EQ(finding(copyToLds("s_waitcnt vmcnt(1)", "")), finding(copyToLds("s_nop 0", "")));
  // A barrier orders nothing that was not waited for before.
  EXPECT_NE(messages(copyToLds("s_barrier", "")).find("of LDS before a wait for the copy"),
            std::string::npos);
}

TEST(AmdsimChecks, CopiesOfOtherWavesNeedAWaitAndABarrier) {
  // Wave 0 reads what wave 1 copied; wave 1 reads bytes that nobody wrote, which is not a finding.
  EXPECT_EQ(messages(copyToLds("s_waitcnt vmcnt(0)\ns_barrier", " offset:256")), "");
  EXPECT_NE(messages(copyToLds("s_barrier\ns_nop 0", " offset:256"))
                .find("of LDS before wave 1 waits for the copy that fills it"),
            std::string::npos);
  bool isFound = false; // in some order of the waves
  for (uint64_t seed = 0; seed < 16 && !isFound; ++seed)
    isFound =
        messages(copyToLds("s_waitcnt vmcnt(0)\ns_nop " + std::to_string(seed % 8), " offset:256"))
            .find("race in LDS") != std::string::npos;
  EXPECT_TRUE(isFound);
}

TEST(AmdsimChecks, PlaceOfCopiesToLdsMustBeWritten) {
  LaunchResult result = copyToLds("s_waitcnt vmcnt(0)", "", "");
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].text,
            "M0, the place of a copy to LDS, depends on a register or LDS that was never written");
}

// v2 of `text`, in the mode where signalling NaNs are not numbers that a minimum may pass over.
uint32_t inIeeeMode(const std::string &text, bool isIeee = true) {
  Fixture fixture("gfx942", {.body = pointers + text + "\nglobal_store_dword v1, v2, s[6:7]",
                             .isIeee = isIeee});
  EXPECT_EQ(messages(fixture.run()), "") << text;
  return download<uint32_t>(fixture.out, 1)[0];
}

TEST(AmdsimChecks, SignallingNansInIeeeMode) {
  std::string single = "v_mov_b32 v3, 0x7f800001\n", two = "v_mov_b32 v4, 0xff800002\n";
  EXPECT_EQ(inIeeeMode(single + "v_min_f32 v2, 3.0, v3"), 0x7fc00001u);
  EXPECT_EQ(inIeeeMode(single + "v_max_f32 v2, v3, v3"), 0x7fc00001u);
  EXPECT_EQ(inIeeeMode(single + two + "v_max_f32 v2, v4, v3"), 0xffc00002u);
  EXPECT_EQ(inIeeeMode(single + "v_min_f32 v2, 3.0, v3", false), 0x40400000u);
  EXPECT_EQ(inIeeeMode("v_mov_b32 v3, 0x7fc00001\nv_min_f32 v2, 3.0, v3"), 0x40400000u);
  // 7c01 is a signalling NaN, 3c00 is 1, 4000 is 2.
  EXPECT_EQ(inIeeeMode("v_mov_b32 v3, 0x7c01\nv_min_f16 v2, 1.0, v3"), 0x7e01u);
  EXPECT_EQ(inIeeeMode("v_mov_b32 v3, 0x7c013c00\nv_mov_b32 v4, 0x40004000\n"
                       "v_pk_min_f16 v2, v3, v4"),
            0x7e013c00u);
  EXPECT_EQ(inIeeeMode("v_mov_b32 v4, 5\nv_mov_b32 v5, 0x7ff00000\nv_max_f64 v[4:5], 1.0, v[4:5]\n"
                       "v_mov_b32 v2, v5"),
            0x7ff80000u);
  // Of three operands the first step's NaN is a quiet one, which the second passes over.
  const std::string signalling = "v_mov_b32 v6, 2.0\n" + single;
  EXPECT_EQ(inIeeeMode(signalling + "v_min3_f32 v2, v3, 1.0, v6"), 0x40000000u);
  EXPECT_EQ(inIeeeMode(signalling + "v_max3_f32 v2, 4.0, v3, v6"), 0x40000000u);
  EXPECT_EQ(inIeeeMode(signalling + "v_min3_f32 v2, 1.0, v6, v3"), 0x7fc00001u);
  EXPECT_EQ(inIeeeMode(signalling + "v_med3_f32 v2, v3, 1.0, v6"), 0x40000000u);
  EXPECT_EQ(inIeeeMode(single + two + "v_med3_f32 v2, v3, 1.0, v4"), 0xffc00002u);
  EXPECT_EQ(inIeeeMode(signalling + "v_med3_f32 v2, v3, 1.0, v6", false), 0x3f800000u);
}

TEST(AmdsimChecks, ExchangesOfRowsNeedAllLanes) {
  std::string body = "v_mov_b32 v1, v0\nEXECv_permlane32_swap_b32 v0, v1", off = body;
  body.replace(body.find("EXEC"), 4, "");
  off.replace(off.find("EXEC"), 4, "s_mov_b64 exec, 3\n");
  EXPECT_EQ(messages(Fixture("gfx950", {.body = body}).run()), "");
  EXPECT_EQ(finding(Fixture("gfx950", {.body = off}).run()),
            "not emulated: an exchange of rows while lanes are off is not emulated");
}

TEST(AmdsimChecks, PairsCountAsTwoInstructions) {
  std::string body = "v_mov_b32 v1, 0\nv_mov_b32 v2, 0\nv_mov_b32 v3, 0\n"
                     "v_dual_mov_b32 v4, v1 :: v_dual_add_f32 v5, v2, v3";
  LaunchResult result = Fixture("gfx1100", {.body = body}).run({.threads = {32, 1, 1}});
  EXPECT_EQ(messages(result), "");
  EXPECT_NE(coverageReport(result.counters).find("1 v_add_f32"), std::string::npos)
      << coverageReport(result.counters);
}

TEST(AmdsimChecks, PrivateMemoryOfBuffersIsBounded) {
  std::string body = "v_mov_b32 v1, 1\nbuffer_store_dword v1, off, s[0:3], 0 offset:64";
  EXPECT_EQ(
      finding(
          Fixture("gfx90a", {.body = body, .scratchBytes = 64, .hasPrivateBuffer = true}).run()),
      "out of bounds: private memory at byte 64; a lane has 64 bytes");
}

TEST(AmdsimChecks, InstructionsThatSetTheModeDirectly) {
  // 2^-127 + 0 with denormals, and without them.
  auto sum = [](const char *mode) {
    std::string body = "s_load_b128 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                       "v_mov_b32 v1, 0\nv_mov_b32 v2, 0x400000\ns_denorm_mode " +
                       std::string(mode) +
                       "\nv_add_f32 v2, v2, v1\nglobal_store_b32 v1, v2, s[6:7]";
    Fixture fixture("gfx1100", {.body = body});
    EXPECT_EQ(messages(fixture.run({.threads = {1, 1, 1}})), "");
    return download<uint32_t>(fixture.out, 1)[0];
  };
  EXPECT_EQ(sum("0xf"), 0x400000u);
  EXPECT_EQ(sum("0xc"), 0u);
}

// The 16-bit instructions of gfx11 leave the other half of a register alone; what is not used of it
// may be undefined.
TEST(AmdsimChecks, ShiftsAndCarriesOfUndefinedHalves) {
  auto run = [](const std::string &text, const std::string &store) {
    std::string body = "s_load_b128 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                       "v_lshlrev_b32 v1, 2, v0\nv_add_nc_u16 v2, v0, v0\n" +
                       text + "\n" + store + " v1, v3, s[6:7]";
    return messages(Fixture("gfx1100", {.body = body}).run({.threads = {32, 1, 1}}));
  };
  const std::string whole = "global_store_b32", low = "global_store_b16",
                    high = "global_store_d16_hi_b16", undefined = "undefined value";
  struct HalfCase {
    std::string text, store;
    bool isReported;
  };
  const HalfCase cases[] = {
      // Only the low half of v2 is left after a shift by 20 bits.
      {"v_lshl_add_u32 v3, v2, 20, 1", whole, false},
      {"v_lshl_add_u32 v3, v2, 4, 1", whole, true},
      {"v_lshl_add_u32 v3, v2, 4, 1", low, false},
      // Carries go upward alone.
      {"v_sub_nc_u32 v3, v0, v2", low, false},
      {"v_sub_nc_u32 v3, v0, v2", high, true},
      {"v_lshlrev_b32 v4, 16, v2\nv_add3_u32 v3, v0, v4, v0", high, false},
      {"v_lshrrev_b32 v4, 16, v2\nv_add_nc_u32 v3, v0, v4", high, true},
      {"v_mul_lo_u32 v3, v2, v2", low, false},
      {"v_mul_lo_u32 v3, v2, v2", high, true},
      {"v_mul_u32_u24 v3, v2, v0", low, false},
      {"v_cvt_f32_ubyte1 v3, v2", whole, false},
      {"v_cvt_f32_ubyte2 v3, v2", whole, true},
      {"v_cvt_f32_ubyte2 v3, v2", high, true},
      {"v_max3_i16 v3, v2, v0, v0", low, false},
      {"v_max3_i16 v3, v2, v0, v0 op_sel:[1,0,0,0]", low, true},
  };
  for (const HalfCase &c : cases)
    EXPECT_EQ(run(c.text, c.store).find(undefined) != std::string::npos, c.isReported)
        << c.text << "; " << c.store;
}

} // namespace
} // namespace tilerun::amdsim::tests
