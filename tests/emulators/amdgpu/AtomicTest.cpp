// Atomic operations: each on global memory, flat addresses, buffers and LDS, with and without the
// old value.
#include "tests/emulators/amdgpu/Cases.h"
#include "tests/emulators/amdgpu/TestKernels.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tilerun::amdsim::tests {
namespace {

// A cell holds v[0:1] (or its low word), the data are v[2:3].
struct Operation {
  const char *old, *now,
      *lds; // names of gfx9 and later, and of LDS ("add", "u32"); null: not there
  const char *ldsType;
  unsigned bytes;
  uint64_t (*apply)(uint64_t cell, uint64_t data);
  Where where = everywhere; // of global memory
  Where ldsWhere = everywhere;
};

template <class T> T as(uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else
    return std::bit_cast<T>(uint32_t(bits));
}
template <class T, T (*function)(T, T)> uint64_t on(uint64_t cell, uint64_t data) {
  T value = function(as<T>(cell), as<T>(data));
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<uint64_t>(value);
  else
    return std::bit_cast<uint32_t>(value);
}
template <class T> T sum(T a, T b) { return a + b; }
template <class T> T difference(T a, T b) { return a - b; }
template <class T> T smaller(T a, T b) { return std::min(a, b); }
template <class T> T larger(T a, T b) { return std::max(a, b); }
template <class T> T conjunction(T a, T b) { return a & b; }
template <class T> T disjunction(T a, T b) { return a | b; }
template <class T> T exclusive(T a, T b) { return a ^ b; }
template <class T> T replacement(T, T b) { return b; }
template <class T> T wrapUp(T a, T b) { return a >= b ? 0 : a + 1; }
template <class T> T wrapDown(T a, T b) { return a == 0 || a > b ? b : a - 1; }
uint32_t halves(uint32_t a, uint32_t b) {
  return floatToHalf(half(a) + half(b)) | uint32_t(floatToHalf(half(a >> 16) + half(b >> 16)))
                                              << 16;
}
uint32_t bfloats(uint32_t a, uint32_t b) {
  auto add = [](uint32_t x, uint32_t y) {
    return uint32_t(floatToBfloat(bfloatToFloat(uint16_t(x)) + bfloatToFloat(uint16_t(y))));
  };
  return add(a, b) | add(a >> 16, b >> 16) << 16;
}

const Operation operations[] = {
    {"add", "add_u32", "add", "u32", 4, on<uint32_t, sum>},
    {"sub", "sub_u32", "sub", "u32", 4, on<uint32_t, difference>},
    {"smin", "min_i32", "min", "i32", 4, on<int32_t, smaller>},
    {"smax", "max_i32", "max", "i32", 4, on<int32_t, larger>},
    {"umin", "min_u32", "min", "u32", 4, on<uint32_t, smaller>},
    {"umax", "max_u32", "max", "u32", 4, on<uint32_t, larger>},
    {"and", "and_b32", "and", "b32", 4, on<uint32_t, conjunction>},
    {"or", "or_b32", "or", "b32", 4, on<uint32_t, disjunction>},
    {"xor", "xor_b32", "xor", "b32", 4, on<uint32_t, exclusive>},
    {"inc", "inc_u32", "inc", "u32", 4, on<uint32_t, wrapUp>},
    {"dec", "dec_u32", "dec", "u32", 4, on<uint32_t, wrapDown>},
    {"swap", "swap_b32", nullptr, "", 4, on<uint32_t, replacement>},
    {"add_x2", "add_u64", "add", "u64", 8, on<uint64_t, sum>},
    {"sub_x2", "sub_u64", "sub", "u64", 8, on<uint64_t, difference>},
    {"smin_x2", "min_i64", "min", "i64", 8, on<int64_t, smaller>},
    {"smax_x2", "max_i64", "max", "i64", 8, on<int64_t, larger>},
    {"umin_x2", "min_u64", "min", "u64", 8, on<uint64_t, smaller>},
    {"umax_x2", "max_u64", "max", "u64", 8, on<uint64_t, larger>},
    {"and_x2", "and_b64", "and", "b64", 8, on<uint64_t, conjunction>},
    {"or_x2", "or_b64", "or", "b64", 8, on<uint64_t, disjunction>},
    {"xor_x2", "xor_b64", "xor", "b64", 8, on<uint64_t, exclusive>},
    {"inc_x2", "inc_u64", "inc", "u64", 8, on<uint64_t, wrapUp>},
    {"dec_x2", "dec_u64", "dec", "u64", 8, on<uint64_t, wrapDown>},
    {"swap_x2", "swap_b64", nullptr, "", 8, on<uint64_t, replacement>},
    {"add_f32", "add_f32", "add", "f32", 4, on<float, sum>},
    {nullptr, "min_f32", "min", "f32", 4, on<float, least>, gfx11, Where(gfx9 | gfx11)},
    {nullptr, "max_f32", "max", "f32", 4, on<float, most>, gfx11, Where(gfx9 | gfx11)},
    {nullptr, "min_num_f32", "min_num", "f32", 4, on<float, least>, gfx12, gfx12},
    {nullptr, "max_num_f32", "max_num", "f32", 4, on<float, most>, gfx12, gfx12},
    {"add_f64", nullptr, "add", "f64", 8, on<double, sum>, gfx9, gfx9},
    {"min_f64", nullptr, "min", "f64", 8, on<double, least>, gfx9, Where(gfx9 | gfx11)},
    {"max_f64", nullptr, "max", "f64", 8, on<double, most>, gfx9, Where(gfx9 | gfx11)},
    {"pk_add_f16", "pk_add_f16", "pk_add", "f16", 4, on<uint32_t, halves>, Where(gfx9 | gfx12),
     Where(gfx9 | gfx12)},
    {"pk_add_bf16", "pk_add_bf16", "pk_add", "bf16", 4, on<uint32_t, bfloats>, Where(gfx9 | gfx12),
     Where(gfx9 | gfx12)},
};

enum class Space { global, flat, buffer, lds };

struct Kernel {
  std::string text; // of the atomic operation itself
  std::string body;
  bool returnsOld;
  unsigned bytes;
  std::function<uint64_t(const In &)> after; // of the cell
};

std::string waitAll(Where where) {
  return where == gfx9    ? "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
         : where == gfx11 ? "s_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0\n"
                          : "s_wait_loadcnt 0\ns_wait_storecnt 0\ns_wait_dscnt 0\n";
}

// The 64-bit address of the thread's cell in v[8:9], and a buffer over all cells in s[8:11].
std::string prepare(Where where) {
  std::string address = where == gfx9 ? "v_add_co_u32 v8, vcc, s4, v6\nv_mov_b32 v9, s5\n"
                                        "v_addc_co_u32 v9, vcc, 0, v9, vcc\n"
                                      : "v_add_co_u32 v8, vcc_lo, s4, v6\nv_mov_b32 v9, s5\n"
                                        "v_add_co_ci_u32 v9, vcc_lo, 0, v9, vcc_lo\n";
  return address + "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_movk_i32 s10, 0x4000\ns_mov_b32 s11, " +
         (where == gfx9 ? "0x27000\n" : "0x31027000\n");
}

// The text of one operation on memory; `data` names registers.
std::string memoryText(Space space, const std::string &name, const std::string &data, bool isWide,
                       bool returnsOld, Where where) {
  std::string mark = !returnsOld      ? ""
                     : where == gfx9  ? " sc0"
                     : where == gfx11 ? " glc"
                                      : " th:TH_ATOMIC_RETURN";
  std::string result = returnsOld ? (isWide ? "v[4:5], " : "v4, ") : "";
  if (space == Space::global)
    return "global_atomic_" + name + " " + result + "v6, " + data + ", s[4:5]" + mark;
  if (space == Space::flat)
    return "flat_atomic_" + name + " " + result + "v[8:9], " + data + mark;
  return "buffer_atomic_" + name + " " + data + ", v6, s[8:11], " +
         (where == gfx12 ? "null" : "0") + " offen" + mark;
}

// Buffers put the old value where the data were.
std::string collect(Space space, bool returnsOld, bool isWide) {
  if (space != Space::buffer || !returnsOld)
    return "";
  return isWide ? "v_mov_b32 v4, v2\nv_mov_b32 v5, v3\n" : "v_mov_b32 v4, v2\n";
}

std::vector<Kernel> memoryKernels(Where where) {
  std::vector<Kernel> list;
  for (const Operation &o : operations) {
    const char *name = where == gfx9 ? o.old : o.now;
    if (!name || !(o.where & where))
      continue;
    bool isWide = o.bytes == 8;
    for (Space space : {Space::global, Space::flat, Space::buffer}) {
      if (space == Space::buffer && std::string(name) == "pk_add_bf16" && where == gfx9)
        continue;
      for (bool returnsOld : {false, true}) {
        std::string text =
            memoryText(space, name, isWide ? "v[2:3]" : "v2", isWide, returnsOld, where);
        auto apply = o.apply;
        list.push_back(
            {text,
             prepare(where) + text + "\n" + waitAll(where) + collect(space, returnsOld, isWide),
             returnsOld, o.bytes, [apply](const In &i) { return apply(i.ab(), i.cd()); }});
      }
    }
  }
  // Compare and swap: the new value, then the expected one, which is right in every other thread.
  for (bool isWide : {false, true})
    for (Space space : {Space::global, Space::flat, Space::buffer})
      for (bool returnsOld : {false, true}) {
        std::string name = where == gfx9 ? (isWide ? "cmpswap_x2" : "cmpswap")
                                         : (isWide ? "cmpswap_b64" : "cmpswap_b32");
        std::string arrange =
            isWide ? "v_mov_b32 v10, v2\nv_mov_b32 v11, v3\nv_mov_b32 v12, v0\nv_mov_b32 v13, v1\n"
                   : "v_mov_b32 v10, v2\nv_mov_b32 v11, v0\n";
        arrange += isWide ? "v_and_b32 v14, 16, v6\nv_xor_b32 v13, v13, v14\n"
                          : "v_and_b32 v14, 16, v6\nv_xor_b32 v11, v11, v14\n";
        std::string text =
            memoryText(space, name, isWide ? "v[10:13]" : "v[10:11]", isWide, returnsOld, where);
        std::string after =
            space == Space::buffer && returnsOld
                ? (isWide ? "v_mov_b32 v4, v10\nv_mov_b32 v5, v11\n" : "v_mov_b32 v4, v10\n")
                : "";
        list.push_back({text, prepare(where) + arrange + text + "\n" + waitAll(where) + after,
                        returnsOld, isWide ? 8u : 4u,
                        [](const In &i) { return i.lane & 1 ? i.ab() : i.cd(); }});
      }
  return list;
}

std::vector<Kernel> ldsKernels(Where where) {
  std::vector<Kernel> list;
  std::string write = where == gfx9 ? "ds_write_b64 v6, v[0:1]\n" : "ds_store_b64 v6, v[0:1]\n";
  std::string read = where == gfx9 ? "ds_read_b64 v[8:9], v6\n" : "ds_load_b64 v[8:9], v6\n";
  std::string store = where == gfx9 ? "global_store_dwordx2 v6, v[8:9], s[4:5]\n"
                                    : "global_store_b64 v6, v[8:9], s[4:5]\n";
  auto add = [&](const std::string &text, bool returnsOld, unsigned bytes,
                 std::function<uint64_t(const In &)> after) {
    std::string wait = waitAll(where);
    list.push_back({text, write + wait + text + "\n" + wait + read + wait + store, returnsOld,
                    bytes, std::move(after)});
  };
  for (const Operation &o : operations) {
    if (!o.lds || !(o.ldsWhere & where))
      continue;
    std::string data = o.bytes == 8 ? ", v6, v[2:3]" : ", v6, v2",
                type = std::string("_") + o.ldsType;
    auto apply = o.apply;
    auto after = [apply](const In &i) { return apply(i.ab(), i.cd()); };
    add(std::string("ds_") + o.lds + type + data.substr(1), false, o.bytes, after);
    add(std::string("ds_") + o.lds + "_rtn" + type + (o.bytes == 8 ? " v[4:5]" : " v4") + data,
        true, o.bytes, after);
  }
  std::string exchange = where == gfx9 ? "ds_wrxchg_rtn" : "ds_storexchg_rtn";
  add(exchange + "_b32 v4, v6, v2", true, 4, [](const In &i) { return i.cd(); });
  add(exchange + "_b64 v[4:5], v6, v[2:3]", true, 8, [](const In &i) { return i.cd(); });
  // The older form takes the expected value first, the newer one last. It is right in every other
  // thread.
  for (bool isWide : {false, true})
    for (bool returnsOld : {false, true}) {
      std::string name = std::string(where == gfx9 ? "ds_cmpst" : "ds_cmpstore") +
                         (returnsOld ? "_rtn" : "") + (isWide ? "_b64" : "_b32");
      std::string expected = isWide ? "v[12:13]" : "v12", desired = isWide ? "v[2:3]" : "v2";
      std::string operands = where == gfx9 ? expected + ", " + desired : desired + ", " + expected;
      std::string text =
          name + " " + (returnsOld ? (isWide ? "v[4:5], " : "v4, ") : "") + "v6, " + operands;
      add(text, returnsOld, isWide ? 8 : 4,
          [](const In &i) { return i.lane & 1 ? i.ab() : i.cd(); });
      list.back().body = "v_mov_b32 v12, v0\nv_mov_b32 v13, v1\nv_and_b32 v14, 16, v6\nv_xor_b32 " +
                         std::string(isWide ? "v13, v13" : "v12, v12") + ", v14\n" +
                         list.back().body;
    }
  return list;
}

std::vector<In> inputs() {
  const uint32_t edges[] = {0,          1,          2,          0x7fffffff, 0x80000000,
                            0xffffffff, 0x3f800000, 0xc0490fdb, 0x3c00c000, 0x7bff7bff,
                            0x3ff00000, 0xc0080000, 0x00400001, 0x40004000};
  std::mt19937 random(11);
  std::vector<In> list(256);
  for (unsigned n = 0; n < list.size(); ++n) {
    auto value = [&] {
      return random() % 3 ? edges[random() % std::size(edges)] : uint32_t(random());
    };
    list[n] = {value(), value(), value(), value()};
    list[n].lane = n;
  }
  return list;
}

bool sameOrNan(uint64_t a, uint64_t b, unsigned bytes) {
  if (a == b)
    return true;
  auto isNan = [bytes](uint64_t v) {
    return bytes == 8 ? std::isnan(std::bit_cast<double>(v))
                      : std::isnan(std::bit_cast<float>(uint32_t(v)));
  };
  return isNan(a) && isNan(b);
}

class AmdsimAtomics : public testing::TestWithParam<std::pair<const char *, Where>> {};

TEST_P(AmdsimAtomics, AgreeWithModel) {
  auto [cpu, where] = GetParam();
  std::vector<Kernel> used = memoryKernels(where);
  for (const Kernel &kernel : ldsKernels(where))
    used.push_back(kernel);
  std::vector<Source> kernels;
  for (size_t k = 0; k < used.size(); ++k)
    kernels.push_back({.name = "k" + std::to_string(k),
                       .body = aroundInstruction(cpu, used[k].body),
                       .ldsBytes = 4096});
  Loaded loaded = load(cpu, assemble(cpu, kernels));
  ASSERT_TRUE(loaded.module);
  std::vector<In> in = inputs();
  std::vector<uint32_t> words;
  for (const In &i : in)
    words.insert(words.end(), {i.a, i.b, i.c, i.d});
  uint64_t x = upload(*loaded.device, words),
           y = upload(*loaded.device, std::vector<uint64_t>(in.size()));
  for (size_t k = 0; k < used.size(); ++k) {
    std::copy(words.begin(), words.end(), reinterpret_cast<uint32_t *>(x));
    LaunchResult result = loaded.run(kernels[k].name, x, y, {.threads = {256, 1, 1}});
    EXPECT_EQ(messages(result), "") << cpu << ": " << used[k].text;
    std::vector<uint64_t> cells = download<uint64_t>(x, 2 * in.size()),
                          old = download<uint64_t>(y, in.size());
    uint64_t mask = used[k].bytes == 8 ? ~uint64_t(0) : 0xffffffff;
    for (size_t at = 0; at < in.size(); ++at) {
      uint64_t after = (used[k].after(in[at]) & mask) | (in[at].ab() & ~mask);
      uint64_t before = used[k].returnsOld ? in[at].ab() & mask : 0;
      bool isPacked = used[k].text.find("pk_add") != std::string::npos;
      if (isPacked && (cells[2 * at] & 0x7c007c00) == 0x7c007c00)
        continue; // NaNs and infinities of halves are compared elsewhere
      if (sameOrNan(cells[2 * at], after, used[k].bytes) && old[at] == before)
        continue;
      ADD_FAILURE() << std::hex << cpu << ": " << used[k].text << " of " << in[at].ab() << ", "
                    << in[at].cd() << " leaves " << cells[2 * at] << ", should be " << after
                    << "; gives " << old[at] << ", should be " << before;
      break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AmdsimAtomics,
                         testing::Values(std::pair{"gfx942", gfx9}, std::pair{"gfx1100", gfx11},
                                         std::pair{"gfx1201", gfx12}),
                         [](const auto &info) { return std::string(info.param.first); });

} // namespace

std::vector<std::string> atomicTexts() {
  std::vector<std::string> texts;
  for (Where where : {gfx9, gfx11, gfx12}) {
    for (const Kernel &kernel : memoryKernels(where))
      texts.push_back(kernel.text);
    for (const Kernel &kernel : ldsKernels(where))
      texts.push_back(kernel.text);
  }
  return texts;
}

} // namespace tilerun::amdsim::tests
