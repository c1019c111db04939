// The functions that tensors, pointers, block pointers and descriptors have as methods, called so.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

struct Context : Family {
  void elementwise(const std::string &op, const std::string &t, const std::string &expression,
                   const std::string &result, const std::vector<ElementwiseInput> &inputs,
                   Tolerance tolerance = kValue) {
    add(op, t, tolerance, expression, result, inputs);
  }
  /// Over a tile of 16 × 32 elements.
  void whole(const std::string &op, const std::string &t, const std::string &result,
             const std::string &expression, int count, Tolerance tolerance = kValue,
             Fill values = {}, const std::string &helper = "", const std::string &second = "",
             Fill secondFill = {}) {
    WholeTensor form{"methods", op,        t,      result, {16, 32}, "    r = " + expression + "\n",
                     count,     tolerance, values, helper, false,    second,
                     secondFill};
    cells.push_back(makeWholeTensor(variant, form));
  }
};

void addFunctions(Context c) {
  for (const char *t : {"fp32", "fp64"}) {
    for (const auto &[name, fill] : kPlainFunctions) {
      std::string call = "x." + name + "()";
      c.add("x." + name, t, getMathTolerance(name, t), call, t, {{t, fill}}, call);
    }
    c.elementwise("x.floor", t, "x.floor()", t, {{t, {}}});
    c.elementwise("x.ceil", t, "x.ceil()", t, {{t, {}}});
  }
  c.elementwise("x.sqrt_rn", "fp32", "x.sqrt_rn()", "fp32", {{"fp32", {}}});
  for (const std::string &t : kNumbers)
    c.elementwise("x.abs", t, "x.abs()", t, {{t, {}}});
  for (const std::string &t : kIntegers)
    c.elementwise("x.cdiv", t, "x.cdiv(y)", t, {{t, {}}, {t, {Kind::NonZero}}}, kBits);
  for (const char *t : {"i1", "u8", "i32", "fp32"}) {
    c.elementwise("x.logical_and", t, "x.logical_and(y)", "i1", {{t, {}}, {t, {}}}, kBits);
    c.elementwise("x.logical_or", t, "x.logical_or(y)", "i1", {{t, {}}, {t, {}}}, kBits);
  }
  for (const std::string &t : kAll) {
    if (!type(t).isFp8())
      c.elementwise("x.cast", t, "x.cast(tl.float32)", "fp32", {{t, {}}});
    if (type(t).getBits() == 32)
      c.elementwise("x.to (bitcast)", t, "x.to(tl.uint32, bitcast=True)", "u32", {{t, {}}}, kBits);
  }
}

constexpr const char *kLarger = "@triton.jit\n"
                                "def larger(a, b):\n"
                                "    return tl.where(a > b, a, b)\n\n\n";

void addAxes(Context c) {
  for (const char *t : {"i8", "i32", "u64", "fp16", "fp32", "fp64"}) {
    const bool isFloat = type(t).isFloat();
    const std::string sum = t == std::string("i8") ? "i32" : t;
    const std::string largest = t == std::string("i8")     ? "i32"
                                : t == std::string("fp16") ? "fp32"
                                                           : t;
    const Fill small{Kind::Signs}; // Sums are exact in any order.
    c.whole("x.sum", t, sum, "x.sum(1)", 16, kNumber, small);
    c.whole("x.max", t, largest, "x.max(0)", 32, kNumber, {Kind::Finite});
    c.whole("x.min", t, largest, "x.min(axis=1, keep_dims=True)", 16, kNumber, {Kind::Finite});
    c.whole("x.argmax", t, "i32", "x.argmax(1)", 16, kBits, small);
    c.whole("x.argmin", t, "i32", "x.argmin(axis=0)", 32, kBits, small);
    c.whole("x.reduce", t, t, "x.reduce(1, larger)", 16, kNumber, {Kind::Finite}, kLarger);
    c.whole("x.associative_scan", t, t, "x.associative_scan(0, larger)", 512, kNumber,
            {Kind::Finite}, kLarger);
    c.whole("x.cumsum", t, sum, "x.cumsum(1)", 512, kNumber, small);
    c.whole("x.cumprod", t, t, "x.cumprod(axis=0, reverse=True)", 512, kNumber, small);
    c.whole("x.sort", t, t, "x.sort(descending=True)", 512, kNumber, {Kind::Finite});
    c.whole("x.flip", t, t, "x.flip(0)", 512, kBits);
    c.whole("x.gather", t, t, "x.gather(y, 1)", 512, kBits, {}, "", "i32", {Kind::Index, 0, 32});
    if (!isFloat) {
      c.whole("x.xor_sum", t, t, "x.xor_sum(1)", 16, kBits);
      c.whole("x.reduce_or", t, t, "x.reduce_or(axis=0)", 32, kBits);
      c.whole("x.histogram", t, "i32", "x.ravel().histogram(64)", 64, kBits, {Kind::Index, 0, 64});
    }
  }
  for (const char *t : {"fp32", "fp64"})
    c.whole("x.softmax", t, t, "x.softmax(1, keep_dims=True)", 512, getSumTolerance(t, 32),
            {Kind::Range, -3, 3});
}

void addMoves(Context c) {
  const struct {
    const char *op, *expression;
    int count;
  } moves[] = {
      {"x.reshape", "x.reshape([8, 64])", 512},
      {"x.view", "x.view(16, 32)", 512}, // Of another shape, the order is open.
      {"x.ravel", "x.trans().ravel()", 512},
      {"x.permute", "x.permute(1, 0)", 512},
      {"x.trans (3-D)", "x.reshape(2, 8, 32).trans(2, 0, 1)", 512},
      {"x.expand_dims", "x.expand_dims(-1)", 512},
      {"x.broadcast_to", "x.reshape(16, 1, 32).broadcast_to([16, 2, 32])", 1024},
      {"x.split", "tl.join(x.reshape(16, 16, 2).split()[1], x.reshape(16, 16, 2).split()[0])", 512},
      {"x.unsqueeze, x.squeeze", "x.unsqueeze(1).squeeze(1)", 512},
      {"x.item", "x.ravel().reshape(512, 1).sum(0).item() + x", 512},
  };
  for (const auto &move : moves)
    for (const char *t : {"i8", "i32", "i64", "u16", "fp16", "bf16", "fp32", "fp64"}) {
      bool isSum = move.op == std::string("x.item");
      if (isSum && t != std::string("i32") && t != std::string("i64"))
        continue;
      c.whole(move.op, t, t, move.expression, move.count, kBits);
    }
}

/// Methods of pointers: stores and atomics.
void addPointers(Context c) {
  auto add = [&](const std::string &op, const std::string &t, const std::string &call, Fill fill) {
    Cell cell = makeCell("methods", op, t, c.variant, kNumber);
    addInOut(cell, "o", t, 301, fill);
    addOutput(cell, "old", t, 301);
    addInput(cell, "xp", t, 301, fill);
    addInteger(cell, "n", "i32", 301);
    cell.grid[0] = 3;
    cell.source = asFile("@triton.jit\n"
                         "def kernel(o, old, xp, n):\n"
                         "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
                         "    m = i < n\n"
                         "    x = tl.load(xp + i, mask=m, other=0)\n"
                         "    p = o + tl.where(m, i, 0)\n" +
                         call);
    c.cells.push_back(std::move(cell));
  };
  const std::string keep = "    (old + i).store(r, mask=m)\n";
  const Fill small{Kind::Signs};
  for (const char *t : {"i32", "i64", "u32", "u64"})
    for (std::string op : {"add", "max", "min", "and", "or", "xor", "xchg"})
      add("p.atomic_" + op, t, "    r = p.atomic_" + op + "(x, mask=m)\n" + keep, {});
  for (const char *t : {"fp32", "fp64"})
    for (std::string op : {"add", "max", "min", "xchg"})
      add("p.atomic_" + op, t, "    r = p.atomic_" + op + "(x, m)\n" + keep, small);
  for (const char *t : {"i32", "i64", "fp32", "fp64"}) {
    // Compare-and-swap has no mask.
    add("p.atomic_cas", t,
        "    if tl.program_id(0) < 2:\n"
        "        r = p.atomic_cas(x, x + x)\n"
        "        (old + i).store(r)\n"
        "    else:\n"
        "        (old + i).store(x, mask=m)\n",
        small);
  }
}

/// A descriptor's own atomics, and forms of reading.
void addDescriptors(Context c) {
  auto add = [&](const std::string &op, const std::string &t, const std::string &body, Fill values,
                 Tolerance tolerance, const std::string &padding = "zero") {
    Cell cell = makeCell("methods", op, t, c.variant, tolerance);
    cell.unaligned = false; // As hardware demands: rows of multiples of 16 bytes.
    addInOut(cell, "o", t, 45 * 48, values);
    addInput(cell, "xp", t, 45 * 48, values);
    addInteger(cell, "rows", "i32", 45);
    addInteger(cell, "columns", "i32", 29);
    addInteger(cell, "stride", "i32", 48);
    cell.grid = {3, 2, 1};
    cell.numWarps = 1u << (hashText(op + t) + c.variant) % 4;
    cell.source = asFile(matrix::fill(
        "@triton.jit\n"
        "def kernel(o, xp, rows, columns, stride):\n"
        "    r = tl.program_id(0) * 16\n"
        "    k = tl.program_id(1) * 16\n"
        "    x = tl.make_tensor_descriptor(xp, [rows, columns], [stride, 1], [16, 16], "
        "padding_option=\"$P\")\n"
        "    desc = tl.make_tensor_descriptor(o, [rows, columns], [stride, 1], [16, 16])\n" +
            body,
        {{"P", padding}}));
    c.cells.push_back(std::move(cell));
  };
  const Fill small{Kind::Signs};
  for (const char *t : {"i32", "i64", "u32", "u64"})
    for (std::string op : {"add", "max", "min", "and", "or", "xor"})
      add("desc.atomic_" + op, t, "    desc.atomic_" + op + "([r, k], x.load([r, k]))\n", {},
          kBits);
  for (const char *t : {"fp16", "bf16", "fp32"})
    add("desc.atomic_add", t, "    desc.atomic_add([r, k], x.load([r, k]))\n", small, kNumber);
  for (const std::string &t : kAll) {
    if (type(t).isBool())
      continue;
    add("desc.load, desc.store", t, "    desc.store([r, k], x.load([r, k]))\n", {}, kBits);
    add("desc.load (options)", t,
        "    desc.store([r, k], x.load([r, k], cache_modifier=\".cg\", "
        "eviction_policy=\"evict_first\"))\n",
        {}, kBits);
    if (type(t).isFloat())
      // Elements outside are NaN, which the plain stores after the rows keep.
      add("desc.load (nan)", t,
          "    v = x.load([r, k])\n"
          "    i = r + tl.arange(0, 16)[:, None]\n"
          "    j = k + tl.arange(0, 16)[None, :]\n"
          "    tl.store(o + i * stride + j, v, mask=i < rows)\n",
          {Kind::Finite}, kValue, "nan");
  }
}

} // namespace

void matrix::addMethods(Cells &cells, unsigned variant) {
  Context context{{cells, variant, "methods"}};
  addFunctions(context);
  addAxes(context);
  addMoves(context);
  addPointers(context);
  addDescriptors(context);
}
