// Loads and stores in every form, block pointers, pointers as values, arguments of every type.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

constexpr int kCount = 701; ///< Elements of a tensor; programs of 256 cover it.

struct Context {
  Cells &cells;
  unsigned variant;

  /// A kernel over i and m = i < n, by programs of 256.
  void line(const std::string &op, const std::string &t, const std::string &body,
            Tolerance tolerance = kBits, bool inOut = false) {
    Cell cell = makeCell("memory", op, t, variant, tolerance);
    cell.numWarps = 1u << (hashText(op + t) + variant) % 4;
    cell.grid[0] = 3;
    cell.source = asFile("@triton.jit\n"
                         "def kernel(o, xp, mp, n):\n"
                         "    i = tl.program_id(0) * 256 + tl.arange(0, 256)\n"
                         "    m = i < n\n" +
                         body);
    if (inOut)
      addInOut(cell, "o", t, kCount);
    else
      addOutput(cell, "o", t, kCount);
    addInput(cell, "xp", t, kCount);
    addInput(cell, "mp", "i1", kCount);
    addInteger(cell, "n", "i32", kCount);
    cells.push_back(std::move(cell));
  }

  /// A kernel with its own arguments.
  Cell &kernel(const std::string &op, const std::string &t, const std::string &text,
               Tolerance tolerance = kBits) {
    Cell cell = makeCell("memory", op, t, variant, tolerance);
    cell.numWarps = 1u << (hashText(op + t) + variant) % 4;
    cell.source = asFile(text);
    cells.push_back(std::move(cell));
    return cells.back();
  }
};

void addLoads(Context c, const std::string &t) {
  const std::string store = "    tl.store(o + i, x, mask=m)\n";
  c.line("load", t, "    x = tl.load(xp + i, mask=m)\n" + store);
  c.line("load (mask)", t,
         "    k = tl.load(mp + i, mask=m, other=False)\n"
         "    x = tl.load(xp + i, mask=k)\n" +
             store);
  c.line("load (mask, other)", t,
         "    k = tl.load(mp + i, mask=m, other=False)\n"
         "    y = tl.load(xp + (n - 1 - i), mask=m)\n"
         "    x = tl.load(xp + i, mask=k, other=y)\n" +
             store);
  if (!type(t).isFp8())
    c.line("load (mask, literal)", t,
           "    x = tl.load(xp + i, mask=m & (i % 3 != 0), other=1)\n" + store);
  c.line("load (mask of blocks)", t,
         "    x = tl.load(xp + i, mask=m & ((i // 64) % 2 == 0))\n" + store);
  for (std::string modifier : {".ca", ".cg", ".cv"})
    c.line("load (" + modifier + ")", t,
           "    x = tl.load(xp + i, mask=m, cache_modifier=\"" + modifier + "\")\n" + store);
  for (std::string policy : {"evict_first", "evict_last", "evict_normal"})
    c.line("load (" + policy + ")", t,
           "    x = tl.load(xp + i, mask=m, eviction_policy=\"" + policy + "\")\n" + store);
  c.line("load (volatile)", t, "    x = tl.load(xp + i, mask=m, volatile=True)\n" + store);
  c.line("load (strided)", t, "    x = tl.load(xp + i * 2 % n, mask=m)\n" + store);
  c.line("load (reversed)", t, "    x = tl.load(xp + n - 1 - i, mask=m)\n" + store);
  c.line("load (one address)", t, "    x = tl.load(xp + i * 0 + 5, mask=m)\n" + store);
  c.line("load (scalar)", t,
         "    x = tl.load(xp + tl.program_id(0))\n"
         "    tl.store(o + i, x, mask=m)\n");
}

void addStores(Context c, const std::string &t) {
  const std::string load = "    x = tl.load(xp + i, mask=m)\n";
  c.line("store (mask)", t,
         load + "    k = tl.load(mp + i, mask=m, other=False)\n"
                "    tl.store(o + i, x, mask=k)\n");
  for (std::string modifier : {".wb", ".cg", ".cs", ".wt"})
    c.line("store (" + modifier + ")", t,
           load + "    tl.store(o + i, x, mask=m, cache_modifier=\"" + modifier + "\")\n");
  for (std::string policy : {"evict_first", "evict_last"})
    c.line("store (" + policy + ")", t,
           load + "    tl.store(o + i, x, mask=m, eviction_policy=\"" + policy + "\")\n");
  c.line("store (strided)", t,
         "    k = i * 2 < n\n"
         "    x = tl.load(xp + i, mask=k)\n"
         "    tl.store(o + i * 2, x, mask=k)\n");
  c.line("store (scalar)", t,
         "    x = tl.load(xp + tl.program_id(0))\n"
         "    tl.store(o + tl.program_id(0), x)\n");
  c.line("store (reversed)", t, load + "    (o + n - 1 - i).store(x, mask=m)\n");
}

void addBlocks(Context c, const std::string &t) {
  // A 45 × 29 tensor by blocks of 16 × 16, the last of which hang over.
  Cell &cell = c.kernel("block pointer", t,
                        "@triton.jit\n"
                        "def kernel(o, xp, rows, columns):\n"
                        "    r = tl.program_id(0) * 16\n"
                        "    k = tl.program_id(1) * 16\n"
                        "    x = tl.make_block_ptr(xp, (rows, columns), (columns, 1), (r, k), "
                        "(16, 16), (1, 0))\n"
                        "    out = tl.make_block_ptr(o, (columns, rows), (rows, 1), (k, r), "
                        "(16, 16), (1, 0))\n"
                        "    v = tl.load(x, boundary_check=(0, 1), padding_option=\"zero\")\n"
                        "    tl.store(out, tl.trans(v), boundary_check=(0, 1))\n");
  addOutput(cell, "o", t, 45 * 29);
  addInput(cell, "xp", t, 45 * 29);
  addInteger(cell, "rows", "i32", 45);
  addInteger(cell, "columns", "i32", 29);
  cell.grid = {3, 2, 1};
  Cell &moved = c.kernel("advance", t,
                         "@triton.jit\n"
                         "def kernel(o, xp, n):\n"
                         "    x = tl.make_block_ptr(xp, (n,), (1,), (0,), (64,), (0,))\n"
                         "    out = tl.make_block_ptr(o, (n,), (1,), (0,), (64,), (0,))\n"
                         "    for _ in range(0, tl.cdiv(n, 64)):\n"
                         "        tl.store(out, tl.load(x, boundary_check=(0,)), "
                         "boundary_check=(0,))\n"
                         "        x = tl.advance(x, (64,))\n"
                         "        out = out.advance((64,))\n");
  addOutput(moved, "o", t, kCount);
  addInput(moved, "xp", t, kCount);
  addInteger(moved, "n", "i32", kCount);
  if (!type(t).isFloat() || type(t).isFp8())
    return;
  Cell &padded = c.kernel("block pointer (nan)", t,
                          "@triton.jit\n"
                          "def kernel(o, xp, n):\n"
                          "    x = tl.make_block_ptr(xp, (n,), (1,), (0,), (256,), (0,))\n"
                          "    v = tl.load(x, boundary_check=(0,), padding_option=\"nan\")\n"
                          "    tl.store(o + tl.arange(0, 256), v)\n",
                          kValue);
  addOutput(padded, "o", t, 256);
  addInput(padded, "xp", t, 201);
  addInteger(padded, "n", "i32", 201);
}

void addDescriptors(Context c, const std::string &t) {
  if (type(t).getBits() < 8)
    return; // Descriptors have no elements of one bit.
  Cell &cell = c.kernel("tensor descriptor", t,
                        "@triton.jit\n"
                        "def kernel(o, xp, rows, columns):\n"
                        "    r = tl.program_id(0) * 16\n"
                        "    k = tl.program_id(1) * 16\n"
                        "    x = tl.make_tensor_descriptor(xp, [rows, columns], [columns, 1], "
                        "[16, 16])\n"
                        "    out = tl.make_tensor_descriptor(o, [rows, columns], [columns, 1], "
                        "[16, 16])\n"
                        "    out.store([r, k], x.load([r, k]))\n");
  addOutput(cell, "o", t, 45 * 29);
  addInput(cell, "xp", t, 45 * 29);
  addInteger(cell, "rows", "i32", 45);
  addInteger(cell, "columns", "i32", 29);
  cell.grid = {3, 2, 1};
  Cell &rows = c.kernel("tensor descriptor (gather)", t,
                        "@triton.jit\n"
                        "def kernel(o, xp, rows, columns):\n"
                        "    x = tl.make_tensor_descriptor(xp, [rows, columns], [columns, 1], "
                        "[1, 16])\n"
                        "    out = tl.make_tensor_descriptor(o, [rows, columns], [columns, 1], "
                        "[1, 16])\n"
                        "    r = tl.arange(0, 64)\n"
                        "    out.scatter(x.gather(rows - 1 - r, 8), r, 8)\n"
                        "    tl.store_tensor_descriptor(out, [44, 0], "
                        "tl.load_tensor_descriptor(x, [0, 0]))\n");
  addOutput(rows, "o", t, 45 * 29);
  addInput(rows, "xp", t, 45 * 29);
  addInteger(rows, "rows", "i32", 45);
  addInteger(rows, "columns", "i32", 29);
}

void addTiles(Context c, const std::string &t) {
  // A transposed copy of a matrix whose row length is not a multiple of anything.
  Cell &cell = c.kernel("load (2-D, strides)", t,
                        "@triton.jit\n"
                        "def kernel(o, xp, rows, columns, stride):\n"
                        "    i = (tl.program_id(0) * 32 + tl.arange(0, 32))[:, None]\n"
                        "    j = (tl.program_id(1) * 16 + tl.arange(0, 16))[None, :]\n"
                        "    m = (i < rows) & (j < columns)\n"
                        "    x = tl.load(xp + i * stride + j, mask=m)\n"
                        "    tl.store(o + j * rows + i, x, mask=m)\n");
  addOutput(cell, "o", t, 43 * 27);
  addInput(cell, "xp", t, 43 * 31);
  addInteger(cell, "rows", "i32", 43);
  addInteger(cell, "columns", "i32", 27);
  addInteger(cell, "stride", "i32", 31);
  cell.grid = {2, 2, 1};
  Cell &large = c.kernel("load (int64 offsets)", t,
                         "@triton.jit\n"
                         "def kernel(o, xp, ip):\n"
                         "    i = tl.arange(0, 128)\n"
                         "    k = tl.load(ip + i)\n"
                         "    tl.store(o + i.to(tl.int64), tl.load(xp + k))\n");
  addOutput(large, "o", t, 128);
  addInput(large, "xp", t, 300);
  addInput(large, "ip", "i64", 128, {Kind::Index, 0, 300});
}

void addPointers(Context c) {
  for (const char *t : {"i32", "fp16", "fp64"}) {
    Cell &cell = c.kernel("pointers as values", t,
                          "@triton.jit\n"
                          "def kernel(o, a, b, n):\n"
                          "    i = tl.arange(0, 256)\n"
                          "    p = tl.where(i % 2 == 0, a + i, b + i)\n"
                          "    q = (o.to(tl.int64) + i * 0).to(o.dtype, bitcast=False) + i\n"
                          "    tl.store(q, tl.load(p, mask=i < n), mask=i < n)\n");
    addOutput(cell, "o", t, 203);
    addInput(cell, "a", t, 203);
    addInput(cell, "b", t, 203);
    addInteger(cell, "n", "i32", 203);
  }
  for (const char *t : {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "i1"}) {
    Cell &cell = c.kernel("scalar argument", t,
                          "@triton.jit\n"
                          "def kernel(o, a, b, c):\n"
                          "    i = tl.arange(0, 32)\n"
                          "    tl.store(o + i, a)\n"
                          "    tl.store(o + 32 + i, b)\n"
                          "    tl.store(o + 64 + i, c)\n");
    bool isBool = t == std::string("i1"), isUnsigned = type(t).isUnsigned();
    addOutput(cell, "o", t, 96);
    addInteger(cell, "a", t, isBool ? 1 : isUnsigned ? 200 : -77);
    addInteger(cell, "b", t, isBool ? 0 : 96);
    addInteger(cell, "c", t, isBool ? 1 : 3);
  }
  for (const char *t : {"fp16", "bf16", "fp32", "fp64"}) {
    Cell &cell = c.kernel("scalar argument", t,
                          "@triton.jit\n"
                          "def kernel(o, a, flag, b):\n"
                          "    i = tl.arange(0, 32)\n"
                          "    tl.store(o + i, a)\n"
                          "    tl.store(o + 32 + i, a * b + flag)\n",
                          kValue);
    addOutput(cell, "o", t, 64);
    addFloat(cell, "a", t, 1.640625);
    addInteger(cell, "flag", "i8", 1);
    addFloat(cell, "b", t, -0.5);
  }
  Cell &program = c.kernel("program_id", "i32",
                           "@triton.jit\n"
                           "def kernel(o):\n"
                           "    x = tl.program_id(0)\n"
                           "    y = tl.program_id(1)\n"
                           "    z = tl.program_id(2)\n"
                           "    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x\n"
                           "    tl.store(o + at, x + 100 * y + 10000 * z + tl.num_programs(2))\n");
  addOutput(program, "o", "i32", 5 * 4 * 3);
  program.grid = {5, 4, 3};
  Cell &swizzled =
      c.kernel("swizzle2d", "i32",
               "@triton.jit\n"
               "def kernel(o):\n"
               "    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), 7, 5, 3)\n"
               "    tl.store(o + i * 5 + j, tl.program_id(0) * 5 + tl.program_id(1))\n");
  addOutput(swizzled, "o", "i32", 35);
  swizzled.grid = {7, 5, 1};
  Cell &hinted = c.kernel("hints", "fp32",
                          "@triton.jit\n"
                          "def kernel(o, xp, n):\n"
                          "    tl.assume(n > 0)\n"
                          "    i = tl.program_id(0) * 64 + tl.arange(0, 64)\n"
                          "    i = tl.max_contiguous(tl.multiple_of(i, 64), 64)\n"
                          "    x = tl.load(xp + i, mask=i < n)\n"
                          "    tl.debug_barrier()\n"
                          "    tl.store(o + i, x, mask=i < n)\n");
  addOutput(hinted, "o", "fp32", 299);
  addInput(hinted, "xp", "fp32", 299);
  addInteger(hinted, "n", "i32", 299);
  hinted.grid[0] = 5;
}

} // namespace

void matrix::addMemory(Cells &cells, unsigned variant) {
  Context context{cells, variant};
  for (const std::string &t : kAll) {
    addLoads(context, t);
    addStores(context, t);
    addBlocks(context, t);
    addDescriptors(context, t);
    addTiles(context, t);
  }
  addPointers(context);
}
