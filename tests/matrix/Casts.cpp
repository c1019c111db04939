// Conversions: every pair of dtypes, rounding toward zero, and bitcasts.
#include "tests/matrix/Tolerance.h"

#include <algorithm>
#include <cmath>

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

/// Inputs whose conversion is defined: floats stay inside an integer's range.
Fill getFill(const std::string &from, const std::string &to) {
  DType source = type(from), target = type(to);
  if (!source.isFloat() || target.isFloat() || target.isBool())
    return {};
  double bits = target.getBits() - (target.isSigned() ? 1 : 0);
  double high = std::min(std::exp2(bits) * 0.99, getLargest(source));
  return {Kind::Range, target.isSigned() ? -high : 0, high};
}

void addCast(Cells &cells, unsigned variant, const std::string &op, const std::string &from,
             const std::string &to, Tolerance tolerance, const std::string &options) {
  cells.push_back(makeElementwise("conversions", op, from + " to " + to, variant, tolerance,
                                  "x.to(" + spell(to) + options + ")", to,
                                  {{from, getFill(from, to)}}));
}

} // namespace

void matrix::addCasts(Cells &cells, unsigned variant) {
  for (const std::string &from : kAll)
    for (const std::string &to : kAll)
      // The language has no conversion between an 8-bit float and an integer.
      if (from != to && !(type(from).isFp8() && type(to).isInt()) &&
          !(type(from).isInt() && type(to).isFp8()))
        addCast(cells, variant, "cast", from, to, kValue, "");

  for (const std::string &from : kFloats)
    for (const std::string &to : kFloatsAndFp8)
      if (type(to).getBits() < type(from).getBits())
        addCast(cells, variant, "cast (rtz)", from, to, kValue, ", fp_downcast_rounding=\"rtz\"");

  for (const std::string &from : kNumbers)
    for (const std::string &to : kNumbers)
      if (from != to && type(from).getBits() == type(to).getBits())
        cells.push_back(
            makeElementwise("conversions", "cast (bitcast)", from + " to " + to, variant, kBits,
                            "tl.cast(x, " + spell(to) + ", bitcast=True)", to, {{from, {}}}));

  // Triton's conversions by hand.
  const char *targets[] = {"sm70", "sm80"};
  for (const char *target : targets)
    for (const auto &[from, to] : {std::pair("fp16", "fp8e4b15"), {"fp8e4b15", "fp32"}}) {
      std::string name = "convert_custom_float8_" + std::string(target);
      Cell cell = makeElementwise("conversions", name, std::string(from) + " to " + to, variant,
                                  kValue, "cuda." + name + "(x, " + spell(to) + ")", to,
                                  {{from, getFill(from, to)}});
      const std::string line = "from triton.language.extra import libdevice\n";
      cell.source.insert(cell.source.find(line), "from triton.language.extra import cuda\n");
      cells.push_back(std::move(cell));
    }
}
