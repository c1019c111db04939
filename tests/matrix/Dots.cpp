// Matrix products: operand dtypes, precisions, accumulators, shapes, transposed operands, loops.
#include "tests/matrix/Tolerance.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

struct Shape {
  int m, n, k;
  unsigned warps;
};
constexpr Shape kShapes[] = {{32, 32, 32, 4},  {64, 64, 32, 4}, {16, 16, 64, 1}, {128, 64, 64, 8},
                             {64, 128, 32, 4}, {16, 8, 32, 2},  {32, 64, 128, 4}};

struct Dot {
  std::string op, dtype;
  std::string accumulator; ///< And result.
  std::string options;     ///< Further arguments of tl.dot.
  std::string precision = "";
  Shape shape;
  std::string left = "", right = "";           ///< Applied to the loaded operands.
  bool transposeA = false, transposeB = false; ///< The operands' layouts in memory.
  bool accumulate = false;
  std::string other = ""; ///< dtype of the second operand, if not the same.
};

std::string text(int value) { return std::to_string(value); }

void addDot(Cells &cells, unsigned variant, const Dot &dot) {
  const Shape &s = dot.shape;
  Cell cell = makeCell("products", dot.op, dot.dtype, variant,
                       getDotTolerance(dot.dtype, dot.precision, s.k));
  if (dot.accumulator == "fp16")
    cell.tolerance.bound *= 64; // Partial sums round to half precision.
  cell.numWarps = s.warps;
  bool wide = type(dot.dtype).isFloat();
  auto write = [&](const std::string &options) {
    return asFile(fill("@triton.jit\n"
                       "def kernel(o, ap, bp, cp):\n"
                       "    m = tl.arange(0, $M)\n"
                       "    n = tl.arange(0, $N)\n"
                       "    k = tl.arange(0, $K)\n"
                       "    a = tl.load(ap + $A)\n"
                       "    b = tl.load(bp + $B)\n"
                       "    c = tl.load(cp + m[:, None] * $N + n[None, :])\n"
                       "$L$R"
                       "    r = tl.dot(a, b$O)\n"
                       "    tl.store(o + m[:, None] * $N + n[None, :], r)\n",
                       {{"A", dot.transposeA ? "k[None, :] * " + text(s.m) + " + m[:, None]"
                                             : "m[:, None] * " + text(s.k) + " + k[None, :]"},
                        {"B", dot.transposeB ? "n[None, :] * " + text(s.k) + " + k[:, None]"
                                             : "k[:, None] * " + text(s.n) + " + n[None, :]"},
                        {"M", text(s.m)},
                        {"N", text(s.n)},
                        {"K", text(s.k)},
                        {"L", dot.left},
                        {"R", dot.right},
                        {"O", options}}));
  };
  std::string accumulate = dot.accumulate ? ", c" : "";
  cell.source = write(accumulate + dot.options);
  if (wide)
    cell.wideSource = write(accumulate);
  // Operands of one sign: the norm of the result is no smaller than that of its terms.
  Fill values = wide ? Fill{Kind::Range, -1, 1} : Fill{};
  addOutput(cell, "o", dot.accumulator, s.m * s.n);
  addInput(cell, "ap", dot.dtype, s.m * s.k, values);
  addInput(cell, "bp", dot.other.empty() ? dot.dtype : dot.other, s.k * s.n, values);
  addInput(cell, "cp", dot.accumulator, s.m * s.n, wide ? values : Fill{Kind::Range, -1000, 1000});
  cells.push_back(std::move(cell));
}

const matrix::Types kOperands{"i8",    "fp16",    "bf16",    "fp32",     "fp64",
                              "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15"};

std::string getAccumulator(const std::string &t) {
  return t == "i8" ? "i32" : t == "fp64" ? "fp64" : "fp32";
}
/// The default of a target may be tf32.
std::string getDefault(const std::string &t) { return t == "fp32" ? "tf32" : ""; }

void addForms(Cells &cells, unsigned variant, const std::string &t) {
  uint64_t hash = hashText(t) + variant;
  auto pick = [&] { return kShapes[hash++ % std::size(kShapes)]; };
  std::string acc = getAccumulator(t), precision = getDefault(t);
  addDot(cells, variant, {"dot", t, acc, "", precision, pick()});
  addDot(cells, variant,
         {"dot (accumulator)", t, acc, "", precision, pick(), "", "", false, false, true});
  addDot(cells, variant,
         {"dot (A by columns)", t, acc, "", precision, pick(), "", "", true, false, true});
  addDot(cells, variant,
         {"dot (B by columns)", t, acc, "", precision, pick(), "", "", false, true});
  addDot(cells, variant,
         {"dot (computed operands)", t, acc, "", precision, pick(),
          "    a = tl.where(m[:, None] % 2 == 0, a, tl.trans(tl.trans(a)))\n",
          "    b = tl.where(n[None, :] >= 0, b, b)\n"});
  // Shapes at the edges of what the language allows.
  const Shape edges[] = {{1, 1, 32, 1},     {1, 64, 32, 4},   {16, 1, 32, 1},  {8, 8, 32, 4},
                         {128, 128, 32, 8}, {16, 16, 256, 4}, {32, 32, 64, 16}};
  for (const Shape &edge : edges)
    addDot(cells, variant,
           {"dot " + text(edge.m) + "x" + text(edge.n) + "x" + text(edge.k), t, acc, "", precision,
            edge, "", "", false, false, true});
}

void addLoop(Cells &cells, unsigned variant, const std::string &t) {
  // A whole product by blocks, of sizes that are not multiples of the block.
  for (unsigned stages : {1u, 2u, 4u}) {
    Cell cell = makeCell("products", "matmul (" + text(int(stages)) + " stages)", t, variant,
                         getDotTolerance(t, getDefault(t), 153));
    cell.numStages = stages;
    cell.numWarps = stages == 2 ? 8 : 4;
    bool isInt = !type(t).isFloat();
    std::string acc = getAccumulator(t);
    auto write = [&](const std::string &accumulator) {
      return asFile(fill("@triton.jit\n"
                         "def kernel(o, ap, bp, M, N, K):\n"
                         "    m = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
                         "    n = tl.program_id(1) * 64 + tl.arange(0, 64)\n"
                         "    k = tl.arange(0, 32)\n"
                         "    acc = tl.zeros((64, 64), $T)\n"
                         "    for at in range(0, K, 32):\n"
                         "        a = tl.load(ap + m[:, None] * K + (at + k)[None, :], "
                         "mask=(m[:, None] < M) & ((at + k)[None, :] < K))\n"
                         "        b = tl.load(bp + (at + k)[:, None] * N + n[None, :], "
                         "mask=((at + k)[:, None] < K) & (n[None, :] < N))\n"
                         "        acc = tl.dot(a, b, acc)\n"
                         "    tl.store(o + m[:, None] * N + n[None, :], acc, "
                         "mask=(m[:, None] < M) & (n[None, :] < N))\n",
                         {{"T", accumulator}}));
    };
    cell.source = write(spell(acc));
    if (!isInt)
      cell.wideSource = write("tl.float64");
    Fill values = isInt ? Fill{} : Fill{Kind::Range, -1, 1};
    addOutput(cell, "o", acc, 101 * 85);
    addInput(cell, "ap", t, 101 * 153, values);
    addInput(cell, "bp", t, 153 * 85, values);
    addInteger(cell, "M", "i32", 101);
    addInteger(cell, "N", "i32", 85);
    addInteger(cell, "K", "i32", 153);
    cell.grid = {2, 2, 1};
    cells.push_back(std::move(cell));
  }
}

void addBatched(Cells &cells, unsigned variant, const std::string &t) {
  Cell cell = makeCell("products", "dot (3-D)", t, variant, getDotTolerance(t, getDefault(t), 32));
  cell.source = asFile("@triton.jit\n"
                       "def kernel(o, ap, bp):\n"
                       "    h = tl.arange(0, 4)[:, None, None]\n"
                       "    m = tl.arange(0, 16)[None, :, None]\n"
                       "    n = tl.arange(0, 16)[None, None, :]\n"
                       "    a = tl.load(ap + (h * 16 + m) * 32 + tl.arange(0, 32)[None, None, :])\n"
                       "    b = tl.load(bp + (h * 32 + tl.arange(0, 32)[None, :, None]) * 16 + n)\n"
                       "    tl.store(o + (h * 16 + m) * 16 + n, tl.dot(a, b))\n");
  bool isInt = !type(t).isFloat();
  if (!isInt)
    cell.wideSource = cell.source;
  Fill values = isInt ? Fill{} : Fill{Kind::Range, -1, 1};
  addOutput(cell, "o", getAccumulator(t), 4 * 16 * 16);
  addInput(cell, "ap", t, 4 * 16 * 32, values);
  addInput(cell, "bp", t, 4 * 32 * 16, values);
  cells.push_back(std::move(cell));
}

/// Scaled operands: formats of both sides, with scales or without.
void addScaled(Cells &cells, unsigned variant) {
  const struct {
    const char *left, *leftType, *right, *rightType, *scales;
  } cases[] = {
      {"e2m1", "u8", "e2m1", "u8", "both"},         {"e4m3", "fp8e4nv", "e2m1", "u8", "both"},
      {"e5m2", "fp8e5", "e4m3", "fp8e4nv", "both"}, {"bf16", "bf16", "e2m1", "u8", "right"},
      {"fp16", "fp16", "e4m3", "fp8e4nv", "right"}, {"e2m1", "u8", "bf16", "bf16", "left"}};
  for (const auto &c : cases) {
    const int m = 32, n = 32, k = 64;
    const bool packedA = std::string(c.left) == "e2m1", packedB = std::string(c.right) == "e2m1";
    const std::string scales = c.scales;
    Cell cell = makeCell("products", "dot_scaled", std::string(c.left) + " " + c.right, variant,
                         getDotTolerance("bf16", "", k));
    cell.source = asFile(fill("@triton.jit\n"
                              "def kernel(o, ap, bp, sp, tp):\n"
                              "    m = tl.arange(0, 32)\n"
                              "    ka = tl.arange(0, $A)\n"
                              "    kb = tl.arange(0, $B)\n"
                              "    g = tl.arange(0, 2)\n"
                              "    a = tl.load(ap + m[:, None] * $A + ka[None, :])\n"
                              "    b = tl.load(bp + kb[:, None] * 32 + m[None, :])\n"
                              "    s = tl.load(sp + m[:, None] * 2 + g[None, :])\n"
                              "    t = tl.load(tp + m[:, None] * 2 + g[None, :])\n"
                              "    r = tl.dot_scaled(a, $S, \"$L\", b, $T, \"$R\")\n"
                              "    tl.store(o + m[:, None] * 32 + m[None, :], r)\n",
                              {{"A", text(packedA ? k / 2 : k)},
                               {"B", text(packedB ? k / 2 : k)},
                               {"S", scales == "right" ? "None" : "s"},
                               {"T", scales == "left" ? "None" : "t"},
                               {"L", c.left},
                               {"R", c.right}}));
    auto values = [](bool packed) { return packed ? Fill{} : Fill{Kind::Range, -1, 1}; };
    addOutput(cell, "o", "fp32", m * n);
    addInput(cell, "ap", c.leftType, packedA ? m * k / 2 : m * k, values(packedA));
    addInput(cell, "bp", c.rightType, packedB ? n * k / 2 : n * k, values(packedB));
    addInput(cell, "sp", "u8", m * 2, {Kind::Index, 122, 132});
    addInput(cell, "tp", "u8", n * 2, {Kind::Index, 122, 132});
    cells.push_back(std::move(cell));
  }
}

/// Other operands of tl.dot_scaled.
void addScaledForms(Cells &cells, unsigned variant) {
  auto add = [&](const std::string &op, const std::string &dtype, const std::string &kind, int ka,
                 int kb, const std::string &call, const std::string &result) {
    Cell cell = makeCell("products", op, dtype, variant, getDotTolerance("bf16", "", 64));
    if (result != "fp32")
      cell.tolerance.bound *= 64; // The sum rounds to the result's dtype.
    cell.source = asFile(fill("@triton.jit\n"
                              "def kernel(o, ap, bp, cp, sp, tp):\n"
                              "    m = tl.arange(0, 32)\n"
                              "    ka = tl.arange(0, $A)\n"
                              "    kb = tl.arange(0, $B)\n"
                              "    g = tl.arange(0, 2)\n"
                              "    a = tl.load(ap + m[:, None] * $A + ka[None, :])\n"
                              "    b = tl.load(bp + kb[:, None] * 32 + m[None, :])\n"
                              "    c = tl.load(cp + m[:, None] * 32 + m[None, :])\n"
                              "    s = tl.load(sp + m[:, None] * 2 + g[None, :])\n"
                              "    t = tl.load(tp + m[:, None] * 2 + g[None, :])\n"
                              "    r = tl.dot_scaled($C)\n"
                              "    tl.store(o + m[:, None] * 32 + m[None, :], r)\n",
                              {{"A", text(ka)}, {"B", text(kb)}, {"C", call}}));
    Fill values = type(kind).isFloat() ? Fill{Kind::Range, -1, 1} : Fill{};
    addOutput(cell, "o", result, 32 * 32);
    addInput(cell, "ap", kind, 32 * ka, values);
    addInput(cell, "bp", kind, 32 * kb, values);
    addInput(cell, "cp", "fp32", 32 * 32, {Kind::Range, -1, 1});
    addInput(cell, "sp", "u8", 64, {Kind::Index, 122, 132});
    addInput(cell, "tp", "u8", 64, {Kind::Index, 122, 132});
    cells.push_back(std::move(cell));
  };
  const struct {
    const char *format, *kind;
  } kinds[] = {{"e5m2", "fp8e5"}, {"e4m3", "fp8e4nv"}, {"bf16", "bf16"}, {"fp16", "fp16"}};
  for (const auto &k : kinds) {
    std::string quoted = "\"" + std::string(k.format) + "\"";
    bool isWide = type(k.kind).getBits() == 16; // Those have no scales.
    std::string s = isWide ? "None" : "s", t = isWide ? "None" : "t";
    add("dot_scaled (accumulator)", k.format, k.kind, 64, 64,
        "a, " + s + ", " + quoted + ", b, " + t + ", " + quoted + ", acc=c", "fp32");
    add("dot_scaled (fast_math)", k.format, k.kind, 64, 64,
        "a, " + s + ", " + quoted + ", b, " + t + ", " + quoted + ", c, fast_math=True", "fp32");
    add("dot_scaled (out_dtype)", k.format, k.kind, 64, 64,
        "a, " + s + ", " + quoted + ", b, " + t + ", " + quoted + ", out_dtype=tl.float32", "fp32");
  }
}

} // namespace

void matrix::addDots(Cells &cells, unsigned variant) {
  for (const std::string &t : kOperands) {
    addForms(cells, variant, t);
    addLoop(cells, variant, t);
    addBatched(cells, variant, t);
  }
  addScaled(cells, variant);
  addScaledForms(cells, variant);
  for (std::string precision : {"ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"})
    for (const Shape &shape : {kShapes[0], kShapes[1], kShapes[6]})
      addDot(
          cells, variant,
          {"dot (" + precision + ") " + text(shape.m) + "x" + text(shape.n) + "x" + text(shape.k),
           "fp32", "fp32", ", input_precision=\"" + precision + "\"", precision, shape});
  addDot(cells, variant,
         {"dot (allow_tf32)", "fp32", "fp32", ", allow_tf32=False", "ieee", kShapes[0]});
  for (const char *t : {"fp16", "fp8e5", "fp8e4nv"})
    addDot(cells, variant,
           {"dot (out_dtype fp16)", t, "fp16", ", out_dtype=tl.float16", "", kShapes[0]});
  for (const char *t : {"fp8e5", "fp8e4nv"})
    addDot(cells, variant,
           {"dot (imprecise)", t, "fp32", ", max_num_imprecise_acc=32", "", kShapes[1]});
  addDot(cells, variant,
         {"dot (mixed 8-bit floats)", "fp8e5", "fp32", "", "", kShapes[0], "", "", false, false,
          false, "fp8e4nv"});
  // A second product whose operand is the result of the first, as in attention.
  for (const char *t : {"fp16", "bf16"}) {
    Cell cell = makeCell("products", "dot of dot", t, variant, getDotTolerance(t, "", 64));
    cell.tolerance.bound += getEpsilon(type(t)) / getEpsilon(type("fp32"));
    auto write = [&](const std::string &narrow) {
      return asFile("@triton.jit\n"
                    "def kernel(o, ap, bp, cp):\n"
                    "    m = tl.arange(0, 64)\n"
                    "    n = tl.arange(0, 32)\n"
                    "    a = tl.load(ap + m[:, None] * 32 + n[None, :])\n"
                    "    b = tl.load(bp + n[:, None] * 64 + m[None, :])\n"
                    "    c = tl.load(cp + m[:, None] * 32 + n[None, :])\n"
                    "    p = tl.dot(a, b)\n"
                    "    p = p - tl.max(p, 1)[:, None]\n"
                    "    r = tl.dot(p.to(" +
                    narrow +
                    "), c)\n"
                    "    tl.store(o + m[:, None] * 32 + n[None, :], r)\n");
    };
    cell.source = write(spell(t));
    cell.wideSource = write("tl.float64");
    addOutput(cell, "o", "fp32", 64 * 32);
    for (const char *name : {"ap", "bp", "cp"})
      addInput(cell, name, t, 64 * 32, {Kind::Range, -1, 1});
    cells.push_back(std::move(cell));
  }
}
