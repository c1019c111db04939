// device_print and device_assert.
#include "backends/interpreter/Checker.h"
#include "backends/interpreter/SmallFloat.h"
#include "backends/interpreter/Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::interp;

static std::string formatElement(Dtype type, bool isSigned, bool hex, const char *element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, sizeOf(type));
  if (hex || type == Dtype::Ptr)
    return llvm::formatv("{0}", llvm::format_hex(bits, 2 + 2 * sizeOf(type))).str();
  if (isFloat(type)) {
    double value;
    if (type == Dtype::F64)
      value = std::bit_cast<double>(bits);
    else if (type == Dtype::F32)
      value = std::bit_cast<float>(uint32_t(bits));
    else
      getToDouble(type)(element, reinterpret_cast<char *>(&value), 1);
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
    return text;
  }
  if (type == Dtype::I1)
    return bits ? "1" : "0";
  const unsigned unused = 64 - 8 * sizeOf(type);
  return isSigned ? llvm::itostr(int64_t(bits << unused) >> unused) : llvm::utostr(bits);
}

void interp::runPrint(Frame &frame, const Step &step) {
  const std::string prefix =
      llvm::formatv("pid ({0}, {1}, {2}) ", frame.position[0], frame.position[1], frame.position[2])
          .str();
  auto emit = [&](llvm::StringRef line) {
    const uint64_t before = frame.launch.printedBytes.fetch_add(line.size());
    if (before + line.size() <= kMaxPrintedBytes)
      frame.printed += line;
    else if (before <= kMaxPrintedBytes)
      frame.printed += "(more output is dropped)\n";
    return before + line.size() <= kMaxPrintedBytes;
  };
  if (step.operands.empty()) {
    emit(prefix + step.text + "\n");
    return;
  }
  llvm::ArrayRef<int64_t> numbers = step.numbers;
  const bool hex = numbers[0];
  numbers = numbers.drop_front();
  for (auto [operand, type] : llvm::zip(step.operands, step.operandTypes)) {
    const bool isSigned = numbers[0];
    const llvm::ArrayRef<int64_t> shape = numbers.slice(2, numbers[1]);
    numbers = numbers.drop_front(2 + shape.size());
    size_t count = 1;
    for (int64_t size : shape)
      count *= size;
    for (size_t i = 0; i < count; ++i) {
      std::string line = prefix;
      const std::vector<int64_t> element = unflatten(shape, i);
      // Within the extents, if there are any.
      if (llvm::any_of(llvm::zip(step.shape, element),
                       [](auto pair) { return std::get<1>(pair) >= std::get<0>(pair); }))
        continue;
      if (!shape.empty())
        line += "idx " + describeElement(element) + " ";
      line += step.text;
      line += formatElement(type, isSigned, hex, frame.at(operand) + i * sizeOf(type)) + "\n";
      if (!emit(line))
        return;
    }
  }
}

void interp::runAssert(Frame &frame, const Step &step) {
  if (!frame.launch.assertions)
    return;
  auto *condition = frame.as<uint8_t>(step.operands[0]);
  auto *mask = step.operands[1] == kNoSlot ? nullptr : frame.as<uint8_t>(step.operands[1]);
  for (size_t i = 0; i < step.count; ++i) {
    if (condition[i] || (mask && !mask[i]))
      continue;
    const std::vector<int64_t> element = unflatten(step.shape, i);
    if (frame.checker && frame.launch.reportAssertions) {
      frame.checker->report(CheckReport::Kind::AssertionFailed, frame, step, element, 0,
                            [&] { return "assertion failed: " + step.text; });
      frame.stopped = true;
      return;
    }
    frame.fail(step, "assertion failed: " + step.text +
                         (element.empty() ? "" : " (element " + describeElement(element) + ")"));
    return;
  }
}
