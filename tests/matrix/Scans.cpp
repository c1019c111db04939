// Prefix scans, sorting, and functions that select or count along an axis.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

struct Shape {
  int rows, columns;
  unsigned warps;
};
constexpr Shape kShapes[] = {{8, 32, 4},  {2, 256, 4}, {16, 4, 1},
                             {1, 128, 2}, {32, 64, 8}, {64, 2, 4}};

/// A kernel over a whole rows × columns tile; `body` makes r of shape rows × `$N` (columns unless
/// `resultColumns` says otherwise).
struct Scan {
  std::string op, dtype, resultType;
  std::string body;
  Tolerance tolerance;
  Fill fill;
  std::string helper = "";
  bool wide = false;
  bool transposed = false; ///< The tile is loaded by columns, so that axis 0 is the long one.
  int resultColumns = 0;
};

void addOne(Cells &cells, unsigned variant, const Scan &scan) {
  const Shape &s = kShapes[(hashText(scan.op + scan.dtype) / 5 + variant) % std::size(kShapes)];
  int resultColumns = scan.resultColumns ? scan.resultColumns : s.columns;
  Cell cell = makeCell("scans and sorting", scan.op, scan.dtype, variant, scan.tolerance);
  cell.numWarps = s.warps;
  const char *load = scan.transposed ? "    x = tl.load(xp + i * $C + j).trans()\n"
                                     : "    x = tl.load(xp + i * $C + j)\n";
  const char *store = scan.transposed
                          ? "    tl.store(o + i * $N + tl.arange(0, $N)[None, :], r.trans())\n"
                          : "    tl.store(o + i * $N + tl.arange(0, $N)[None, :], r)\n";
  cell.source = asFile(scan.helper + fill("@triton.jit\n"
                                          "def kernel(o, xp):\n"
                                          "    i = tl.arange(0, $R)[:, None]\n"
                                          "    j = tl.arange(0, $C)[None, :]\n" +
                                              std::string(load) + scan.body + store,
                                          {{"R", std::to_string(s.rows)},
                                           {"C", std::to_string(s.columns)},
                                           {"N", std::to_string(resultColumns)},
                                           {"A", scan.transposed ? "0" : "1"}}));
  if (scan.wide)
    cell.wideSource = cell.source;
  addOutput(cell, "o", scan.resultType, int64_t(s.rows) * resultColumns);
  addInput(cell, "xp", scan.dtype, int64_t(s.rows) * s.columns, scan.fill);
  cells.push_back(std::move(cell));
}

constexpr const char *kLinear = "@triton.jit\n"
                                "def combine(a1, b1, a2, b2):\n"
                                "    return a1 * a2, a2 * b1 + b2\n\n\n";
constexpr const char *kMaximum = "@triton.jit\n"
                                 "def combine(a, b):\n"
                                 "    return tl.maximum(a, b).to(a.dtype)\n\n\n";

} // namespace

void matrix::addScans(Cells &cells, unsigned variant) {
  auto add = [&](Scan scan) { addOne(cells, variant, scan); };
  for (const std::string &t : kNumbers) {
    DType dtype = type(t);
    if (dtype.isFp8())
      continue;
    bool isFloat = dtype.isFloat();
    bool isNarrow = t == "fp16";
    std::string sum = t == "bf16"                        ? "fp32"
                      : !isFloat && dtype.getBits() < 32 ? (dtype.isUnsigned() ? "u32" : "i32")
                                                         : t;
    Tolerance tolerance = isFloat ? getSumTolerance(t, 256) : kBits;
    if (isNarrow)
      tolerance.bound *= getEpsilon(type("fp16")) / getEpsilon(type("fp32"));
    Fill values = isFloat ? Fill{Kind::Range, 0.1, 1} : Fill{};
    add({"cumsum", t, sum, "    r = tl.cumsum(x, axis=$A)\n", tolerance, values, "", isFloat});
    add({"cumsum (reverse)", t, sum, "    r = tl.cumsum(x, axis=$A, reverse=True)\n", tolerance,
         values, "", isFloat, /*transposed=*/true});
    Fill nearOne = isFloat ? Fill{Kind::Range, 0.98, 1.02} : Fill{};
    add({"cumprod", t, t == "bf16" ? "fp32" : t, "    r = tl.cumprod(x, axis=$A)\n", tolerance,
         nearOne, "", isFloat});
    add({"associative_scan (maximum)",
         t,
         t,
         "    r = tl.associative_scan(x, $A, combine).to(" + spell(t) + ")\n",
         kNumber,
         {},
         kMaximum,
         false,
         /*transposed=*/true});
    // NaN has no place in an order.
    add({"sort", t, t, "    r = tl.sort(x)\n", kNumber, {Kind::Finite}});
    add({"sort (descending)",
         t,
         t,
         "    r = tl.sort(x, dim=1, descending=True)\n",
         kNumber,
         {Kind::Finite}});
  }
  for (const char *t : {"i32", "fp32", "fp64"})
    for (const char *reverse : {"False", "True"})
      add({reverse == std::string("True") ? "associative_scan (tuple, reverse)"
                                          : "associative_scan (tuple)",
           t, t,
           "    q, r = tl.associative_scan((x, x), $A, combine, reverse=" + std::string(reverse) +
               ")\n",
           type(t).isFloat() ? getSumTolerance(t, 256) : kBits,
           type(t).isFloat() ? Fill{Kind::Range, 0.2, 0.9} : Fill{}, kLinear, type(t).isFloat()});
  for (const char *t : {"i8", "i32", "u16", "i64", "fp16", "bf16", "fp32", "fp64"}) {
    add({"topk", t, t, "    r = tl.topk(x, 2)\n", kNumber, {Kind::Finite}, "", false, false, 2});
    add({"bitonic_merge",
         t,
         t,
         "    up = tl.sort(x)\n"
         "    r = tl.bitonic_merge(tl.where(j < x.shape[1] // 2, up, tl.flip(up)))\n",
         kNumber,
         {Kind::Range, -100, 100}});
  }
  for (const std::string &t : kAll) {
    add({"flip", t, t, "    r = tl.flip(x, 1)\n", kBits, {}});
    add({"flip (0)", t, t, "    r = tl.flip(x, 0)\n", kBits, {}});
  }
  for (const std::string &t : kAll) {
    for (int axis : {0, 1}) {
      Cell cell = makeCell("scans and sorting", axis ? "gather (axis 1)" : "gather (axis 0)", t,
                           variant, kBits);
      cell.source = asFile(fill("@triton.jit\n"
                                "def kernel(o, xp, ip):\n"
                                "    i = tl.arange(0, 16)[:, None]\n"
                                "    j = tl.arange(0, 32)[None, :]\n"
                                "    x = tl.load(xp + i * 32 + j)\n"
                                "    k = tl.load(ip + i * 32 + j)\n"
                                "    tl.store(o + i * 32 + j, tl.gather(x, k, $A))\n",
                                {{"A", axis ? "1" : "0"}}));
      cell.numWarps = 1u << (hashText(t) + variant) % 4;
      addOutput(cell, "o", t, 512);
      addInput(cell, "xp", t, 512);
      addInput(cell, "ip", "i32", 512, {Kind::Index, 0, axis ? 32.0 : 16.0});
      cells.push_back(std::move(cell));
    }
  }
  for (const std::string &t : kIntegers)
    for (int bins : {8, 128}) {
      Cell cell = makeCell("scans and sorting", "histogram (" + std::to_string(bins) + ")", t,
                           variant, kBits);
      cell.source =
          asFile(fill("@triton.jit\n"
                      "def kernel(o, xp, n):\n"
                      "    i = tl.arange(0, 512)\n"
                      "    x = tl.load(xp + i, mask=i < n, other=0)\n"
                      "    tl.store(o + tl.arange(0, $B), tl.histogram(x, $B, mask=i < n))\n"
                      "    tl.store(o + $B + tl.arange(0, $B), tl.histogram(x, $B))\n",
                      {{"B", std::to_string(bins)}}));
      cell.numWarps = 1u << (hashText(t) + variant) % 4;
      addOutput(cell, "o", "i32", 2 * bins);
      addInput(cell, "xp", t, 433, {Kind::Index, 0, 100});
      addInteger(cell, "n", "i32", 433);
      cells.push_back(std::move(cell));
    }
  // Sorting along a line that is longer than the threads.
  for (const char *t : {"i32", "fp32", "fp16"}) {
    Cell cell = makeCell("scans and sorting", "sort (1-D)", t, variant, kNumber);
    cell.source = asFile("@triton.jit\n"
                         "def kernel(o, xp, n):\n"
                         "    i = tl.arange(0, 1024)\n"
                         "    x = tl.load(xp + i, mask=i < n, other=0)\n"
                         "    tl.store(o + i, tl.sort(x))\n"
                         "    tl.store(o + 1024 + i, tl.cumsum(x.to(tl.int32), 0).to(x.dtype))\n");
    addOutput(cell, "o", t, 2048);
    addInput(cell, "xp", t, 777, {Kind::Signs});
    addInteger(cell, "n", "i32", 777);
    cells.push_back(std::move(cell));
  }
}
