// Blocks whose sizes are not powers of two, in each kind of operation.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

/// Rows and columns of a block.
using Size = std::pair<int, int>;
constexpr Size kSizes[] = {{6, 20}, {3, 100}, {48, 5}, {1, 96}, {7, 12}, {24, 40}};

constexpr const char *kLinear = "@triton.jit\n"
                                "def combine(a1, b1, a2, b2):\n"
                                "    return a1 * a2, a2 * b1 + b2\n\n\n";
constexpr const char *kLast = "@triton.jit\n"
                              "def combine(a, b):\n"
                              "    return b\n\n\n";
constexpr const char *kSteps = "@triton.jit\n"
                               "def steps(a, b):\n"
                               "    n = 0\n"
                               "    while a != b:\n"
                               "        if a > b:\n"
                               "            a -= 1\n"
                               "        else:\n"
                               "            a += 1\n"
                               "        n += 1\n"
                               "    return n\n\n\n";

/// `body` makes r of `$R` × `$C` elements, x and y; `count`: of its elements, by those numbers.
struct Block {
  const char *op;
  const char *body;
  int (*count)(int rows, int columns);
  const char *helper = "";
};
int all(int r, int c) { return r * c; }
int twice(int r, int c) { return 2 * r * c; }
int rows(int r, int) { return r; }
int columns(int, int c) { return c; }
int one(int, int) { return 1; }

/// Operations that only move elements: of every dtype.
constexpr Block kMoves[] = {
    {"elementwise (block)", "    r = tl.where(at % 3 == 0, x, y)\n", all},
    {"reshape (block)", "    r = tl.reshape(tl.reshape(x, [$C, $R]), [$R * $C])\n", all},
    {"trans (block)", "    r = tl.trans(x)\n", all},
    {"broadcast (block)", "    r = tl.broadcast_to(tl.reshape(x, [$R, $C, 1]), [$R, $C, 2])\n",
     twice},
    {"join (block)", "    a, b = tl.split(tl.join(x, y))\n    r = tl.interleave(b, a)\n", twice},
    {"cat (block)", "    r = tl.cat(x, y, dim=0)\n", twice},
    {"cat (block, dim 1)", "    r = tl.cat(x, y, dim=1)\n", twice},
    {"flip (block)", "    r = tl.flip(tl.flip(x, 0), 1)\n", all},
    {"subscript (block)", "    r = x[::-1, $C - 1]\n", rows},
    {"gather (block)",
     "    r = tl.gather(x, (tl.reshape(tl.arange(0, $R * $C), [$R, $C]) * 7 - 50), 1)\n", all},
};

/// Of 32-bit integers, whose results are exact.
constexpr Block kExact[] = {
    {"sum (block)", "    r = tl.sum(x, 0)\n", columns},
    {"sum (block, all)", "    r = tl.sum(x)[None]\n", one},
    {"max (block)", "    r = tl.max(x, 1) - tl.min(x, 1)\n", rows},
    {"argmax (block)", "    r = tl.argmax(x, 0) * 100 + tl.argmin(x, 0)\n", columns},
    {"argmax (block, all)", "    r = tl.argmax(tl.ravel(x), 0)[None]\n", one},
    {"xor_sum (block)", "    r = tl.xor_sum(x, 1) + tl.reduce_or(x, 1)\n", rows},
    {"reduce (block)", "    a, r = tl.reduce((x, y), 1, combine)\n", rows, kLinear},
    {"reduce (block, last)", "    r = tl.reduce(x, 0, combine)\n", columns, kLast},
    {"cumsum (block)", "    r = tl.cumsum(x, 0) + tl.cumsum(x, 1, reverse=True)\n", all},
    {"associative_scan (block)",
     "    a, r = tl.associative_scan((x, y), 1, combine, reverse=True)\n", all, kLinear},
    {"sort (block)", "    r = tl.sort(x)\n", all},
    {"histogram (block)", "    r = tl.histogram(tl.ravel(x & 31), 12)\n",
     [](int, int) { return 12; }},
    {"map_elementwise (block)", "    r = tl.map_elementwise(steps, x % 50, y % 50)\n", all, kSteps},
    {"division (block)", "    r = 1000 // (x | 1) + y % (x | 1)\n", all},
    {"loop (block)",
     "    r = x\n    while tl.max(tl.ravel(r)) < 1000000:\n        r += (r | 1) & 0xfffff\n", all},
};

} // namespace

void matrix::addBlocks(Cells &cells, unsigned variant) {
  auto add = [&](const Block &block, const std::string &t, Fill values) {
    auto [r, c] = kSizes[(hashText(std::string(block.op) + t) + variant) % std::size(kSizes)];
    std::vector<std::pair<std::string, std::string>> names = {{"R", std::to_string(r)},
                                                              {"C", std::to_string(c)}};
    cells.push_back(makeWholeTensor(variant, {.group = "blocks",
                                              .op = block.op,
                                              .dtype = t,
                                              .resultType = t,
                                              .shape = {r, c},
                                              .body = fill(block.body, names),
                                              .resultCount = block.count(r, c),
                                              .tolerance = kBits,
                                              .fill = values,
                                              .helper = block.helper,
                                              .second = t,
                                              .secondFill = values}));
  };
  for (const Block &block : kMoves)
    for (const std::string &t : kAll)
      add(block, t, {});
  for (const Block &block : kExact)
    for (const char *t : {"i32", "i64"})
      add(block, t, {Kind::Index, -100, 100});
  // Rows that are normalized, and products.
  for (const char *t : {"fp32", "fp64"}) {
    WholeTensor softmax{.group = "blocks", .op = "softmax (block)", .dtype = t, .resultType = t};
    softmax.shape = {6, 100};
    softmax.body = "    e = tl.exp(x - tl.max(x, 1, keep_dims=True))\n"
                   "    r = e / tl.sum(e, 1, keep_dims=True)\n";
    softmax.resultCount = 600;
    softmax.tolerance = getSumTolerance(t, 100);
    softmax.tolerance.bound += 64;
    softmax.fill = {Kind::Range, -2, 2};
    softmax.wide = true;
    cells.push_back(makeWholeTensor(variant, softmax));
  }
  for (const char *t : {"fp16", "bf16", "fp32", "i8"}) {
    bool isFloat = type(t).isFloat();
    WholeTensor dot{.group = "blocks", .op = "dot (block)", .dtype = t};
    dot.resultType = isFloat ? "fp32" : "i32";
    dot.shape = {24, 48};
    dot.body = "    r = tl.dot(x, tl.trans(y), input_precision=\"ieee\")\n";
    dot.resultCount = 576;
    dot.tolerance = isFloat ? getDotTolerance(t, "ieee", 48) : kBits;
    dot.fill = isFloat ? Fill{Kind::Range, -1, 1} : Fill{};
    dot.wide = isFloat;
    dot.second = t;
    dot.secondFill = dot.fill;
    cells.push_back(makeWholeTensor(variant, dot));
  }
}
