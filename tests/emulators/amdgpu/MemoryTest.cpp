// Loads and stores of every width on global memory, flat addresses, private memory, buffers and
// LDS; scalar loads; and copies to LDS.
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <array>
#include <cstring>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

enum class Part { whole, low, high };

// A width, by its names after "load_", "store_", and in LDS instructions; null where there is none.
struct Access {
  const char *old, *now, *ldsOld, *ldsNow;
  unsigned bytes;
  bool isSigned;
  Part part;
};
const Access loads[] = {
    {"ubyte", "u8", "u8", "u8", 1, false, Part::whole},
    {"sbyte", "i8", "i8", "i8", 1, true, Part::whole},
    {"ushort", "u16", "u16", "u16", 2, false, Part::whole},
    {"sshort", "i16", "i16", "i16", 2, true, Part::whole},
    {"ubyte_d16", "d16_u8", "u8_d16", "u8_d16", 1, false, Part::low},
    {"ubyte_d16_hi", "d16_hi_u8", "u8_d16_hi", "u8_d16_hi", 1, false, Part::high},
    {"sbyte_d16", "d16_i8", "i8_d16", "i8_d16", 1, true, Part::low},
    {"sbyte_d16_hi", "d16_hi_i8", "i8_d16_hi", "i8_d16_hi", 1, true, Part::high},
    {"short_d16", "d16_b16", "u16_d16", "u16_d16", 2, false, Part::low},
    {"short_d16_hi", "d16_hi_b16", "u16_d16_hi", "u16_d16_hi", 2, false, Part::high},
    {"dword", "b32", "b32", "b32", 4, false, Part::whole},
    {"dwordx2", "b64", "b64", "b64", 8, false, Part::whole},
    {"dwordx3", "b96", "b96", "b96", 12, false, Part::whole},
    {"dwordx4", "b128", "b128", "b128", 16, false, Part::whole},
};
const Access stores[] = {
    {"byte", "b8", "b8", "b8", 1, false, Part::low},
    {"byte_d16_hi", "d16_hi_b8", "b8_d16_hi", "b8_d16_hi", 1, false, Part::high},
    {"short", "b16", "b16", "b16", 2, false, Part::low},
    {"short_d16_hi", "d16_hi_b16", "b16_d16_hi", "b16_d16_hi", 2, false, Part::high},
    {"dword", "b32", "b32", "b32", 4, false, Part::whole},
    {"dwordx2", "b64", "b64", "b64", 8, false, Part::whole},
    {"dwordx3", "b96", "b96", "b96", 12, false, Part::whole},
    {"dwordx4", "b128", "b128", "b128", 16, false, Part::whole},
};
enum class Space { global, flat, scratch, buffer, lds };
constexpr Space spaces[] = {Space::global, Space::flat, Space::scratch, Space::buffer, Space::lds};

using Bytes = std::array<uint8_t, 16>;
Bytes bytesOf(const uint32_t *words) {
  Bytes bytes;
  std::memcpy(bytes.data(), words, 16);
  return bytes;
}
// What a load leaves in registers that held 0xcc bytes.
Bytes loaded(const Access &a, const Bytes &memory) {
  Bytes registers;
  registers.fill(0xcc);
  if (a.bytes >= 4) {
    std::copy_n(memory.begin(), a.bytes, registers.begin());
    return registers;
  }
  uint8_t sign = a.isSigned && memory[a.bytes - 1] >> 7 ? 0xff : 0;
  unsigned first = a.part == Part::high ? 2 : 0, size = a.part == Part::whole ? 4 : 2;
  for (unsigned byte = 0; byte < size; ++byte)
    registers[first + byte] = byte < a.bytes ? memory[byte] : sign;
  return registers;
}
// What a store leaves in memory that held 0xcc bytes.
Bytes stored(const Access &a, const Bytes &registers) {
  Bytes memory;
  memory.fill(0xcc);
  std::copy_n(registers.begin() + (a.part == Part::high ? 2 : 0), a.bytes, memory.begin());
  return memory;
}

struct Kernel {
  std::string text, body;
  std::function<Bytes(const Bytes &)> expected;
};

struct Names {
  bool isGfx9, isGfx12;
  explicit Names(const std::string &cpu)
      : isGfx9(cpu.starts_with("gfx9")), isGfx12(cpu.starts_with("gfx12")) {}
  std::string wait() const {
    return isGfx12 ? "s_wait_loadcnt 0\ns_wait_storecnt 0\ns_wait_dscnt 0\n"
                   : std::string("s_waitcnt vmcnt(0) lgkmcnt(0)\n") +
                         (isGfx9 ? "" : "s_waitcnt_vscnt null, 0x0\n");
  }
  std::string access(Space space, bool isStore, const Access &a) const {
    const char *kind = space == Space::lds ? (isGfx9 ? (isStore ? "ds_write_" : "ds_read_")
                                                     : (isStore ? "ds_store_" : "ds_load_"))
                                           : (isStore ? "store_" : "load_");
    const char *width =
        space == Space::lds ? (isGfx9 ? a.ldsOld : a.ldsNow) : (isGfx9 ? a.old : a.now);
    const char *prefix[] = {"global_", "flat_", "scratch_", "buffer_", ""};
    return std::string(prefix[int(space)]) + kind + width;
  }
  static std::string range(unsigned first, unsigned bytes) {
    unsigned words = bytes < 4 ? 1 : bytes / 4;
    return words == 1
               ? "v" + std::to_string(first)
               : "v[" + std::to_string(first) + ":" + std::to_string(first + words - 1) + "]";
  }
  // `base`: the pair of scalar registers of global memory; of flat addresses v[20:21] and of
  // buffers s[8:11] hold the same.
  std::string whole(Space space, bool isStore, const Access &a, unsigned reg,
                    const std::string &base) const {
    std::string name = access(space, isStore, a) + " ", data = range(reg, a.bytes);
    auto both = [&](const std::string &address, const std::string &rest) {
      return isStore ? name + address + ", " + data + rest : name + data + ", " + address + rest;
    };
    switch (space) {
    case Space::global:
      return both("v6", ", " + base + " offset:16");
    case Space::flat:
      return both("v[20:21]", " offset:16");
    case Space::scratch:
      return both("off", ", off offset:16");
    case Space::buffer:
      return name + data + ", v6, s[8:11], " + (isGfx12 ? "null" : "0") + " offen offset:16";
    case Space::lds:
      return both("v6", " offset:16");
    }
    return "";
  }
  // Addresses of s[BASE:BASE+1] + v6 for flat and buffer instructions.
  std::string prepare(unsigned base) const {
    std::string low = "s" + std::to_string(base), high = "s" + std::to_string(base + 1);
    return (isGfx9 ? "v_add_co_u32 v20, vcc, " + low + ", v6\nv_mov_b32 v21, " + high +
                         "\nv_addc_co_u32 v21, vcc, 0, v21, vcc\n"
                   : "v_add_co_u32 v20, vcc_lo, " + low + ", v6\nv_mov_b32 v21, " + high +
                         "\nv_add_co_ci_u32 v21, vcc_lo, 0, v21, vcc_lo\n") +
           "s_mov_b32 s8, " + low + "\ns_mov_b32 s9, " + high +
           "\ns_movk_i32 s10, 0x4000\ns_mov_b32 s11, " + (isGfx9 ? "0x27000\n" : "0x31027000\n");
  }
};

const Access &whole() { return loads[std::size(loads) - 1]; }
const Access &wholeStore() { return stores[std::size(stores) - 1]; }

// Records of 32 bytes in both buffers: the second half of each is used, at an offset of 16. v6 is
// the record's.
std::vector<Kernel> kernels(const std::string &cpu) {
  Names n(cpu);
  std::vector<Kernel> list;
  std::string fill, wait = n.wait(), begin = "v_lshlrev_b32 v6, 1, v6\n";
  for (unsigned reg = 8; reg < 12; ++reg)
    fill += "v_mov_b32 v" + std::to_string(reg) + ", 0xcccccccc\n";
  std::string toOut = n.whole(Space::global, true, wholeStore(), 8, "s[6:7]") + "\n";
  for (Space space : spaces) {
    bool isOwn =
        space == Space::scratch || space == Space::lds; // memory that the kernel fills first
    for (const Access &a : loads) {
      std::string text = n.whole(space, false, a, 8, "s[4:5]");
      std::string before = isOwn
                               ? n.whole(Space::global, false, whole(), 12, "s[4:5]") + "\n" +
                                     wait + n.whole(space, true, wholeStore(), 12, "") + "\n" + wait
                               : n.prepare(4);
      list.push_back({text, begin + before + fill + text + "\n" + wait + toOut,
                      [&a](const Bytes &memory) { return loaded(a, memory); }});
    }
    for (const Access &a : stores) {
      std::string text = n.whole(space, true, a, 12, "s[6:7]");
      std::string read = n.whole(Space::global, false, whole(), 12, "s[4:5]") + "\n" + wait;
      std::string before =
          isOwn ? read + fill + n.whole(space, true, wholeStore(), 8, "") + "\n" + wait
                : n.prepare(6) + read + fill + toOut + wait;
      std::string after = isOwn ? n.whole(space, false, whole(), 8, "") + "\n" + wait + toOut : "";
      list.push_back({text, begin + before + text + "\n" + wait + after,
                      [&a](const Bytes &registers) { return stored(a, registers); }});
    }
  }
  // Pairs: elements at offsets 4 and 5 of their size, or of 64 times that; written by one form,
  // read by plain loads and back.
  for (unsigned bytes : {4u, 8u})
    for (bool isStrided : {false, true}) {
      std::string width = bytes == 4 ? "b32" : "b64",
                  stride = isStrided ? (n.isGfx9 ? "st64" : "_stride64") : "";
      std::string writeName =
          n.isGfx9 ? "ds_write2" + stride + "_" + width : "ds_store_2addr" + stride + "_" + width;
      std::string readName =
          n.isGfx9 ? "ds_read2" + stride + "_" + width : "ds_load_2addr" + stride + "_" + width;
      unsigned unit = bytes * (isStrided ? 64 : 1);
      std::string first = Names::range(12, bytes), second = Names::range(14, bytes),
                  pair = Names::range(8, 2 * bytes);
      std::string offsets = " offset0:4 offset1:5";
      std::string writeText = writeName + " v6, " + first + ", " + second + offsets;
      std::string readText = readName + " " + pair + ", v6" + offsets;
      std::string read = n.whole(Space::global, false, whole(), 12, "s[4:5]") + "\n" + wait;
      // With the stride, records of other threads would overlap: v6 is then within the first 64
      // elements.
      std::string address = isStrided
                                ? "v_lshrrev_b32 v22, " + std::string(bytes == 4 ? "3" : "2") +
                                      ", v6\nv_mov_b32 v23, v6\nv_mov_b32 v6, v22\n"
                                : "";
      std::string back = isStrided ? "v_mov_b32 v6, v23\n" : "";
      std::string plain = (n.isGfx9 ? "ds_read_" : "ds_load_") + width + " ";
      std::string readPlain = plain + Names::range(8, bytes) +
                              ", v6 offset:" + std::to_string(4 * unit) + "\n" + plain +
                              Names::range(8 + bytes / 4, bytes) +
                              ", v6 offset:" + std::to_string(5 * unit) + "\n";
      auto expected = [bytes](const Bytes &r) {
        Bytes out;
        out.fill(0xcc);
        std::copy_n(r.begin(), bytes, out.begin());
        std::copy_n(r.begin() + 8, bytes, out.begin() + bytes);
        return out;
      };
      list.push_back({writeText,
                      begin + read + fill + address + writeText + "\n" + wait + readPlain + wait +
                          back + toOut,
                      expected});
      std::string writePlain = (n.isGfx9 ? "ds_write_" : "ds_store_") + width + " v6, ";
      list.push_back({readText,
                      begin + read + fill + address + writePlain + first +
                          " offset:" + std::to_string(4 * unit) + "\n" + writePlain + second +
                          " offset:" + std::to_string(5 * unit) + "\n" + wait + readText + "\n" +
                          wait + back + toOut,
                      expected});
    }
  return list;
}

std::vector<uint32_t> records(unsigned count) {
  std::mt19937 random(17);
  std::vector<uint32_t> words(8 * count);
  for (uint32_t &word : words)
    word = uint32_t(random());
  return words;
}

class AmdsimMemory : public testing::TestWithParam<const char *> {};

TEST_P(AmdsimMemory, EveryWidthEverywhere) {
  std::string cpu = GetParam();
  std::vector<Kernel> used = kernels(cpu);
  std::vector<Source> sources;
  for (size_t k = 0; k < used.size(); ++k)
    sources.push_back({.name = "k" + std::to_string(k),
                       .body = aroundInstruction(cpu, used[k].body + "v_or_b32 v7, 0x1000, v7\n"),
                       .ldsBytes = 8192,
                       .scratchBytes = 32});
  Loaded device = load(cpu, assemble(cpu, sources));
  ASSERT_TRUE(device.module);
  // One wave, so that pairs with a stride stay within the records of LDS.
  unsigned threads = device.module->object().kernels()[0].lanes;
  std::vector<uint32_t> in = records(threads);
  for (size_t k = 0; k < used.size(); ++k) {
    uint64_t x = upload(*device.device, in),
             y = upload(*device.device, std::vector<uint32_t>(0x500));
    LaunchResult result = device.run(sources[k].name, x, y, {.threads = {threads, 1, 1}});
    EXPECT_EQ(messages(result), "") << cpu << ": " << used[k].text;
    std::vector<uint32_t> out = download<uint32_t>(y, 8 * threads);
    for (unsigned t = 0; t < threads; ++t)
      ASSERT_EQ(bytesOf(&out[8 * t + 4]), used[k].expected(bytesOf(&in[8 * t + 4])))
          << cpu << ": " << used[k].text << " thread " << t;
  }
}

// Scalar loads: words from the first buffer to the second, through the registers that the text
// names.
struct ScalarLoad {
  std::string text;
  unsigned words;
  std::function<uint32_t(const uint32_t *in, unsigned word)> expected;
  Where where = everywhere;
};
std::vector<ScalarLoad> scalarLoads() {
  std::vector<ScalarLoad> list;
  auto plain = [](const uint32_t *in, unsigned word) { return in[2 + word]; };
  struct Width {
    unsigned words;
    const char *old, *now, *registers;
  };
  const Width widths[] = {{1, "dword", "b32", "s16"},
                          {2, "dwordx2", "b64", "s[16:17]"},
                          {4, "dwordx4", "b128", "s[16:19]"},
                          {8, "dwordx8", "b256", "s[16:23]"},
                          {16, "dwordx16", "b512", "s[16:31]"}};
  for (const Width &w : widths) {
    std::string old = w.old, now = w.now, registers = std::string(" ") + w.registers;
    list.push_back({"s_load_" + old + registers + ", s[4:5], 0x8", w.words, plain, gfx9});
    list.push_back({"s_load_" + now + registers + ", s[4:5], 0x8", w.words, plain, newer});
    // A buffer of 40 bytes: what is beyond is zero.
    auto bounded = [](const uint32_t *in, unsigned word) { return word < 8 ? in[2 + word] : 0; };
    list.push_back({"s_buffer_load_" + old + registers + ", s[8:11], 0x8", w.words, bounded, gfx9});
    list.push_back(
        {"s_buffer_load_" + now + registers + ", s[8:11], 0x8", w.words, bounded, newer});
  }
  list.push_back({"s_load_b96 s[16:18], s[4:5], 0x8", 3, plain, gfx12});
  list.push_back({"s_load_u8 s16, s[4:5], 0x9", 1,
                  [](const uint32_t *in, unsigned) { return in[2] >> 8 & 255; }, gfx12});
  list.push_back({"s_load_i8 s16, s[4:5], 0x9", 1,
                  [](const uint32_t *in, unsigned) { return uint32_t(int8_t(in[2] >> 8)); },
                  gfx12});
  list.push_back({"s_load_u16 s16, s[4:5], 0xa", 1,
                  [](const uint32_t *in, unsigned) { return in[2] >> 16; }, gfx12});
  list.push_back({"s_load_i16 s16, s[4:5], 0xa", 1,
                  [](const uint32_t *in, unsigned) { return uint32_t(int16_t(in[2] >> 16)); },
                  gfx12});
  return list;
}

TEST_P(AmdsimMemory, ScalarLoads) {
  std::string cpu = GetParam();
  Names n(cpu);
  Where where = n.isGfx9 ? gfx9 : n.isGfx12 ? gfx12 : gfx11;
  std::string wait = n.isGfx12 ? "s_wait_kmcnt 0\n" : "s_waitcnt lgkmcnt(0)\n";
  std::vector<uint32_t> in = records(16);
  for (const ScalarLoad &c : scalarLoads()) {
    if (!(c.where & where))
      continue;
    std::string body =
        std::string(n.isGfx9 ? "s_load_dwordx4" : "s_load_b128") + " s[4:7], s[0:1], 0x0\n" + wait +
        "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 40\ns_mov_b32 s11, " +
        (n.isGfx9 ? "0x27000\n" : "0x31027000\n") + c.text + "\n" + wait + "v_mov_b32 v1, 0\n";
    for (unsigned word = 0; word < c.words; ++word)
      body += "v_mov_b32 v2, s" + std::to_string(16 + word) + "\n" +
              (n.isGfx9 ? "global_store_dword" : "global_store_b32") +
              " v1, v2, s[6:7] offset:" + std::to_string(4 * word) + "\n";
    Loaded device = load(cpu, assemble(cpu, {{.name = "k", .body = body}}));
    uint64_t x = upload(*device.device, in), y = upload(*device.device, std::vector<uint32_t>(16));
    LaunchResult result = device.run("k", x, y, {.threads = {1, 1, 1}});
    EXPECT_EQ(messages(result), "") << c.text;
    std::vector<uint32_t> out = download<uint32_t>(y, 16);
    for (unsigned word = 0; word < c.words; ++word)
      EXPECT_EQ(out[word], c.expected(in.data(), word))
          << cpu << ": " << c.text << " word " << word;
  }
}

INSTANTIATE_TEST_SUITE_P(All, AmdsimMemory, testing::Values("gfx942", "gfx1100", "gfx1201"),
                         [](const auto &info) { return std::string(info.param); });

// A buffer of 40 bytes, 16 for each lane: of the third lane two words lie inside.
TEST_P(AmdsimMemory, BoundsOfBuffersAreThoseOfWords) {
  std::string cpu = GetParam();
  Names n(cpu);
  auto run = [&](const std::string &text, const std::string &base, std::vector<uint32_t> &out) {
    std::string body = aroundInstruction(cpu, "s_mov_b32 s8, " + base + "\ns_mov_b32 s9, s" +
                                                  std::to_string(std::stoi(base.substr(1)) + 1) +
                                                  "\ns_movk_i32 s10, 40\ns_mov_b32 s11, " +
                                                  (n.isGfx9 ? "0x27000\n" : "0x31027000\n") + text);
    Loaded device = load(cpu, assemble(cpu, {{.name = "k", .body = body}}));
    std::vector<uint32_t> in(256);
    for (unsigned word = 0; word < in.size(); ++word)
      in[word] = 100 + word;
    uint64_t x = upload(*device.device, in), y = upload(*device.device, out);
    LaunchResult result = device.run("k", x, y, {.threads = {32, 1, 1}});
    EXPECT_EQ(messages(result), "") << text;
    out = download<uint32_t>(y, out.size());
  };
  std::string suffix = n.isGfx9 ? "_dwordx4 " : "_b128 ", zero = n.isGfx12 ? "null" : "0";
  std::string buffer = "v[8:11], v6, s[8:11], " + zero + " offen\n";
  for (unsigned half = 0; half < 2; ++half) {
    std::vector<uint32_t> out(64);
    run("buffer_load" + suffix + buffer +
            (n.isGfx12 ? "s_wait_loadcnt 0\n" : "s_waitcnt vmcnt(0)\n") + "v_mov_b32 v4, v" +
            std::to_string(8 + 2 * half) + "\nv_mov_b32 v5, v" + std::to_string(9 + 2 * half),
        "s4", out);
    for (unsigned lane = 0; lane < 4; ++lane)
      for (unsigned k = 0; k < 2; ++k) {
        unsigned word = 4 * lane + 2 * half + k;
        EXPECT_EQ(out[2 * lane + k], word < 10 ? 100 + word : 0) << cpu << " word " << word;
      }
  }
  std::vector<uint32_t> out(256, 7);
  std::string fill;
  for (unsigned reg = 8; reg < 12; ++reg)
    fill += "v_mov_b32 v" + std::to_string(reg) + ", 9\n";
  // What follows stores v[4:5] to the last 64 words.
  run(fill + "buffer_store" + suffix + buffer + (n.isGfx9 ? "v_add_u32" : "v_add_nc_u32") +
          " v7, 0x300, v7\n",
      "s6", out);
  for (unsigned word = 0; word < 192; ++word)
    EXPECT_EQ(out[word], word < 10 ? 9u : 7u) << cpu << " word " << word;
}

// Transposed reads: as images of bits, which lane has read what a lane gets, and which element of
// it that is. Lanes give their runs of 8 bytes in any order.
struct Turned {
  const char *name;
  unsigned bytes;
  // Bits of the reading lane, of 16, from bits of the element's number (e) and of the lane's (l).
  std::vector<std::pair<char, unsigned>> from;
};
const std::vector<Turned> turned = {
    {"ds_read_b64_tr_b8", 1, {{'l', 3}, {'e', 0}, {'e', 1}, {'e', 2}}},
    {"ds_read_b64_tr_b16", 2, {{'l', 2}, {'l', 3}, {'e', 0}, {'e', 1}}},
};

TEST(AmdsimLds, TransposedReads) {
  constexpr unsigned lanes = 64, runBytes = 8;
  auto placeOf = [](unsigned lane) { return (lane * 37 + 5) % lanes * runBytes; };
  for (const Turned &t : turned) {
    // LDS is filled with numbers; a lane's run lies where its word of the first array says.
    const std::string body = aroundInstruction(
        "gfx950", "v_mov_b32 v10, v1\nv_mov_b32 v11, v2\nds_write_b64 v7, v[10:11]\n"
                  "s_waitcnt lgkmcnt(0)\n" +
                      std::string(t.name) + " v[4:5], v3 offset:0\ns_waitcnt lgkmcnt(0)\n");
    Loaded device =
        load("gfx950", assemble("gfx950", {{.name = "k", .body = body, .ldsBytes = 1024}}));
    std::vector<uint32_t> in(4 * lanes);
    std::vector<uint8_t> memory(lanes * runBytes);
    for (unsigned byte = 0; byte < memory.size(); ++byte)
      memory[byte] = uint8_t(byte * 7 + byte / 256 * 3 + 1);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::memcpy(&in[4 * lane + 1], memory.data() + runBytes * lane, runBytes);
      in[4 * lane + 3] = placeOf(lane);
    }
    uint64_t x = upload(*device.device, in),
             y = upload(*device.device, std::vector<uint64_t>(lanes));
    EXPECT_EQ(messages(device.run("k", x, y, {.threads = {lanes, 1, 1}})), "") << t.name;
    std::vector<uint64_t> out = download<uint64_t>(y, lanes);
    const unsigned run = runBytes / t.bytes;
    for (unsigned lane = 0; lane < lanes; ++lane)
      for (unsigned element = 0; element < run; ++element) {
        unsigned from = lane / 16 * 16;
        for (unsigned bit = 0; bit < 4; ++bit)
          from |= ((t.from[bit].first == 'l' ? lane : element) >> t.from[bit].second & 1) << bit;
        uint64_t expected = 0;
        std::memcpy(&expected, memory.data() + placeOf(from) + lane % run * t.bytes, t.bytes);
        ASSERT_EQ(out[lane] >> 8 * t.bytes * element & ((1u << 8 * t.bytes) - 1), expected)
            << t.name << " lane " << lane << " element " << element;
      }
  }
}

// Lanes' data go to M0 + offset + size * lane, in order.
std::vector<std::pair<std::string, unsigned>> copies() {
  std::vector<std::pair<std::string, unsigned>> list;
  for (auto [suffix, bytes] : {std::pair{"dword", 4u}, {"dwordx3", 12u}, {"dwordx4", 16u}}) {
    list.push_back({std::string("global_load_lds_") + suffix + " v6, s[4:5] offset:0", bytes});
    list.push_back({std::string("buffer_load_") + suffix + " v6, s[8:11], 0 offen lds", bytes});
  }
  return list;
}

TEST(AmdsimCopies, ToLds) {
  Names n("gfx950");
  for (const auto &[text, bytes] : copies()) {
    // Thread t copies record 63 - t and reads what arrived in its own place.
    std::string body = aroundInstruction(
        "gfx950",
        "v_mov_b32 v8, v6\nv_sub_u32 v6, 1008, v6\n" + n.prepare(4) + "s_movk_i32 m0, 0x100\n" +
            text + "\ns_waitcnt vmcnt(0)\nv_mul_u32_u24 v9, " + std::to_string(bytes / 4) +
            ", v8\nv_lshrrev_b32 v9, 2, v9\nds_read_b32 v4, v9 offset:256\ns_waitcnt lgkmcnt(0)\n");
    Loaded device =
        load("gfx950", assemble("gfx950", {{.name = "k", .body = body, .ldsBytes = 2048}}));
    std::vector<uint32_t> in = records(32);
    uint64_t x = upload(*device.device, in), y = upload(*device.device, std::vector<uint64_t>(64));
    LaunchResult result = device.run("k", x, y, {.threads = {64, 1, 1}});
    EXPECT_EQ(messages(result), "") << text;
    std::vector<uint64_t> out = download<uint64_t>(y, 64);
    for (unsigned t = 0; t < 64; ++t)
      EXPECT_EQ(out[t], in[4 * (63 - t)]) << text << " thread " << t;
  }
}

// Words beyond the buffer's end arrive as zeros.
TEST(AmdsimCopies, ToLdsAcrossTheEndOfABuffer) {
  for (unsigned words : {1u, 3u, 4u}) {
    std::string body = aroundInstruction(
        "gfx950", "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_movk_i32 s10, 40\ns_mov_b32 s11, 0x27000\n"
                  "s_mov_b32 m0, 0\nbuffer_load_dword" +
                      (words > 1 ? "x" + std::to_string(words) : std::string()) +
                      " v6, s[8:11], 0 offen lds\ns_waitcnt vmcnt(0)\nv_lshrrev_b32 v8, 2, v6\n"
                      "ds_read_b32 v4, v8\ns_waitcnt lgkmcnt(0)\n");
    Loaded device =
        load("gfx950", assemble("gfx950", {{.name = "k", .body = body, .ldsBytes = 1024}}));
    std::vector<uint32_t> in(256);
    for (unsigned word = 0; word < in.size(); ++word)
      in[word] = 100 + word;
    uint64_t x = upload(*device.device, in), y = upload(*device.device, std::vector<uint64_t>(64));
    EXPECT_EQ(messages(device.run("k", x, y, {.threads = {64, 1, 1}})), "") << words;
    std::vector<uint64_t> out = download<uint64_t>(y, 64);
    for (unsigned t = 0; t < 64; ++t) { // word t of LDS is of lane t / words, at byte 16 of each
      unsigned from = t / words * 4 + t % words;
      EXPECT_EQ(out[t], from < 10 ? 100 + from : 0) << words << " words, word " << t;
    }
  }
}

} // namespace

std::vector<std::string> memoryTexts() {
  std::vector<std::string> texts;
  for (const char *cpu : {"gfx942", "gfx1100", "gfx1201"})
    for (const Kernel &kernel : kernels(cpu))
      texts.push_back(kernel.text);
  for (const ScalarLoad &c : scalarLoads())
    texts.push_back(c.text);
  for (const auto &[text, bytes] : copies())
    texts.push_back(text);
  for (const Turned &t : turned)
    texts.push_back(t.name);
  return texts;
}

} // namespace tilerun::amdsim::tests
