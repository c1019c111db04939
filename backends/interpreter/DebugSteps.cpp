// device_print, device_assert, and the marks of debuggers.
#include "backends/common/PrintedLine.h"
#include "backends/interpreter/Checker.h"
#include "backends/interpreter/SmallFloat.h"
#include "backends/interpreter/Steps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::interp;

/// An element as a conversion takes it: the bits of a double, or an integer.
static uint64_t getPrintedBits(Dtype type, bool isSigned, bool hex, const char *element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, sizeOf(type));
  if (isFloat(type)) {
    double value;
    if (type == Dtype::F64)
      value = std::bit_cast<double>(bits);
    else if (type == Dtype::F32)
      value = std::bit_cast<float>(uint32_t(bits));
    else
      getToDouble(type)(element, reinterpret_cast<char *>(&value), 1);
    return std::bit_cast<uint64_t>(value);
  }
  if (type == Dtype::I1)
    return bits != 0;
  const unsigned unused = 64 - 8 * sizeOf(type);
  return isSigned && !hex ? uint64_t(int64_t(bits << unused) >> unused) : bits;
}

void interp::runPrint(Frame &frame, const Step &step) {
  auto emit = [&](llvm::StringRef line) {
    const uint64_t before = frame.launch.printedBytes.fetch_add(line.size());
    if (before + line.size() <= kMaxPrintedBytes)
      frame.printed += line;
    else if (before <= kMaxPrintedBytes)
      frame.printed += "(more output is dropped)\n";
    return before + line.size() <= kMaxPrintedBytes;
  };
  // A format for each operand, each terminated by zeros.
  llvm::StringRef formats = step.text, format;
  llvm::SmallVector<uint64_t> values(std::begin(frame.position), std::end(frame.position));
  auto makeLine = [&] {
    size_t next = 0;
    return backend::formatPrintedLine(format, [&](backend::PrintConversion, uint64_t &bits) {
      if (next == values.size())
        return backend::PrintValue::End;
      bits = values[next++];
      return backend::PrintValue::Given;
    });
  };
  if (step.operands.empty()) {
    format = formats.split('\0').first;
    emit(makeLine());
    return;
  }
  llvm::ArrayRef<int64_t> numbers = step.numbers;
  const bool hex = numbers[0];
  numbers = numbers.drop_front();
  for (auto [operand, type] : llvm::zip(step.operands, step.operandTypes)) {
    std::tie(format, formats) = formats.split('\0');
    const bool isSigned = numbers[0];
    const llvm::ArrayRef<int64_t> shape = numbers.slice(2, numbers[1]);
    numbers = numbers.drop_front(2 + shape.size());
    size_t count = 1;
    for (int64_t size : shape)
      count *= size;
    for (size_t i = 0; i < count; ++i) {
      const std::vector<int64_t> element = unflatten(shape, i);
      // Within the extents, if there are any.
      if (llvm::any_of(llvm::zip(step.shape, element),
                       [](auto pair) { return std::get<1>(pair) >= std::get<0>(pair); }))
        continue;
      values.truncate(3);
      values.append(element.begin(), element.end());
      values.push_back(getPrintedBits(type, isSigned, hex, frame.at(operand) + i * sizeOf(type)));
      if (!emit(makeLine()))
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
    const std::string text = "assertion failed" + (step.text.empty() ? "" : ": " + step.text);
    if (frame.checker && frame.launch.reportAssertions) {
      frame.checker->report(CheckReport::Kind::AssertionFailed, frame, step, element, 0,
                            [&]() -> const std::string & { return text; });
      frame.stopped = true;
      return;
    }
    frame.fail(step, text + (element.empty() ? "" : " (element " + describeElement(element) + ")"));
    return;
  }
}

void interp::runDebugEvent(Frame &, const Step &) {}
