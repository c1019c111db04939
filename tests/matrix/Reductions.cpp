// Reductions of every kind, over every axis of tensors of one to three dimensions.
#include "tests/matrix/Tolerance.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

/// A tile of 2 dimensions and the axis that goes; smaller than a warp, larger than the threads.
struct Shape {
  int rows, columns, axis;
  unsigned warps;
};
constexpr Shape kShapes[] = {{16, 64, 1, 4}, {64, 16, 0, 4}, {4, 8, 1, 1},   {128, 32, 0, 8},
                             {2, 512, 1, 4}, {32, 32, 1, 2}, {1, 256, 1, 4}, {256, 1, 0, 4}};

/// A kernel that loads a rows × columns tile, of which the last rows and columns lie outside the
/// tensor, and stores `$body`'s `r`, one value a kept position.
struct Reduction {
  std::string op, dtype, resultType;
  std::string body; ///< Lines that make r from x; `$A` is the axis.
  Tolerance tolerance;
  Fill fill;
  std::string helper = ""; ///< Functions before the kernel.
  std::string second = ""; ///< dtype of a second result r2.
  bool wide = false;       ///< Compare with float64.
};

void addOne(Cells &cells, unsigned variant, const Reduction &reduction) {
  const Shape &s =
      kShapes[(hashText(reduction.op + reduction.dtype) / 7 + variant) % std::size(kShapes)];
  int kept = s.axis == 1 ? s.rows : s.columns;
  int rows = std::max(1, s.rows - s.rows / 5), columns = std::max(1, s.columns - s.columns / 7);
  Cell cell = makeCell("reductions", reduction.op, reduction.dtype, variant, reduction.tolerance);
  cell.numWarps = s.warps;
  bool second = !reduction.second.empty();
  cell.source = asFile(
      reduction.helper +
      fill("@triton.jit\n"
           "def kernel(o, $P xp, rows, columns):\n"
           "    i = tl.arange(0, $R)[:, None]\n"
           "    j = tl.arange(0, $C)[None, :]\n"
           "    x = tl.load(xp + i * columns + j, mask=(i < rows) & (j < columns), other=0)\n" +
               reduction.body +
               "    tl.store(o + tl.arange(0, $K), r)\n"
               "$S",
           {{"P", second ? "o2," : ""},
            {"S", second ? fill("    tl.store(o2 + tl.arange(0, $K), r2)\n",
                                {{"K", std::to_string(kept)}})
                         : ""},
            {"R", std::to_string(s.rows)},
            {"C", std::to_string(s.columns)},
            {"K", std::to_string(kept)},
            {"A", std::to_string(s.axis)}}));
  if (reduction.wide)
    cell.wideSource = cell.source;
  addOutput(cell, "o", reduction.resultType, kept);
  if (second)
    addOutput(cell, "o2", reduction.second, kept, /*exact=*/true);
  addInput(cell, "xp", reduction.dtype, int64_t(rows) * columns, reduction.fill);
  addInteger(cell, "rows", "i32", rows);
  addInteger(cell, "columns", "i32", columns);
  cells.push_back(std::move(cell));
}

std::string getSumType(const std::string &dtype) {
  DType t = type(dtype);
  if (t.isInt() && t.getBits() < 32)
    return t.isUnsigned() ? "u32" : "i32";
  return dtype;
}
std::string getExtremumType(const std::string &dtype) {
  DType t = type(dtype);
  if (t.isFloat())
    return t.getBits() < 32 ? "fp32" : dtype;
  return t.getBits() < 32 ? "i32" : dtype;
}

constexpr const char *kWelford = "@triton.jit\n"
                                 "def combine(m1, q1, n1, m2, q2, n2):\n"
                                 "    n = n1 + n2\n"
                                 "    d = m2 - m1\n"
                                 "    w = n2 / n\n"
                                 "    return m1 + d * w, q1 + q2 + d * d * n1 * w, n\n\n\n";
constexpr const char *kProduct = "@triton.jit\n"
                                 "def combine(a, b):\n"
                                 "    return a * b\n\n\n";
constexpr const char *kLargest = "@triton.jit\n"
                                 "def combine(a, i, b, j):\n"
                                 "    first = (a > b) | ((a == b) & (i < j))\n"
                                 "    return tl.where(first, a, b), tl.where(first, i, j)\n\n\n";

} // namespace

void matrix::addReductions(Cells &cells, unsigned variant) {
  auto add = [&](Reduction reduction) { addOne(cells, variant, reduction); };
  for (const std::string &t : kAll) {
    bool isFloat = type(t).isFloat();
    Tolerance tolerance = isFloat ? getSumTolerance(t, 512) : kBits;
    Fill values = isFloat ? Fill{Kind::Range, 0.1, 2} : Fill{};
    if (type(t).isFp8()) { // A sum of zeros and ones, in few bits: what fits is exact.
      add({"sum", t, t, "    r = tl.sum(tl.where(i == j, x, x - x), axis=$A)\n", kValue, values});
      continue;
    }
    if (t == "fp16" || t == "bf16") // Partial sums round to the dtype.
      tolerance.bound *= getEpsilon(type(t)) / getEpsilon(type("fp32"));
    add({"sum", t, getSumType(t), "    r = tl.sum(x, axis=$A)\n", tolerance, values, "", "",
         isFloat});
    add({"sum (all)", t, getSumType(t),
         "    r = tl.sum(x, axis=$A) * 0 + tl.sum(tl.sum(x, axis=0, keep_dims=True)) + tl.sum(x)\n",
         tolerance, values, "", "", isFloat});
  }
  add({"sum (dtype)",
       "fp16",
       "fp32",
       "    r = tl.sum(x, axis=$A, dtype=tl.float32)\n",
       getSumTolerance("fp32", 512),
       {Kind::Range, 0.1, 2},
       "",
       "",
       true});
  for (const std::string &t : kIntegers)
    add({"sum (dtype)", t, "i64", "    r = tl.sum(x, axis=$A, dtype=tl.int64)\n", kBits, {}});
  add({"sum (dtype)", "i1", "i64", "    r = tl.sum(x, axis=$A, dtype=tl.int64)\n", kBits, {}});
  for (const std::string &t : {"bf16", "fp32", "fp8e5", "fp8e4nv"})
    add({"sum (dtype)",
         t,
         "fp64",
         "    r = tl.sum(x, axis=$A, dtype=tl.float64)\n",
         getSumTolerance("fp64", 512),
         {Kind::Range, 0.1, 2},
         "",
         "",
         true});
  for (const std::string &t : kAll) {
    for (std::string name : {"max", "min"}) {
      add({name, t, getExtremumType(t), "    r = tl." + name + "(x, axis=$A)\n", kNumber, {}});
      add({name + " (all)",
           t,
           getExtremumType(t),
           "    r = tl." + name + "(x, axis=$A) * 0 + tl." + name + "(x)\n",
           kNumber,
           {Kind::Signs}});
      // Few different values: the position must be the first of them.
      add({name + " (indices)",
           t,
           getExtremumType(t),
           "    r, r2 = tl." + name + "(x, axis=$A, return_indices=True)\n",
           kNumber,
           {Kind::Signs},
           "",
           "i32"});
      add({"arg" + name,
           t,
           "i32",
           "    r = tl.arg" + name + "(x, axis=$A)\n",
           kBits,
           {Kind::Signs}});
      add({"arg" + name + " (NaN)", t, "i32", "    r = tl.arg" + name + "(x, $A)\n", kBits, {}});
    }
  }
  // A position of an equal value may come out: the values are different then.
  for (const char *t : {"i16", "i32", "i64", "u16", "u32", "u64"})
    for (std::string name : {"max", "min"}) {
      Fill fill{Kind::Permutation};
      add({"arg" + name + " (any tie)", t, "i32",
           "    r = tl.arg" + name + "(x, axis=$A, tie_break_left=False)\n", kBits, fill});
      add({name + " (indices, any tie)", t, getExtremumType(t),
           "    r, r2 = tl." + name +
               "(x, axis=$A, return_indices=True, return_indices_tie_break_left=False)\n",
           kBits, fill, "", "i32"});
    }
  matrix::Types bits = kIntegers;
  bits.push_back("i1");
  for (const std::string &t : bits) {
    add({"xor_sum", t, t, "    r = tl.xor_sum(x, axis=$A)\n", kBits, {}});
    add({"reduce_or", t, t, "    r = tl.reduce_or(x, axis=$A)\n", kBits, {}});
  }
  for (const std::string &t : kIntegers)
    add({"reduce (product)", t, t, "    r = tl.reduce(x, $A, combine)\n", kBits, {}, kProduct});
  for (const std::string &t : kFloats) {
    Tolerance tolerance = getSumTolerance(t, 512);
    if (type(t).getBits() < 32)
      tolerance.bound *= getEpsilon(type(t)) / getEpsilon(type("fp32"));
    add({"reduce (product)",
         t,
         t,
         "    r = tl.reduce(tl.where(x > 0, x, 1).to(" + spell(t) + "), $A, combine)\n",
         tolerance,
         {Kind::Range, 0.99, 1.01},
         kProduct});
  }
  for (const char *t : {"fp32", "fp64"})
    add({"reduce (tuple of 3)",
         t,
         t,
         "    one = tl.full(x.shape, 1, x.dtype)\n"
         "    r, q, n = tl.reduce((x, x * 0, one), $A, combine)\n"
         "    r = r + q / n\n",
         getSumTolerance(t, 512),
         {Kind::Range, 0.1, 2},
         kWelford,
         "",
         true});
  for (const std::string &t : kNumbers) {
    if (type(t).isFp8())
      continue;
    add({"reduce (tuple of 2)",
         t,
         t,
         "    p = (i * 1000 + j + x.to(tl.int32) * 0).to(tl.int32)\n"
         "    r, r2 = tl.reduce((x, p), $A, combine)\n",
         kNumber,
         {Kind::Signs},
         kLargest,
         "i32"});
  }
  for (const char *t : {"fp32", "fp64"})
    for (std::string rounding : {"False", "True"})
      add({rounding == "True" ? "softmax (ieee)" : "softmax",
           t,
           t,
           "    s = tl.softmax(x, dim=$A, ieee_rounding=" + rounding +
               ")\n"
               "    r = tl.max(s, axis=$A) + tl.min(s, axis=$A)\n",
           getSumTolerance(t, 512),
           {Kind::Range, -3, 3},
           "",
           "",
           true});
  // Three dimensions, kept dimensions, scalars.
  for (int axis = 0; axis < 3; ++axis)
    for (const char *t : {"i32", "fp16", "fp32"}) {
      Cell cell =
          makeCell("reductions", "sum of 3-D along " + std::to_string(axis), t, variant, kNumber);
      const int sizes[] = {4, 8, 16};
      int kept = 4 * 8 * 16 / sizes[axis];
      cell.source =
          asFile(fill("@triton.jit\n"
                      "def kernel(o, xp):\n"
                      "    i = tl.arange(0, 4)[:, None, None] * 128\n"
                      "    j = tl.arange(0, 8)[None, :, None] * 16\n"
                      "    k = tl.arange(0, 16)[None, None, :]\n"
                      "    x = tl.load(xp + i + j + k)\n"
                      "    r = tl.sum(x, axis=$A, keep_dims=True) + 0 * tl.max(x, axis=$A,"
                      " keep_dims=True).to(x.dtype)\n"
                      "    tl.store(o + tl.arange(0, $K), tl.reshape(r, [$K]))\n",
                      {{"A", std::to_string(axis)}, {"K", std::to_string(kept)}}));
      cell.numWarps = 1u << (hashText(cell.op + t) + variant) % 4;
      addOutput(cell, "o", t, kept);
      // Small whole numbers: sums are exact in any order.
      addInput(cell, "xp", t, 512, {Kind::Signs});
      cells.push_back(std::move(cell));
    }
}
