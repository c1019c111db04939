// Operators and functions on values of no dimension, and on such a value with a tensor.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

struct Context : Family {
  void all(const std::string &op, const matrix::Types &types, const std::string &expression,
           Tolerance tolerance = kValue, Fill second = {}) {
    for (const std::string &t : types)
      addScalar(op, t, tolerance, expression, t, {{t, {}}, {t, second}});
  }
};

void addOperators(Context c) {
  matrix::Types bits = kIntegers;
  bits.push_back("i1");
  c.all("add (scalar)", kAll, "x + y");
  c.all("sub (scalar)", kAll, "x - y");
  c.all("mul (scalar)", kAll, "x * y");
  c.all("negate (scalar)", kNumbers, "-x");
  c.all("abs (scalar)", kNumbers, "tl.abs(x)");
  c.all("maximum (scalar)", kAll, "tl.maximum(x, y)", kNumber);
  c.all("minimum (scalar)", kAll, "tl.minimum(x, y)", kNumber);
  c.all("where (scalar)", kAll, "tl.where(x < y, x, y)");
  c.all("floor_divide, modulo (scalar)", kIntegers, "(x // y) ^ (x % y)", kBits, {Kind::NonZero});
  c.all("cdiv (scalar)", kIntegers, "tl.cdiv(x, y)", kBits, {Kind::NonZero});
  c.all("and, or, xor, invert (scalar)", bits, "(x & y) ^ (x | ~y)", kBits);
  c.all("shifts (scalar)", kIntegers, "(x << y) ^ (x >> y)", kBits, {Kind::Shift});
  c.all("umulhi (scalar)", {"i32", "i64", "u32", "u64"}, "tl.umulhi(x, y)", kBits);
  for (const std::string &t : kAll)
    c.addScalar(
        "comparisons (scalar)", t, kBits,
        "(x < y).to(tl.int32) + (x <= y).to(tl.int32) * 2 + (x > y).to(tl.int32) * 4 + "
        "(x >= y).to(tl.int32) * 8 + (x == y).to(tl.int32) * 16 + (x != y).to(tl.int32) * 32",
        "i32", {{t, {}}, {t, {}}});
  for (const std::string &t : bits)
    c.addScalar("and, or, not (scalar)", t, kBits, "(x and y) or not x", "i1", {{t, {}}, {t, {}}});
  for (const std::string &t : kFloats) {
    Fill x{Kind::Range, -60, 60}, y{Kind::Range, 0.25, 8};
    c.addScalar("divide (scalar)", t, getMathTolerance("divide", t), "x / y", t, {{t, x}, {t, y}},
                "x / y");
    c.addScalar("modulo (scalar)", t, kValue, "x % y", t, {{t, x}, {t, y}});
    c.addScalar("fma (scalar)", t, kValue, "tl.fma(x, y, z)", t, {{t, {}}, {t, {}}, {t, {}}});
    c.addScalar("clamp (scalar)", t, kNumber, "tl.clamp(x, -y, y)", t, {{t, {}}, {t, y}});
  }
  for (const std::string &t : kIntegers)
    c.addScalar("divide (scalar)", t, getMathTolerance("divide", "integers"), "x / y", "fp32",
                {{t, {}}, {t, {Kind::NonZero}}}, "x.to(tl.float64) / y.to(tl.float64)");
}

void addFunctions(Context c) {
  for (const char *t : {"fp32", "fp64"}) {
    for (const auto &[name, fill] : kPlainFunctions) {
      std::string call = "tl." + name + "(x)";
      c.addScalar(name + " (scalar)", t, getMathTolerance(name, t), call, t, {{t, fill}}, call);
    }
    c.addScalar("floor, ceil (scalar)", t, kValue, "tl.floor(x) + tl.ceil(x)", t,
                {{t, {Kind::Finite}}});
  }
  c.addScalar("sqrt_rn, div_rn (scalar)", "fp32", kValue, "tl.sqrt_rn(tl.div_rn(x, y))", "fp32",
              {{"fp32", {}}, {"fp32", {}}});
}

void addCasts(Context c) {
  // From everything to float32 and integers, and from those to everything.
  for (const std::string &t : kAll) {
    bool isFp8 = type(t).isFp8();
    if (t != "fp32") {
      c.addScalar("cast (scalar)", t + " to fp32", kValue, "x.to(tl.float32)", "fp32", {{t, {}}});
      c.addScalar(
          "cast (scalar)", "fp32 to " + t, kValue, "x.to(" + spell(t) + ")", t,
          {{"fp32", type(t).isInt() && !type(t).isBool() ? Fill{Kind::Range, 0, 100} : Fill{}}});
    }
    if (t != "i32" && t != "fp32" && !isFp8)
      c.addScalar("cast (scalar)", "i32 to " + t, kValue, "x.to(" + spell(t) + ")", t,
                  {{"i32", {}}});
  }
}

/// A run-time scalar is not a weak literal: it takes part in the promotion.
void addWithTensors(Context c) {
  for (const std::string &t : kAll) {
    Cell cell = makeElementwise("scalars", "scalar with tensor", t, c.variant, kValue, "s + x - s",
                                t, {{t, {}}});
    cell.source.insert(cell.source.find("    r = "),
                       "    s = tl.load(xp)\n"
                       "    tl.static_assert((s + x).dtype == x.dtype)\n");
    c.cells.push_back(std::move(cell));
  }
  const struct {
    const char *tensor, *scalar, *result;
  } pairs[] = {{"i8", "i32", "i32"},     {"fp16", "fp32", "fp32"}, {"i32", "fp16", "fp16"},
               {"bf16", "fp64", "fp64"}, {"u8", "i64", "i64"},     {"i1", "u16", "u16"}};
  for (const auto &p : pairs) {
    Cell cell = makeElementwise(
        "scalars", "scalar with tensor", std::string(p.scalar) + " with " + p.tensor, c.variant,
        kValue, "x + tl.load(yp)", p.result,
        {{p.tensor, {Kind::Range, 0, 2}}, {p.scalar, {Kind::Range, 0, 90}}});
    cell.source.insert(cell.source.find("    tl.store"),
                       "    tl.static_assert(r.dtype == " + spell(p.result) + ")\n");
    c.cells.push_back(std::move(cell));
  }
}

} // namespace

void matrix::addScalars(Cells &cells, unsigned variant) {
  Context context{{cells, variant, "scalars"}};
  addOperators(context);
  addFunctions(context);
  addCasts(context);
  addWithTensors(context);
}
