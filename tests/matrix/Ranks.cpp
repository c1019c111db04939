// The same functions in other forms: one and three dimensions, each axis, keywords, memory orders.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

struct Context {
  Cells &cells;
  unsigned variant;

  void add(WholeTensor form) { cells.push_back(makeWholeTensor(variant, form)); }
};

bool isNarrowInteger(const std::string &t) { return type(t).isInt() && type(t).getBits() < 32; }
std::string getSumType(const std::string &t) {
  return isNarrowInteger(t) ? (type(t).isUnsigned() ? "u32" : "i32") : t;
}
std::string getExtremumType(const std::string &t) {
  if (type(t).isFloat() && type(t).getBits() < 32)
    return "fp32";
  return isNarrowInteger(t) ? "i32" : t;
}

const matrix::Types kSample{"i8", "u16", "i32", "i64", "u64", "fp16", "bf16", "fp32", "fp64"};
const Fill kSmall{Kind::Signs}; ///< Sums are exact in any order; there are ties.

constexpr const char *kCombine = "@triton.jit\n"
                                 "def combine(a, b):\n"
                                 "    return tl.minimum(a, b).to(a.dtype)\n\n\n";

/// How the dtype of a result is determined.
enum class Of { Input, Sum, Extremum, Position };

/// Each axis of three, one dimension, and all of them, with every keyword.
void addAxes(Context c) {
  const struct {
    const char *name;
    bool integersOnly;
    Of result;
  } functions[] = {{"sum", false, Of::Sum},         {"max", false, Of::Extremum},
                   {"min", false, Of::Extremum},    {"argmax", false, Of::Position},
                   {"argmin", false, Of::Position}, {"xor_sum", true, Of::Input},
                   {"reduce_or", true, Of::Input}};
  for (const auto &f : functions)
    for (const std::string &t : kSample) {
      if (f.integersOnly && type(t).isFloat())
        continue;
      std::string result = f.result == Of::Sum        ? getSumType(t)
                           : f.result == Of::Extremum ? getExtremumType(t)
                           : f.result == Of::Position ? "i32"
                                                      : t;
      const std::string name = f.name;
      auto add = [&](const std::string &form, std::vector<int> shape, const std::string &arguments,
                     int count) {
        c.add({"reductions", name + " (" + form + ")", t, result, std::move(shape),
               "    r = tl." + name + "(x" + arguments + ")\n", count, kNumber, kSmall});
      };
      add("3-D, axis 0", {4, 8, 16}, ", 0", 128);
      add("3-D, axis 1, keep_dims", {4, 8, 16}, ", axis=1, keep_dims=True", 64);
      add("3-D, axis -1", {4, 8, 16}, ", axis=-1", 32);
      c.add({"reductions",
             name + " (1-D)",
             t,
             result,
             {512},
             "    r = tl." + name + "(x, axis=0) + tl.zeros([4], tl." + type(result).str() + ")\n",
             4,
             kNumber,
             kSmall});
      if (name != "reduce_or" && f.result != Of::Position)
        add("all, keep_dims", {8, 4, 8}, ", keep_dims=True", 1);
    }
  for (const std::string &t : kSample) {
    for (std::string name : {"max", "min"})
      c.add({"reductions",
             name + " (3-D, indices, keep_dims)",
             t,
             "i32",
             {4, 8, 16},
             "    v, r = tl." + name +
                 "(x, axis=1, return_indices=True, keep_dims=True)\n"
                 "    r = r * 4 + v.to(tl.int32)\n",
             64,
             kBits,
             kSmall});
    c.add({"reductions",
           "reduce (3-D, keep_dims)",
           t,
           t,
           {4, 8, 16},
           "    r = tl.reduce(x, 1, combine, keep_dims=True)\n",
           64,
           kNumber,
           {Kind::Finite},
           kCombine});
    c.add({"reductions",
           "reduce (1-D)",
           t,
           t,
           {256},
           "    r = tl.reduce(x, 0, combine) + tl.zeros([2], x.dtype)\n",
           2,
           kNumber,
           {Kind::Finite},
           kCombine});
  }
  // Narrow floats are widened by the maximum.
  for (const char *t : {"fp16", "bf16"})
    for (std::string rounding : {"False", "True"}) {
      Tolerance tolerance = getSumTolerance("fp32", 64);
      c.add({"reductions",
             rounding == "True" ? "softmax (ieee)" : "softmax",
             t,
             "fp32",
             {8, 64},
             "    r = tl.softmax(x, dim=1, keep_dims=True, ieee_rounding=" + rounding + ")\n",
             512,
             tolerance,
             {Kind::Range, -3, 3},
             "",
             true});
    }
}

void addScanForms(Context c) {
  for (const std::string &t : kSample) {
    const std::string sum = t == "bf16" ? "fp32" : getSumType(t);
    for (int axis = 0; axis < 3; ++axis) {
      const std::string at = std::to_string(axis), in = " (3-D, axis " + at + ")";
      const std::string reverse = axis == 1 ? ", reverse=True" : "";
      c.add({"scans and sorting",
             "cumsum" + in,
             t,
             sum,
             {4, 8, 16},
             "    r = tl.cumsum(x, axis=" + at + reverse + ")\n",
             512,
             kNumber,
             kSmall});
      c.add({"scans and sorting",
             "associative_scan" + in,
             t,
             t,
             {4, 8, 16},
             "    r = tl.associative_scan(x, " + at + ", combine" + reverse + ")\n",
             512,
             kNumber,
             {Kind::Finite},
             kCombine});
      c.add({"scans and sorting",
             "flip" + in,
             t,
             t,
             {4, 8, 16},
             "    r = tl.flip(x, " + at + ")\n",
             512,
             kBits});
      c.add({"scans and sorting",
             "gather" + in,
             t,
             t,
             {4, 8, 16},
             "    r = tl.gather(x, y, " + at + ")\n",
             512,
             kBits,
             {},
             "",
             false,
             "i32",
             {Kind::Index, 0, double(4 << axis)}});
    }
    c.add({"scans and sorting",
           "cumprod (1-D)",
           t,
           t == "bf16" ? "fp32" : t,
           {512},
           "    r = tl.cumprod(x)\n",
           512,
           kNumber,
           kSmall});
    c.add({"scans and sorting", "flip (1-D)", t, t, {256}, "    r = tl.flip(x)\n", 256, kBits});
    c.add({"scans and sorting",
           "gather (1-D)",
           t,
           t,
           {128},
           "    r = tl.gather(x, y, 0)\n",
           128,
           kBits,
           {},
           "",
           false,
           "i32",
           {Kind::Index, 0, 128}});
    c.add({"scans and sorting",
           "sort (3-D)",
           t,
           t,
           {4, 4, 32},
           "    r = tl.sort(x)\n",
           512,
           kNumber,
           {Kind::Finite}});
    c.add({"scans and sorting",
           "topk (1-D)",
           t,
           t,
           {128},
           "    r = tl.topk(x, 8)\n",
           8,
           kNumber,
           {Kind::Finite}});
    c.add({"scans and sorting",
           "topk (dim)",
           t,
           t,
           {4, 32},
           "    r = tl.topk(x, 4, dim=1)\n",
           16,
           kNumber,
           {Kind::Finite}});
    c.add({"scans and sorting",
           "bitonic_merge (descending)",
           t,
           t,
           {8, 16},
           "    down = tl.sort(x, descending=True)\n"
           "    k = tl.arange(0, 16)[None, :]\n"
           "    r = tl.bitonic_merge(tl.where(k < 8, down, tl.flip(down)), dim=1, "
           "descending=True)\n",
           128,
           kNumber,
           {Kind::Range, 0, 100}});
  }
  // 8-bit floats and int1, too, have an order and sums.
  matrix::Types few = kFp8;
  few.push_back("i1");
  for (const std::string &t : few) {
    const std::string sum = t == "i1" ? "u32" : t;
    Fill values = t == "i1" ? Fill{} : Fill{Kind::Finite};
    c.add(
        {"scans and sorting", "sort", t, t, {8, 32}, "    r = tl.sort(x)\n", 256, kNumber, values});
    c.add({"scans and sorting",
           "sort (descending)",
           t,
           t,
           {8, 32},
           "    r = tl.sort(x, descending=True)\n",
           256,
           kNumber,
           values});
    c.add({"scans and sorting",
           "topk",
           t,
           t,
           {8, 32},
           "    r = tl.topk(x, 4)\n",
           32,
           kNumber,
           values});
    c.add({"scans and sorting",
           "associative_scan (maximum)",
           t,
           t,
           {8, 32},
           "    r = tl.associative_scan(x, 1, combine)\n",
           256,
           kNumber,
           values,
           "@triton.jit\n"
           "def combine(a, b):\n"
           "    return tl.maximum(a, b).to(a.dtype)\n\n\n"});
    // Runs of one value among zeros: exact in few bits.
    c.add({"scans and sorting",
           "cumsum",
           t,
           sum,
           {8, 32},
           "    k = tl.arange(0, 32)[None, :]\n"
           "    r = tl.cumsum(tl.where(k == 7, x, x - x), axis=1)\n",
           256,
           kNumber,
           values});
    c.add({"scans and sorting",
           "cumprod",
           t,
           t,
           {8, 2},
           "    r = tl.cumprod(x, axis=1)\n",
           16,
           kNumber,
           t == "i1" ? Fill{} : kSmall});
  }
  for (const std::string &t : kSample) {
    if (type(t).isInt())
      c.add({"scans and sorting",
             "cumsum (dtype)",
             t,
             "i64",
             {8, 32},
             "    r = tl.cumsum(x, axis=1, dtype=tl.int64)\n",
             256,
             kBits});
    else if (type(t).getBits() < 64)
      c.add({"scans and sorting",
             "cumsum (dtype)",
             t,
             "fp64",
             {8, 32},
             "    r = tl.cumsum(x, axis=1, dtype=tl.float64)\n",
             256,
             getSumTolerance("fp64", 32),
             {Kind::Range, 0.1, 1},
             "",
             true});
    c.add({"scans and sorting",
           "cumprod (reverse)",
           t,
           t == "bf16" ? "fp32" : t,
           {8, 32},
           "    r = tl.cumprod(x, axis=1, reverse=True)\n",
           256,
           kNumber,
           kSmall});
  }
}

/// Loads, stores and block pointers with their other parameters.
void addMemoryForms(Context c, const std::string &t) {
  auto kernel = [&](const std::string &op, const std::string &body, int count,
                    std::array<uint32_t, 3> grid = {1, 1, 1}, Tolerance tolerance = kBits) {
    Cell cell = makeCell("memory", op, t, c.variant, tolerance);
    cell.source = asFile("@triton.jit\n"
                         "def kernel(o, xp, n):\n" +
                         body);
    addOutput(cell, "o", t, count);
    addInput(cell, "xp", t, 701);
    addInteger(cell, "n", "i32", 29);
    cell.grid = grid;
    cell.numWarps = 1u << (hashText(op + t) + c.variant) % 4;
    c.cells.push_back(std::move(cell));
  };
  kernel("load (scalar, mask)",
         "    i = tl.program_id(0)\n"
         "    x = tl.load(xp + i, mask=i % 2 == 0, other=tl.load(xp + 300))\n"
         "    y = tl.load(xp + i, mask=i % 3 == 0)\n"
         "    tl.store(o + i, x)\n"
         "    tl.store(o + 40 + i, y, mask=i % 5 != 0)\n",
         80, {40, 1, 1});
  kernel("load (mask broadcasts)",
         "    i = tl.arange(0, 16)[:, None]\n"
         "    j = tl.arange(0, 32)[None, :]\n"
         "    x = tl.load(xp + i * n + j, mask=j < n)\n"
         "    y = tl.load(xp + i * n + j, mask=i < 9, other=tl.load(xp + j))\n"
         "    tl.store(o + i * 32 + j, x, mask=i < 14)\n"
         "    tl.store(o + 512 + i * 32 + j, y)\n"
         "    tl.store(o + 1024 + i * 32 + j, tl.load(xp + j), mask=i % 2 == 0)\n",
         1536);
  kernel("load (3-D)",
         "    i = tl.arange(0, 4)[:, None, None]\n"
         "    j = tl.arange(0, 8)[None, :, None]\n"
         "    k = tl.arange(0, 16)[None, None, :]\n"
         "    x = tl.load(xp + i + j * 61 + k * 7, mask=(j < 6) & (k != 3))\n"
         "    tl.store(o + (k * 8 + j) * 4 + i, x)\n",
         512);
  kernel("load (mask, modifiers)",
         "    i = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
         "    x = tl.load(xp + i, mask=i < 200, cache_modifier=\".cg\", "
         "eviction_policy=\"evict_first\")\n"
         "    y = tl.load(xp + i, mask=i % 2 == 0, other=x, cache_modifier=\".cv\", "
         "volatile=True)\n"
         "    tl.store(o + i, y, mask=i < 230, cache_modifier=\".cs\", "
         "eviction_policy=\"evict_last\")\n",
         256, {4, 1, 1});
  // 23 × 29 elements, of which one axis or both are checked.
  const struct {
    const char *name, *rows, *checks, *padding;
  } blocks[] = {{"rows", "24", "(0,)", ""},
                {"columns", "16", "(1,)", ""},
                {"both", "24", "[0, 1]", ", padding_option=\"zero\""}};
  for (const auto &b : blocks) {
    bool rows = b.name == std::string("rows");
    kernel("block pointer (" + std::string(b.name) + " checked)",
           fill("    x = tl.make_block_ptr(base=xp, shape=(23, n), strides=(n, 1), "
                "offsets=($R, $C), block_shape=(8, 16), order=(1, 0))\n"
                "    v = tl.load(x, boundary_check=$K$P, cache_modifier=\".ca\", "
                "eviction_policy=\"evict_last\")\n"
                "    out = tl.make_block_ptr(o, (8, 16), (1, 8), (0, 0), (8, 16), (0, 1))\n"
                "    tl.store(out, v)\n",
                {{"R", b.rows == std::string("24") ? "16" : "8"},
                 {"C", rows ? "8" : "16"},
                 {"K", b.checks},
                 {"P", b.padding}}),
           128);
  }
  kernel("advance (2-D)",
         "    x = tl.make_block_ptr(xp, (24, n), (n, 1), (0, 0), (4, 16), (1, 0))\n"
         "    for k in range(0, 5):\n"
         "        v = tl.load(x, boundary_check=(1,))\n"
         "        out = tl.make_block_ptr(o, (24, n), (n, 1), (k * 4, 0), (4, 16), (1, 0))\n"
         "        tl.store(out, v, boundary_check=(0, 1))\n"
         "        x = tl.advance(x, [4, 2])\n"
         "        x = x.advance((0, -1))\n",
         24 * 29);
  kernel("block pointer (3-D)",
         "    x = tl.make_block_ptr(xp, (3, 7, n), (7 * n, n, 1), (1, 2, 3), (2, 4, 16), "
         "(2, 1, 0))\n"
         "    v = tl.load(x, boundary_check=(0, 1, 2), padding_option=\"zero\")\n"
         "    tl.store(o + tl.reshape(tl.arange(0, 128), [2, 4, 16]), v)\n",
         128);
}

/// Every order and scope of the atomics beside atomic_add.
void addOrders(Context c) {
  for (std::string sem : {"acquire", "release", "acq_rel", "relaxed"})
    for (std::string scope : {"cta", "gpu", "sys"})
      for (std::string op : {"max", "xchg", "cas", "or"}) {
        const char *t = op == "max" ? "i64" : op == "xchg" ? "fp32" : op == "cas" ? "u64" : "u32";
        Cell cell = makeCell("atomics", "atomic_" + op + " (" + sem + ", " + scope + ")", t,
                             c.variant, kBits);
        Fill values = op == "cas" ? kSmall : Fill{};
        addInOut(cell, "o", t, 256, values);
        addOutput(cell, "old", t, 256);
        addInput(cell, "xp", t, 256, values);
        cell.grid[0] = 2;
        cell.numWarps = 1u << (hashText(cell.op) + c.variant) % 4;
        std::string order = "sem=\"" + sem + "\", scope=\"" + scope + "\")";
        cell.source = asFile("@triton.jit\n"
                             "def kernel(o, old, xp):\n"
                             "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
                             "    x = tl.load(xp + i)\n" +
                             (op == "cas" ? "    r = tl.atomic_cas(o + i, x, x + x, " + order
                                          : "    r = tl.atomic_" + op + "(o + i, x, " + order) +
                             "\n    tl.store(old + i, r)\n");
        c.cells.push_back(std::move(cell));
      }
  // On one address: the last value is one of those that were written.
  for (const char *t : {"i32", "i64", "u64", "fp32", "fp64"}) {
    Cell cell = makeCell("atomics", "atomic_cas (scalar)", t, c.variant, kBits);
    addInOut(cell, "o", t, 1, {Kind::Range, 0, 0.001});
    addInput(cell, "xp", t, 1, {Kind::Range, 5, 6});
    cell.grid[0] = 19;
    cell.source = asFile("@triton.jit\n"
                         "def kernel(o, xp):\n"
                         "    x = tl.load(xp)\n"
                         "    before = tl.load(o)\n"
                         "    if before != x:\n"
                         "        tl.atomic_cas(o, before, x)\n");
    c.cells.push_back(std::move(cell));
  }
  for (const char *t : {"i32", "u64", "fp32"}) {
    // A tensor of two dimensions, a mask and a value that broadcast.
    Cell cell = makeCell("atomics", "atomic_add (2-D, broadcast)", t, c.variant, kNumber);
    addInOut(cell, "o", t, 512, kSmall);
    addInput(cell, "xp", t, 32, kSmall);
    cell.grid[0] = 3;
    cell.source = asFile("@triton.jit\n"
                         "def kernel(o, xp):\n"
                         "    i = tl.arange(0, 16)[:, None]\n"
                         "    j = tl.arange(0, 32)[None, :]\n"
                         "    x = tl.load(xp + j)\n"
                         "    tl.atomic_add(o + i * 32 + j, x, mask=i < 11)\n");
    c.cells.push_back(std::move(cell));
  }
}

} // namespace

void matrix::addRanks(Cells &cells, unsigned variant) {
  Context context{cells, variant};
  addAxes(context);
  addScanForms(context);
  for (const std::string &t : kAll)
    addMemoryForms(context, t);
  addOrders(context);
}
