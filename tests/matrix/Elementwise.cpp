// Arithmetic, comparisons, bits, selection: every operator and elementwise function.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;
using Types = matrix::Types;

struct Context : Family {
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
const Types kIntegersBoolAndFloats{"i1",  "i8",  "i16",  "i32",  "i64",  "u8",  "u16",
                                   "u32", "u64", "fp16", "bf16", "fp32", "fp64"};
const Types kIntegersAndFloats{"i8",  "i16", "i32",  "i64",  "u8",   "u16",
                               "u32", "u64", "fp16", "bf16", "fp32", "fp64"};
const Types kWideIntegers{"i32", "i64", "u32", "u64"};

void addOperators(Context c) {
  c.binary("add", kAll, "x + y");
  c.binary("sub", kAll, "x - y");
  c.binary("mul", kAll, "x * y");
  c.binary("add (literal)", kIntegersAndFloats, "3 + x * 2 - y");
  c.binary("floor_divide", kIntegers, "x // y", kBits, {Kind::NonZero});
  c.binary("modulo", kIntegers, "x % y", kBits, {Kind::NonZero});
  for (const std::string &t : kFloats)
    c.add("modulo", t, kValue, "x % y", t,
          {{t, {Kind::Range, -500, 500}}, {t, {Kind::Range, 0.5, 9}}});
  // Computed in float32 and rounded.
  for (const std::string &t : kFp8)
    c.add("modulo", t, kValue, "x % y", t,
          {{t, {Kind::Range, -1.8, 1.8}}, {t, {Kind::Range, 0.25, 1.8}}});
  c.binary("and", kIntegersAndBool, "x & y", kBits);
  c.binary("or", kIntegersAndBool, "x | y", kBits);
  c.binary("xor", kIntegersAndBool, "x ^ y", kBits);
  c.binary("shift_left", kIntegers, "x << y", kBits, {Kind::Shift});
  c.binary("shift_right", kIntegers, "x >> y", kBits, {Kind::Shift});
  c.unary("negate", kAll, "-x");
  c.unary("invert", kIntegersAndBool, "~x", kBits);
  // Divisors that are true, and shifts by less than the one bit.
  for (const auto &[op, expression] : {std::pair("floor_divide", "x // (y | True)"),
                                       {"modulo", "x % (y | True)"},
                                       {"shift_left", "x << (y & False)"},
                                       {"shift_right", "x >> (y & False)"}})
    c.binary(op, {"i1"}, expression, kBits);
  c.add("divide", "i1", kValue, "x / (y | True)", "fp32", {{"i1", {}}, {"i1", {}}});
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
  c.unary("abs", kAll, "tl.abs(x)");
  c.binary("tl.add", kAll, "tl.add(x, y, sanitize_overflow=False)");
  c.binary("tl.sub", kAll, "tl.sub(x, y, sanitize_overflow=False)");
  c.binary("tl.mul", kAll, "tl.mul(x, y, sanitize_overflow=False)");
  c.binary("maximum", kAll, "tl.maximum(x, y)", kNumber);
  c.binary("minimum", kAll, "tl.minimum(x, y)", kNumber);
  c.binary("maximum (NaN)", kAll, "tl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)", kNumber);
  c.binary("minimum (NaN)", kAll, "tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)", kNumber);
  c.binary("umulhi", kWideIntegers, "tl.umulhi(x, y)", kBits);
  for (const std::string &t : kAll)
    c.add("where", t, kBits, "tl.where(x, y, z)", t, {{"i1", {}}, {t, {}}, {t, {}}});
  for (const std::string &t : kIntegersBoolAndFloats)
    c.add("where (literal)", t, kValue, "tl.where(x, y, 0)", t, {{"i1", {}}, {t, {}}});
  for (const std::string &t : kFloatsAndFp8) {
    Fill low{Kind::Range, -2, 0}, high{Kind::Range, 0.25, 2};
    c.add("clamp", t, kNumber, "tl.clamp(x, y, z)", t, {{t, {}}, {t, low}, {t, high}});
    c.add("clamp (NaN)", t, kNumber, "tl.clamp(x, y, z, propagate_nan=tl.PropagateNan.ALL)", t,
          {{t, {}}, {t, low}, {t, high}});
    c.add("fma", t, kValue, "tl.fma(x, y, z)", t, {{t, {}}, {t, {}}, {t, {}}});
    c.add("fdiv", t, getMathTolerance("divide", t), "tl.fdiv(x, y)", t,
          {{t, {Kind::Range, -60, 60}}, {t, {Kind::Range, 0.25, 8}}}, "tl.fdiv(x, y)");
    if (t == "fp8e4b15") // Has no NaN, and which number stands for one depends on the NaN's sign.
      c.add("fdiv (ieee)", t, kValue, "tl.fdiv(x, y, ieee_rounding=True)", t,
            {{t, {Kind::Range, -1.8, 1.8}}, {t, {Kind::Range, 0.25, 1.8}}});
    else
      c.add("fdiv (ieee)", t, kValue, "tl.fdiv(x, y, ieee_rounding=True)", t, {{t, {}}, {t, {}}});
  }
  c.binary("div_rn", {"fp32"}, "tl.div_rn(x, y)");
  c.unary("fdiv (by zero)",
          {"fp16", "bf16", "fp32", "fp64", "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16"},
          "tl.fdiv(x, tl.zeros_like(x), ieee_rounding=True)");
  c.unary("floor", {"fp32", "fp64"}, "tl.floor(x)");
  c.unary("ceil", {"fp32", "fp64"}, "tl.ceil(x)");
  c.unary("sqrt_rn", {"fp32"}, "tl.sqrt_rn(x)");
  c.binary("cdiv", kIntegers, "tl.cdiv(x, y)", kBits, {Kind::NonZero});
  // Python's own names on run-time values.
  c.binary("python max", kAll, "max(x, y)", kNumber);
  c.binary("python min", kAll, "min(x, y)", kNumber);
  c.unary("python abs", kAll, "abs(x)");
  c.unary("hints", kIntegers, "tl.max_constancy(x, [1] * len(x.shape))", kBits);
  c.unary("hints (two)", kIntegers,
          "tl.multiple_of(tl.max_contiguous(x, [1] * len(x.shape)), [1] * len(x.shape))", kBits);
}

/// A function of scalars with a branch and a loop, applied to each element.
void addMap(Context c) {
  for (const std::string &t : kNumbers) {
    // Few bits: only differences that get smaller.
    bool isTiny = type(t).isFp8();
    Cell cell = makeElementwise(
        "elementwise", "map_elementwise", t, c.variant, kValue, "tl.map_elementwise(steps, x, y)",
        t, {{t, {Kind::Range, 0, isTiny ? 1.8 : 30}}, {t, {Kind::Range, 1, isTiny ? 1.8 : 9}}});
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
  // Several results, and several elements a call.
  for (const std::string &t : kIntegers)
    for (bool packed : {false, true}) {
      Cell cell = makeElementwise(
          "elementwise", packed ? "map_elementwise (pack)" : "map_elementwise (two results)", t,
          c.variant, kBits,
          packed ? "tl.map_elementwise(both, x, y, pack=2)"
                 : "tl.map_elementwise(both, x, y)[0] ^ tl.map_elementwise(both, x, y)[1]",
          t, {{t, {}}, {t, {}}});
      const char *helper = packed ? "@triton.jit\n"
                                    "def both(a, b, c, d):\n"
                                    "    return a ^ c, b & d\n\n\n"
                                  : "@triton.jit\n"
                                    "def both(a, b):\n"
                                    "    return a & b, a | b\n\n\n";
      cell.source.insert(cell.source.find("@triton.jit"), helper);
      c.cells.push_back(std::move(cell));
    }
}

/// The dtype of x ∘ y for two run-time operands.
std::string getCommonType(const std::string &x, const std::string &y, bool isDivision) {
  DType a = type(x), b = type(y);
  auto either = [&](const char *name) { return x == name || y == name; };
  if (either("fp64"))
    return "fp64";
  if (either("fp32"))
    return "fp32";
  if (either("fp16"))
    return isDivision ? "fp32" : "fp16";
  if (either("bf16"))
    return isDivision || x != y ? "fp32" : "bf16";
  if (a.isFp8() || b.isFp8())
    return x == y ? x : "fp16";
  if (isDivision)
    return "fp32";
  // As in C: the wider one; of equals the unsigned one, and int1 counts as unsigned.
  if (a.getBits() != b.getBits())
    return a.getBits() > b.getBits() ? x : y;
  return a.isUnsigned() ? x : y;
}

/// Every pair of dtypes in one operation, which shows the dtype of its result.
void addPromotions(Context c) {
  auto add = [&](const std::string &op, const std::string &sign, const std::string &x,
                 const std::string &y, const std::string &result, Tolerance tolerance, Fill left,
                 Fill right, const std::string &wide = "") {
    // Eight bits cannot hold 90; overflow is checked elsewhere.
    auto limit = [](const std::string &t, Fill fill) {
      if (type(t).isFp8())
        fill.low /= 64, fill.high /= 64;
      if (type(t).isBool())
        fill = {};
      return fill;
    };
    Cell cell = makeElementwise("elementwise", op, x + " with " + y, c.variant, tolerance,
                                "x " + sign + " y", result,
                                {{x, limit(x, left)}, {y, limit(y, right)}}, wide);
    const std::string line = "    r = x " + sign + " y\n";
    cell.source.insert(cell.source.find(line) + line.size(),
                       "    tl.static_assert(r.dtype == " + spell(result) + ")\n");
    c.cells.push_back(std::move(cell));
  };
  for (size_t i = 0; i < kAll.size(); ++i)
    for (size_t j = i + 1; j < kAll.size(); ++j) {
      const std::string &x = kAll[i], &y = kAll[j];
      // An 8-bit float meets floats alone.
      if (type(x).isFp8() != type(y).isFp8() && (type(x).isInt() || type(y).isInt()))
        continue;
      add("promotion (+)", "+", x, y, getCommonType(x, y, false), kValue, {Kind::Range, 0, 90},
          {Kind::Range, 0, 90});
    }
  for (const auto &[x, y] : {std::pair("i8", "i16"),
                             {"i1", "u32"},
                             {"u64", "u16"},
                             {"i32", "fp16"},
                             {"fp16", "bf16"},
                             {"bf16", "u8"},
                             {"fp32", "i64"},
                             {"i16", "fp64"}})
    add("promotion (/)", "/", x, y, getCommonType(x, y, true),
        getMathTolerance("divide", type(x).isInt() && type(y).isInt() ? "integers"
                                                                      : getCommonType(x, y, true)),
        {Kind::Range, 0, 90}, {Kind::Range, 1, 9}, "x.to(tl.float64) / y.to(tl.float64)");
  for (const auto &[x, y] : {std::pair("i8", "i64"), {"u8", "u32"}, {"i1", "u16"}, {"u64", "u16"}})
    for (const char *sign : {"//", "%"})
      add("promotion (" + std::string(sign) + ")", sign, x, y, getCommonType(x, y, false), kBits,
          {Kind::Range, 0, 90}, {Kind::Range, 1, 9});
  for (const auto &[x, y] : {std::pair("i8", "i64"), {"u8", "i32"}, {"i1", "i16"}, {"u32", "i32"}})
    for (const char *sign : {"&", "|", "^"})
      add("promotion (" + std::string(sign) + ")", sign, x, y, getCommonType(x, y, false), kBits,
          {}, {});
}

} // namespace

void matrix::addElementwise(Cells &cells, unsigned variant) {
  Context context{{cells, variant, "elementwise"}};
  addOperators(context);
  addFunctions(context);
  addMap(context);
  addPromotions(context);
}
