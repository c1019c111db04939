// Tensor descriptors that the host makes and a kernel takes as arguments.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

constexpr int kRows = 45, kColumns = 29, kStride = 48; // Rows are multiples of 16 bytes apart.
const Fill kSmall{Kind::Signs};                        // Sums are exact in any order.

struct Context {
  Cells &cells;
  unsigned variant;

  Cell &kernel(const std::string &op, const std::string &t, const std::string &text,
               Tolerance tolerance = kBits) {
    Cell cell = makeCell("memory", "host descriptor" + op, t, variant, tolerance);
    cell.unaligned = false; // As hardware demands.
    cell.numWarps = 1u << (hashText(op + t) + variant) % 4;
    cell.source = asFile("@triton.jit\n" + text);
    cells.push_back(std::move(cell));
    return cells.back();
  }
};

/// Makes the last tensor of the cell a descriptor.
void describe(Cell &cell, std::vector<int64_t> block, bool padsWithNan = false,
              std::vector<int64_t> shape = {kRows, kColumns},
              std::vector<int64_t> strides = {kStride}) {
  cell.tensors.back().descriptor =
      HostDescriptor{std::move(shape), std::move(strides), std::move(block), padsWithNan};
}

void addLoads(Context c, const std::string &t) {
  Cell &copy = c.kernel("", t,
                        "def kernel(o, x):\n"
                        "    r = tl.program_id(0) * 16\n"
                        "    k = tl.program_id(1) * 16\n"
                        "    v = tl.trans(x.load([k, r]))\n"
                        "    o.store([r, k], v)\n");
  addInOut(copy, "o", t, kRows * kStride);
  describe(copy, {16, 16});
  addInput(copy, "x", t, 32 * kStride);
  describe(copy, {16, 16}, false, {kColumns, kRows});
  copy.grid = {3, 2, 1};

  Cell &rows = c.kernel(" (gather, scatter)", t,
                        "def kernel(o, x):\n"
                        "    r = tl.arange(0, 64)\n"
                        "    o.scatter(x.gather(x.shape[0] - 1 - r, 16), r, 16)\n"
                        "    tl.store_tensor_descriptor(o, [44, 0], "
                        "tl.load_tensor_descriptor(x, [0, 0]))\n");
  addInOut(rows, "o", t, kRows * kStride);
  describe(rows, {1, 32});
  addInput(rows, "x", t, kRows * kStride);
  describe(rows, {1, 32});

  // Every number of dimensions, with planes that are not packed.
  Cell &cube = c.kernel(" (3-D)", t,
                        "def kernel(o, x):\n"
                        "    k = tl.program_id(0) * 16\n"
                        "    o.store([0, k], tl.reshape(x.load([1, 2, k]), [4 * 8, 16]))\n");
  addInOut(cube, "o", t, 32 * kStride);
  describe(cube, {32, 16}, false, {30, kColumns});
  addInput(cube, "x", t, 5 * 10 * kStride);
  describe(cube, {4, 8, 16}, false, {4, 9, kColumns}, {10 * kStride, kStride});
  cube.grid = {2, 1, 1};

  Cell &line = c.kernel(" (1-D)", t,
                        "def kernel(o, x):\n"
                        "    at = tl.program_id(0) * 64\n"
                        "    o.store([at], x.load([at]))\n");
  addInOut(line, "o", t, 320);
  describe(line, {64}, false, {285}, {});
  addInput(line, "x", t, 300);
  describe(line, {64}, false, {290}, {});
  line.grid[0] = 5;

  if (!type(t).isFloat())
    return;
  Cell &padded = c.kernel(" (nan)", t,
                          "def kernel(o, x):\n"
                          "    r = tl.program_id(0) * 16\n"
                          "    k = tl.program_id(1) * 16\n"
                          "    v = x.load([r, k])\n"
                          "    i = r + tl.arange(0, 16)[:, None]\n"
                          "    tl.store(o + i * 32 + k + tl.arange(0, 16)[None, :], v)\n",
                          kValue);
  addOutput(padded, "o", t, 48 * 32);
  addInput(padded, "x", t, kRows * kStride, {Kind::Finite});
  describe(padded, {16, 16}, true);
  padded.grid = {3, 2, 1};
}

void addAtomics(Context c) {
  auto add = [&](const std::string &op, const std::string &t, Fill values, Tolerance tolerance) {
    // Two programs at each block.
    Cell &cell = c.kernel(" (atomic_" + op + ")", t,
                          "def kernel(o, x):\n"
                          "    r = tl.program_id(0) * 16\n"
                          "    k = tl.program_id(1) * 16\n"
                          "    o.atomic_" +
                              op + "([r, k], x.load([r, k + tl.program_id(2)]))\n",
                          tolerance);
    addInOut(cell, "o", t, kRows * kStride, values);
    describe(cell, {16, 16});
    addInput(cell, "x", t, kRows * kStride, values);
    describe(cell, {16, 16});
    cell.grid = {3, 2, 2};
  };
  for (const char *t : {"i32", "i64", "u32", "u64"})
    for (const char *op : {"add", "max", "min", "and", "or", "xor"})
      add(op, t, {}, kBits);
  for (const char *t : {"fp16", "bf16", "fp32"}) {
    add("add", t, kSmall, kNumber);
    for (const char *op : {"max", "min"})
      add(op, t, kSmall, kBits);
  }
}

/// Queries of a descriptor, and the places where it may be passed.
void addUses(Context c) {
  for (const char *t : {"i32", "fp16"}) {
    Cell &asked = c.kernel(" (questions)", t,
                           "def kernel(o, x):\n"
                           "    tl.static_assert(x.block_shape[1] == 32)\n"
                           "    tl.static_assert(x.dtype == $T)\n"
                           "    tl.store(o, x.shape[0])\n"
                           "    tl.store(o + 1, x.shape[1])\n"
                           "    tl.store(o + 2, x.strides[0])\n"
                           "    tl.store(o + 3, x.strides[1])\n");
    asked.source = matrix::fill(asked.source, {{"T", spell(t)}});
    addOutput(asked, "o", "i64", 4);
    addInput(asked, "x", t, kRows * kStride);
    describe(asked, {8, 32});
    Cell &passed = c.kernel(" (helper)", t,
                            "def move(to, at, pair):\n"
                            "    source, n = pair\n"
                            "    for k in range(0, n, 16):\n"
                            "        to.store([at, k], source.load([at, k]))\n\n\n"
                            "@triton.jit\n"
                            "def kernel(o, x, y):\n"
                            "    r = tl.program_id(0) * 16\n"
                            "    if tl.program_id(0) == 1:\n"
                            "        move(o, r, (x, x.shape[1]))\n"
                            "    else:\n"
                            "        move(o, r, (y, y.shape[1]))\n");
    addInOut(passed, "o", t, kRows * kStride);
    describe(passed, {16, 16});
    addInput(passed, "x", t, kRows * kStride);
    describe(passed, {16, 16});
    addInput(passed, "y", t, kRows * kStride);
    describe(passed, {16, 16}, false, {40, 20});
    passed.grid = {3, 1, 1};
  }
  // The operands of a product.
  for (const char *t : {"fp16", "bf16", "i8"}) {
    const bool isFloat = type(t).isFloat();
    Cell &product = c.kernel(" (dot)", t,
                             "def kernel(o, a, b):\n"
                             "    r = tl.program_id(0) * 32\n"
                             "    s = tl.zeros([32, 32], o.dtype)\n"
                             "    for k in range(0, 96, 32):\n"
                             "        s = tl.dot(a.load([r, k]), b.load([k, 0]), s)\n"
                             "    o.store([r, 0], s)\n",
                             isFloat ? getDotTolerance(t, "ieee", 96) : kBits);
    if (isFloat)
      product.wideSource = product.source;
    const Fill values = isFloat ? Fill{Kind::Range, -1, 1} : Fill{};
    addInOut(product, "o", isFloat ? "fp32" : "i32", 64 * 32, Fill{Kind::Pattern});
    describe(product, {32, 32}, false, {60, 30}, {32});
    addInput(product, "a", t, 64 * 96, values);
    describe(product, {32, 32}, false, {60, 90}, {96});
    addInput(product, "b", t, 96 * 32, values);
    describe(product, {32, 32}, false, {90, 30}, {32});
    product.grid = {2, 1, 1};
  }
}

} // namespace

void matrix::addHostDescriptors(Cells &cells, unsigned variant) {
  Context context{cells, variant};
  for (const std::string &t : kAll)
    if (type(t).getBits() >= 8) // Descriptors have no elements of one bit.
      addLoads(context, t);
  addAtomics(context);
  addUses(context);
}
