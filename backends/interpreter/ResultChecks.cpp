// Checks of computed values: integer overflow where the frontend asks for it, and the birth of NaN
// and infinity.
#include "backends/interpreter/Checker.h"
#include "backends/interpreter/SmallFloat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::interp;

static __int128 readInteger(Dtype type, bool isSigned, const char *element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, sizeOf(type));
  const unsigned width = type == Dtype::I1 ? 1 : 8 * sizeOf(type);
  if (!isSigned)
    return bits;
  return int64_t(bits << (64 - width)) >> (64 - width);
}

void Checker::checkResults(const Frame &frame, const Step &step) {
  if (step.check == ResultCheck::Floats) {
    if (options.nanInf)
      checkFloats(frame, step);
    return;
  }
  if (!options.integerOverflow)
    return;
  switch (step.check) {
  case ResultCheck::None:
  case ResultCheck::Floats:
    return;
  case ResultCheck::SignedOverflow:
  case ResultCheck::UnsignedOverflow:
    return checkOverflow(frame, step);
  case ResultCheck::SignedDivision:
  case ResultCheck::UnsignedDivision:
    return checkDivision(frame, step);
  case ResultCheck::Shift:
    return checkShift(frame, step);
  }
}

static std::string toText(__int128 value, bool isSigned) {
  return isSigned ? llvm::itostr(int64_t(value)) : llvm::utostr(uint64_t(value));
}

void Checker::checkOverflow(const Frame &frame, const Step &step) {
  const Dtype type = step.resultTypes[0];
  const bool isSigned = step.check == ResultCheck::SignedOverflow;
  const unsigned size = sizeOf(type);
  const size_t count = frame.count(step);
  const char symbol = step.text == "arith.addi" ? '+' : step.text == "arith.subi" ? '-' : '*';
  for (size_t i = 0; i < count; ++i) {
    const __int128 a = readInteger(type, isSigned, frame.at(step.operands[0]) + i * size);
    const __int128 b = readInteger(type, isSigned, frame.at(step.operands[1]) + i * size);
    const __int128 result = readInteger(type, isSigned, frame.at(step.results[0]) + i * size);
    __int128 exact;
    const bool tooLarge = symbol == '+'   ? __builtin_add_overflow(a, b, &exact)
                          : symbol == '-' ? __builtin_sub_overflow(a, b, &exact)
                                          : __builtin_mul_overflow(a, b, &exact);
    if (!tooLarge && exact == result)
      continue;
    report(CheckReport::Kind::IntegerOverflow, frame, step,
           step.batched ? std::vector<int64_t>() : unflatten(step.shape, i), 0, [&] {
             return llvm::formatv("{0} {1} {2} overflows {3}{4}", toText(a, isSigned), symbol,
                                  toText(b, isSigned), isSigned ? "int" : "uint", 8 * size)
                 .str();
           });
  }
}

void Checker::checkDivision(const Frame &frame, const Step &step) {
  const Dtype type = step.resultTypes[0];
  const bool isSigned = step.check == ResultCheck::SignedDivision;
  if (readInteger(type, isSigned, frame.at(step.operands[1])) != 0)
    return;
  report(CheckReport::Kind::DivisionByZero, frame, step, {}, 0, [&] {
    return toText(readInteger(type, isSigned, frame.at(step.operands[0])), isSigned) +
           (llvm::StringRef(step.text).starts_with("arith.rem") ? " % 0" : " / 0");
  });
}

void Checker::checkShift(const Frame &frame, const Step &step) {
  const Dtype type = step.resultTypes[0];
  const unsigned size = sizeOf(type), width = type == Dtype::I1 ? 1 : 8 * size;
  const size_t count = frame.count(step);
  for (size_t i = 0; i < count; ++i) {
    const char *amount = frame.at(step.operands[1]) + i * size;
    if (readInteger(type, false, amount) < width)
      continue;
    report(CheckReport::Kind::ShiftOutOfRange, frame, step,
           step.batched ? std::vector<int64_t>() : unflatten(step.shape, i), 0, [&] {
             return llvm::formatv("shift by {0} of a value of {1} bits",
                                  toText(readInteger(type, true, amount), true), width)
                 .str();
           });
  }
}

namespace {
/// The values of operands that explain a result which is not finite.
struct NotFinite {
  bool nan = false, inf = false;
  void add(Dtype type, const char *elements, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const double value = readFloat(type, elements + i * sizeOf(type));
      nan |= std::isnan(value);
      inf |= std::isinf(value);
    }
  }
};
} // namespace

void Checker::checkFloats(const Frame &frame, const Step &step) {
  const Dtype type = step.resultTypes[0];
  const size_t count = frame.count(step);
  // An elementwise result has its element's operands; an element of a product has them all, looked
  // at once.
  const bool elementwise = bool(step.kernel);
  std::optional<NotFinite> all;
  auto operandsOf = [&](size_t i) {
    NotFinite found;
    for (auto [k, operandType] : llvm::enumerate(step.operandTypes)) {
      if (!isFloat(operandType))
        continue;
      const char *operand = frame.at(step.operands[k]);
      if (elementwise)
        found.add(operandType, operand + i * sizeOf(operandType), 1);
      else
        found.add(operandType, operand, step.numbers[step.numbers.size() - 3 + k]);
    }
    return found;
  };
  for (size_t i = 0; i < count; ++i) {
    const double value = readFloat(type, frame.at(step.results[0]) + i * sizeOf(type));
    if (std::isfinite(value))
      continue;
    if (elementwise || !all)
      all = operandsOf(i);
    const bool isNan = std::isnan(value);
    if (all->nan || (!isNan && all->inf))
      continue;
    report(isNan ? CheckReport::Kind::NanCreated : CheckReport::Kind::InfCreated, frame, step,
           step.batched ? std::vector<int64_t>() : unflatten(step.shape, i), 0, [&] {
             return step.text + " gives " + (isNan ? "NaN" : "infinity") +
                    " from operands that are " + (isNan ? "not NaN" : "finite");
           });
  }
}
