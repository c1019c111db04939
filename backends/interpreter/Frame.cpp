// Running lists of steps, and the wording of places.
#include "backends/interpreter/Bounds.h"
#include "backends/interpreter/Checker.h"
#include "backends/interpreter/Observer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tilerun;
using namespace tilerun::interp;

void Frame::exec(const StepList &steps) {
  if (!checker && !observer) {
    for (const Step &step : steps) {
      step.run(*this, step);
      if (stopped)
        return;
    }
    return;
  }
  for (const Step &step : steps) {
    if (checker)
      checker->beforeStep(step);
    if (observer)
      observer->beforeStep(*this, step);
    step.run(*this, step);
    if (stopped)
      return;
    if (checker)
      checker->afterStep(*this, step);
    if (observer) {
      observer->afterStep(*this, step);
      if (stopped)
        return;
    }
  }
}

void Frame::fail(const Step &step, const llvm::Twine &message) {
  stopped = true;
  const SourceInfo &source = program.sources[step.source];
  fault = describe(source.position) + message.str() +
          llvm::formatv(" (kernel '{0}', program ({1}, {2}, {3}))", program.name, position[0],
                        position[1], position[2])
              .str() +
          quote(source.position);
  for (const SourcePosition &caller : source.callStack)
    fault += "\n" + describe(caller) + "called from here" + quote(caller);
}

bool Frame::findRange(const Step &step, uint64_t address, uint64_t bytes) {
  const std::optional<Range> range = launch.bounds.find(step.origin, address, bytes, knownOnly);
  if (!range)
    return false;
  near[step.origin] = *range;
  return true;
}

void Frame::failAccess(const Step &step, llvm::StringRef access, size_t element, uint64_t address,
                       unsigned bytes) {
  const std::vector<int64_t> index = unflatten(step.shape, element);
  fail(step, launch.bounds.describeFault(step, access, address, bytes) +
                 (index.empty() ? "" : " (element " + describeElement(index) + ")"));
}

std::string interp::describeBytes(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string interp::describeNull(uint64_t address) {
  const auto offset = static_cast<int64_t>(address);
  if (!offset)
    return "a null pointer";
  return std::string("a null pointer ") + (offset < 0 ? "- " : "+ ") +
         describeBytes(std::abs(offset));
}

std::string interp::describe(const SourcePosition &position) {
  if (position.line == 0)
    return "";
  return llvm::formatv("{0}:{1}:{2}: ", position.file, position.line, position.column).str();
}

std::string interp::quote(const SourcePosition &position) {
  // A pipe or a device would not end.
  if (position.line == 0 || !llvm::sys::fs::is_regular_file(position.file))
    return "";
  auto text = llvm::MemoryBuffer::getFile(position.file, /*IsText=*/true);
  if (!text)
    return "";
  for (llvm::line_iterator line(**text, /*SkipBlanks=*/false); !line.is_at_end(); ++line) {
    if (line.line_number() != position.line)
      continue;
    std::string caret;
    for (char c : line->take_front(position.column ? position.column - 1 : 0))
      caret += c == '\t' ? '\t' : ' ';
    return "\n    " + line->str() + "\n    " + caret + "^";
  }
  return "";
}

std::vector<int64_t> interp::unflatten(llvm::ArrayRef<int64_t> shape, size_t index) {
  std::vector<int64_t> element(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    element[d] = int64_t(index % size_t(shape[d]));
    index /= size_t(shape[d]);
  }
  return element;
}

std::string interp::describeElement(llvm::ArrayRef<int64_t> element) {
  return "(" +
         llvm::join(llvm::map_range(element, [](int64_t i) { return llvm::itostr(i); }), ", ") +
         ")";
}
