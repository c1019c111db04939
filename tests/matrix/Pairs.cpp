// Pairs of operations, the second on the result of the first. Each alone is right, but
// drivers' compilers fold a sign, a width or a magnitude of the first into the second, and were
// wrong for the smallest number. (Its quotient by -1 overflows and is not among them.)
#include "tests/matrix/Cell.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

constexpr int kElements = 256, kCount = 717; // Of a program, and of all.

struct First {
  const char *name, *expression;
  bool signedOnly = false;
};
constexpr First kFirsts[] = {
    {"negate", "-x"},
    {"mul by -1", "x * -1", true},
    {"mul by -4", "x * -4", true},
    {"div by -4", "x // -4", true},
    {"invert", "~x"},
    {"abs", "tl.abs(x)"},
    {"sub", "x - y"},
    {"mul", "x * y"},
    {"shift_left", "x << 3"},
    {"shift_right", "x >> 3"},
    {"maximum", "tl.maximum(-x, y)"},
    {"to int16", "x.to(tl.int16)"},
    {"negate int8", "-x.to(tl.int8)"},
    {"negate int16", "-x.to(tl.int16)"},
    {"negate int32", "-x.to(tl.int32)"},
    {"abs int8", "tl.abs(x.to(tl.int8))"},
    {"negate, then int8", "(-x).to(tl.int8)"},
    {"where", "tl.where(y > z, -x, x)"},
};

/// What takes the first operation's result `r`; without a result type, that of the operands.
struct Second {
  const char *expression, *result;
};
constexpr Second kSeconds[] = {
    {"r.to(tl.float16)", "fp16"},
    {"r.to(tl.bfloat16)", "bf16"},
    {"r.to(tl.float32)", "fp32"},
    {"r.to(tl.float64)", "fp64"},
    {"r.to(tl.int8)", "i8"},
    {"r.to(tl.int16)", "i16"},
    {"r.to(tl.int32)", "i32"},
    {"r.to(tl.int64)", "i64"},
    {"r.to(tl.uint64)", "u64"},
    {"r < y", "i1"},
    {"r >= z", "i1"},
    {"r == x", "i1"},
    {"tl.minimum(r, y)", ""},
    {"tl.maximum(r, z)", ""},
    {"tl.minimum(tl.minimum(r, y), 0)", ""},
    {"tl.maximum(tl.maximum(r, z), 1)", ""},
    {"tl.minimum(tl.maximum(r, z), y)", ""},
    {"tl.where(r > y, r, z)", ""},
    {"tl.abs(r)", ""},
    {"-r", ""},
    {"~r", ""},
    {"r + z", ""},
    {"y - r", ""},
    {"r * z", ""},
    {"r * y + z", ""},
    {"r // 4", ""},
    {"r % 4", ""},
    {"r // 7", ""},
    {"r >> 2", ""},
    {"r << 2", ""},
    {"r & z", ""},
};

/// Of floats narrower than 32 bits, whose rounding a wider second operation must see. No product is
/// added to: that may be one operation.
constexpr First kFloatFirsts[] = {
    {"add", "x + y"}, {"sub", "0.5 - x"},         {"mul", "x * y"}, {"maximum", "tl.maximum(x, y)"},
    {"negate", "-x"}, {"fma", "tl.fma(x, y, z)"},
};
constexpr Second kFloatSeconds[] = {
    {"r.to(tl.float32)", "fp32"},
    {"r.to(tl.float64)", "fp64"},
    {"r.to(tl.bfloat16)", "bf16"},
    {"r.to(tl.float16)", "fp16"},
    {"r.to(tl.float32) * 3", "fp32"},
    {"tl.fma(r, y, z)", ""},
    {"tl.fma(y, z, r)", ""},
    {"tl.fma(r.to(tl.float32), y.to(tl.float32), z.to(tl.float32))", "fp32"},
    {"r < y", "i1"},
    {"r == z", "i1"},
    {"r.to(tl.float32) >= z.to(tl.float32)", "i1"},
    {"tl.minimum(r, z)", ""},
    {"tl.where(r > y, r, z)", ""},
    {"tl.abs(r)", ""},
    {"r * z", ""},
};

Cell makePairs(const First &first, llvm::ArrayRef<Second> seconds, const std::string &dtype,
               unsigned variant) {
  const std::string op = "pairs (" + std::string(first.name) + ")";
  Cell cell = makeCell("pairs of operations", op, dtype, variant, {Rule::Value});
  std::string parameters, stores;
  llvm::raw_string_ostream to(stores);
  for (auto [i, second] : llvm::enumerate(seconds)) {
    std::string name = "o" + std::to_string(i);
    addOutput(cell, name, *second.result ? second.result : dtype, kCount);
    parameters += name + ", ";
    to << "    tl.store(" << name << " + i, " << second.expression << ", mask=m)\n";
  }
  for (const char *name : {"xp", "yp", "zp"})
    addInput(cell, name, dtype, kCount);
  addInteger(cell, "n", "i32", kCount);
  cell.source = asFile(fill("@triton.jit\n"
                            "def kernel($outputs xp, yp, zp, n):\n"
                            "    i = tl.program_id(0) * $N + tl.arange(0, $N)\n"
                            "    m = i < n\n"
                            "    x = tl.load(xp + i, mask=m, other=0)\n"
                            "    y = tl.load(yp + i, mask=m, other=0)\n"
                            "    z = tl.load(zp + i, mask=m, other=0)\n"
                            "    r = $first\n"
                            "$stores",
                            {{"outputs", parameters},
                             {"N", std::to_string(kElements)},
                             {"first", first.expression},
                             {"stores", stores}}));
  cell.grid[0] = (kCount + kElements - 1) / kElements;
  cell.numWarps = 1u << (hashText(op + dtype) + variant) % 4;
  return cell;
}

} // namespace

void matrix::addPairs(Cells &cells, unsigned variant) {
  for (const First &first : kFirsts)
    for (const std::string &t : first.signedOnly ? kSigned : kIntegers)
      cells.push_back(makePairs(first, kSeconds, t, variant));
  for (const First &first : kFloatFirsts)
    for (const char *t : {"fp16", "bf16"})
      cells.push_back(makePairs(first, kFloatSeconds, t, variant));
}
