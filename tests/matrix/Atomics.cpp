// Atomics: every operation and dtype, order and scope; old values where their order is defined, and
// memory after many programs where it is not.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

const matrix::Types kWide{"i32", "i64", "u32", "u64"};

struct Context {
  Cells &cells;
  unsigned variant;

  void finish(Cell &&cell, const std::string &text) {
    cell.source = asFile(text);
    cell.numWarps = 1u << (hashText(cell.op + cell.dtype) + variant) % 4;
    cells.push_back(std::move(cell));
  }

  /// Every element of memory once: the old values are defined.
  void once(const std::string &op, const std::string &t, const std::string &call,
            Tolerance tolerance, Fill fill = {}) {
    Cell cell = makeCell("atomics", op, t, variant, tolerance);
    addInOut(cell, "o", t, 301, fill);
    addOutput(cell, "old", t, 301);
    addInput(cell, "xp", t, 301, fill);
    addInteger(cell, "n", "i32", 301);
    cell.grid[0] = 3;
    finish(std::move(cell), "@triton.jit\n"
                            "def kernel(o, old, xp, n):\n"
                            "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
                            "    m = i < n\n"
                            "    x = tl.load(xp + i, mask=m)\n"
                            "    r = " +
                                call + "\n    tl.store(old + i, r, mask=m)\n");
  }

  /// Many lanes and programs on 13 elements: the final values do not depend on the order.
  void many(const std::string &op, const std::string &t, const std::string &call,
            Tolerance tolerance, Fill fill = {}) {
    Cell cell = makeCell("atomics", op, t, variant, tolerance);
    addInOut(cell, "o", t, 13, fill);
    addInput(cell, "xp", t, 901, fill);
    addInteger(cell, "n", "i32", 901);
    cell.grid[0] = 4;
    finish(std::move(cell), "@triton.jit\n"
                            "def kernel(o, xp, n):\n"
                            "    i = tl.program_id(0) * 256 + tl.arange(0, 256)\n"
                            "    m = i < n\n"
                            "    x = tl.load(xp + i, mask=m)\n"
                            "    " +
                                call + "\n");
  }

  /// On one scalar address, by every program.
  void scalar(const std::string &op, const std::string &t, const std::string &call,
              Tolerance tolerance, Fill fill = {}) {
    Cell cell = makeCell("atomics", op, t, variant, tolerance);
    addInOut(cell, "o", t, 1, fill);
    addInput(cell, "xp", t, 37, fill);
    cell.grid[0] = 37;
    finish(std::move(cell), "@triton.jit\n"
                            "def kernel(o, xp):\n"
                            "    x = tl.load(xp + tl.program_id(0))\n"
                            "    " +
                                call + "\n");
  }
};

} // namespace

void matrix::addAtomics(Cells &cells, unsigned variant) {
  Context c{cells, variant};
  // Whole numbers, so that float sums are exact in any order.
  const Fill small{Kind::Signs};
  auto all = [&](const std::string &op, const std::string &t, Tolerance tolerance, Fill fill) {
    std::string name = "atomic_" + op;
    c.once(name, t, "tl." + name + "(o + i, x, mask=m)", tolerance, fill);
    c.many(name + " (collisions)", t, "tl." + name + "(o + i % 13, x, mask=m)", tolerance, fill);
    c.scalar(name + " (scalar)", t, "tl." + name + "(o, x)", tolerance, fill);
  };
  for (const std::string &t : kWide) {
    for (const char *op : {"add", "max", "min", "and", "or", "xor"})
      all(op, t, kBits, {});
  }
  for (const std::string &t : kFloats) {
    all("add", t, kNumber, small);
    for (const char *op : {"max", "min"})
      all(op, t, kBits, {Kind::Any});
  }
  matrix::Types exchanged{"i16", "u16", "i32", "u32", "i64", "u64", "fp16", "bf16", "fp32", "fp64"};
  for (const std::string &t : exchanged) {
    c.once("atomic_xchg", t, "tl.atomic_xchg(o + i, x, mask=m)", kBits);
    Cell cell = makeCell("atomics", "atomic_cas", t, variant, kBits);
    addInOut(cell, "o", t, 256, small);
    addOutput(cell, "old", t, 256);
    addInput(cell, "xp", t, 256, small);
    addInput(cell, "yp", t, 256);
    cell.grid[0] = 2;
    c.finish(std::move(cell), "@triton.jit\n"
                              "def kernel(o, old, xp, yp):\n"
                              "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
                              "    x = tl.load(xp + i)\n"
                              "    y = tl.load(yp + i)\n"
                              "    tl.store(old + i, tl.atomic_cas(o + i, x, y))\n");
  }
  // A lock by compare-and-swap, which counts by plain accesses.
  Cell lock = makeCell("atomics", "atomic_cas (lock)", "i32", variant, kBits);
  addInOut(lock, "o", "i32", 1, {Kind::Range, 5, 6});
  addInOut(lock, "lock", "i32", 1, {Kind::Range, 0, 0.5});
  lock.grid[0] = 23;
  c.finish(std::move(lock), "@triton.jit\n"
                            "def kernel(o, lock):\n"
                            "    while tl.atomic_cas(lock, 0, 1) == 1:\n"
                            "        pass\n"
                            "    tl.store(o, tl.load(o, volatile=True) + 1)\n"
                            "    tl.debug_barrier()\n"
                            "    tl.atomic_xchg(lock, 0)\n");
  for (std::string sem : {"acquire", "release", "acq_rel", "relaxed"})
    for (std::string scope : {"cta", "gpu", "sys"})
      for (const char *t : {"i32", "fp32"}) {
        std::string order = "mask=m, sem=\"" + sem + "\", scope=\"" + scope + "\")";
        std::string op = "atomic_add (" + sem + ", " + scope + ")";
        // Only threads of one program may meet within the scope `cta`.
        if (scope == "cta")
          c.once(op, t, "tl.atomic_add(o + i, x, " + order, kNumber, small);
        else
          c.many(op, t, "tl.atomic_add(o + i % 13, x, " + order, kNumber, small);
      }
  c.once("atomic_add (method)", "i32", "(o + i).atomic_add(x, mask=m)", kBits);
  c.once("atomic_add (no mask lanes)", "u64", "tl.atomic_add(o + i, x, mask=m & (i % 2 == 0))",
         kBits);
}
