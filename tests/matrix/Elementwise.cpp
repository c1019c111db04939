// Arithmetic, comparisons, bits, selection: every operator and elementwise function.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;
using Types = matrix::Types;

struct Context {
  Cells &cells;
  unsigned variant;

  void add(const std::string &op, const std::string &dtype, Tolerance tolerance,
           const std::string &expression, const std::string &result,
           const std::vector<ElementwiseInput> &inputs, const std::string &wide = "") {
    cells.push_back(makeElementwise("elementwise", op, dtype, variant, tolerance, expression,
                                    result, inputs, wide));
  }
  void unary(const std::string &op, const Types &types, const std::string &expression,
             Tolerance tolerance = kValue, Fill fill = {}) {
    for (const std::string &t : types)
      add(op, t, tolerance, expression, t, {{t, fill}});
  }
  void binary(const std::string &op, const Types &types, const std::string &expression,
              Tolerance tolerance = kValue, Fill second = {}) {
    for (const std::string &t : types)
      add(op, t, tolerance, expression, t, {{t, {}}, {t, second}});
  }
};

const Types kIntegersAndBool{"i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
const Types kIntegersAndFloats{"i8",  "i16", "i32",  "i64",  "u8",   "u16",
                               "u32", "u64", "fp16", "bf16", "fp32", "fp64"};
const Types kWideIntegers{"i32", "i64", "u32", "u64"};

void addOperators(Context c) {
  c.binary("add", kNumbers, "x + y");
  c.binary("sub", kNumbers, "x - y");
  c.binary("mul", kNumbers, "x * y");
  c.binary("add (literal)", kIntegersAndFloats, "3 + x * 2 - y");
  c.binary("floor_divide", kIntegers, "x // y", kBits, {Kind::NonZero});
  c.binary("modulo", kIntegers, "x % y", kBits, {Kind::NonZero});
  for (const std::string &t : kFloats)
    c.add("modulo", t, kValue, "x % y", t,
          {{t, {Kind::Range, -500, 500}}, {t, {Kind::Range, 0.5, 9}}});
  c.binary("and", kIntegersAndBool, "x & y", kBits);
  c.binary("or", kIntegersAndBool, "x | y", kBits);
  c.binary("xor", kIntegersAndBool, "x ^ y", kBits);
  c.binary("shift_left", kIntegers, "x << y", kBits, {Kind::Shift});
  c.binary("shift_right", kIntegers, "x >> y", kBits, {Kind::Shift});
  c.unary("negate", {"i8", "i16", "i32", "i64", "fp16", "bf16", "fp32", "fp64"}, "-x");
  c.unary("invert", kIntegersAndBool, "~x", kBits);
  for (const std::string &t : kAll)
    c.add("not", t, kBits, "not x", "i1", {{t, {}}});
  for (const std::string &t : kFloatsAndFp8) {
    Tolerance tolerance = getMathTolerance("divide", t);
    Fill y{Kind::Range, 0.25, 8};
    c.add("divide", t, tolerance, "x / y", t, {{t, {Kind::Range, -60, 60}}, {t, y}}, "x / y");
  }
  for (const std::string &t : kIntegers)
    c.add("divide", t, getMathTolerance("divide", "integers"), "x / y", "fp32",
          {{t, {}}, {t, {Kind::NonZero}}}, "x.to(tl.float64) / y.to(tl.float64)");
  const std::pair<const char *, const char *> comparisons[] = {
      {"equal", "=="},  {"not_equal", "!="},  {"less", "<"},
      {"greater", ">"}, {"less_equal", "<="}, {"greater_equal", ">="}};
  for (auto [name, sign] : comparisons)
    for (const std::string &t : kAll)
      c.add(name, t, kBits, "x " + std::string(sign) + " y", "i1", {{t, {}}, {t, {}}});
}

void addFunctions(Context c) {
  c.unary("abs", kNumbers, "tl.abs(x)");
  c.binary("tl.add", kNumbers, "tl.add(x, y, sanitize_overflow=False)");
  c.binary("tl.sub", kNumbers, "tl.sub(x, y, sanitize_overflow=False)");
  c.binary("tl.mul", kNumbers, "tl.mul(x, y, sanitize_overflow=False)");
  c.binary("maximum", kNumbers, "tl.maximum(x, y)", kNumber);
  c.binary("minimum", kNumbers, "tl.minimum(x, y)", kNumber);
  c.binary("maximum (NaN)", kFloats, "tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)",
           kNumber);
  c.binary("minimum (NaN)", kFloats, "tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)",
           kNumber);
  c.binary("umulhi", kWideIntegers, "tl.umulhi(x, y)", kBits);
  for (const std::string &t : kAll)
    c.add("where", t, kBits, "tl.where(x, y, z)", t, {{"i1", {}}, {t, {}}, {t, {}}});
  for (const std::string &t : kIntegersAndFloats)
    c.add("where (literal)", t, kValue, "tl.where(x, y, 0)", t, {{"i1", {}}, {t, {}}});
  for (const std::string &t : kFloats) {
    Fill low{Kind::Range, -2, 0}, high{Kind::Range, 0.25, 2};
    c.add("clamp", t, kNumber, "tl.clamp(x, y, z)", t, {{t, {}}, {t, low}, {t, high}});
    c.add("clamp (NaN)", t, kNumber, "tl.clamp(x, y, z, propagate_nan=tl.PropagateNan.ALL)", t,
          {{t, {}}, {t, low}, {t, high}});
    c.add("fma", t, kValue, "tl.fma(x, y, z)", t, {{t, {}}, {t, {}}, {t, {}}});
    c.add("fdiv", t, getMathTolerance("divide", t), "tl.fdiv(x, y)", t,
          {{t, {Kind::Range, -60, 60}}, {t, {Kind::Range, 0.25, 8}}}, "tl.fdiv(x, y)");
    c.add("fdiv (ieee)", t, kValue, "tl.fdiv(x, y, ieee_rounding=True)", t, {{t, {}}, {t, {}}});
  }
  c.binary("div_rn", {"fp32"}, "tl.div_rn(x, y)");
  c.unary("fdiv (by zero)", kFloats, "tl.fdiv(x, tl.zeros_like(x), ieee_rounding=True)");
  c.unary("floor", {"fp32", "fp64"}, "tl.floor(x)");
  c.unary("ceil", {"fp32", "fp64"}, "tl.ceil(x)");
  c.unary("sqrt_rn", {"fp32"}, "tl.sqrt_rn(x)");
  c.binary("cdiv", kIntegers, "tl.cdiv(x, y)", kBits, {Kind::NonZero});
  // Python's own names on run-time values.
  c.binary("python max", {"i32", "u8", "fp16", "fp32"}, "max(x, y)", kNumber);
  c.binary("python min", {"i64", "i16", "bf16", "fp64"}, "min(x, y)", kNumber);
  c.unary("python abs", {"i32", "i8", "fp16", "fp64"}, "abs(x)");
  c.unary("hints", {"i32", "u8", "i64"}, "tl.max_constancy(x, [1] * len(x.shape))", kBits);
}

/// A function of scalars with a branch and a loop, applied to each element.
void addMap(Context c) {
  for (const char *t : {"i32", "i64", "u8", "fp16", "fp32", "fp64"}) {
    Cell cell = makeElementwise("elementwise", "map_elementwise", t, c.variant, kValue,
                                "tl.map_elementwise(steps, x, y)", t,
                                {{t, {Kind::Range, 0, 30}}, {t, {Kind::Range, 1, 9}}});
    const char *helper = "@triton.jit\n"
                         "def steps(a, b):\n"
                         "    if a > b:\n"
                         "        while a > b:\n"
                         "            a = a - b\n"
                         "    else:\n"
                         "        a = a + b\n"
                         "    return a\n\n\n";
    cell.source.insert(cell.source.find("@triton.jit"), helper);
    c.cells.push_back(std::move(cell));
  }
}

void addPromotions(Context c) {
  // Two run-time dtypes in one operation; the result in what the language says.
  const struct {
    const char *left, *right, *result;
  } pairs[] = {{"i8", "i32", "i32"},     {"u8", "i16", "i16"},     {"i32", "u32", "u32"},
               {"i64", "u16", "i64"},    {"fp16", "fp32", "fp32"}, {"bf16", "fp16", "fp32"},
               {"fp32", "fp64", "fp64"}, {"i32", "fp32", "fp32"},  {"u64", "fp16", "fp16"},
               {"i8", "bf16", "bf16"},   {"i1", "i32", "i32"},     {"i1", "fp32", "fp32"}};
  for (const auto &p : pairs) {
    Fill left = {Kind::Range, 0, 90}, right = {Kind::Range, 0, 90};
    c.add("promotion", std::string(p.left) + " with " + p.right, kValue, "x * 2 + y", p.result,
          {{p.left, p.left == std::string("i1") ? Fill{} : left}, {p.right, right}});
  }
}

} // namespace

void matrix::addElementwise(Cells &cells, unsigned variant) {
  Context context{cells, variant};
  addOperators(context);
  addFunctions(context);
  addMap(context);
  addPromotions(context);
}
