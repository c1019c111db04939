// Running lists of steps, and the wording of places.
#include "backends/interpreter/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::interp;

void Frame::exec(const StepList &steps) {
  if (!checker) {
    for (const Step &step : steps) {
      step.run(*this, step);
      if (stopped)
        return;
    }
    return;
  }
  for (const Step &step : steps) {
    step.run(*this, step);
    if (stopped)
      return;
    checker->afterStep(*this, step);
  }
}

void Frame::fail(const Step &step, const llvm::Twine &message) {
  stopped = true;
  const SourceInfo &source = program.sources[step.source];
  fault = describe(source.position) + message.str() +
          llvm::formatv(" (kernel '{0}', program ({1}, {2}, {3}))", program.name, position[0],
                        position[1], position[2])
              .str();
  for (const SourcePosition &caller : source.callStack)
    fault += "\n" + describe(caller) + "called from here";
}

void Frame::failNull(const Step &step, llvm::StringRef access, uint64_t address) {
  fail(step,
       access + " at " + describeNull(address) +
           ", which has no memory; a tensor without elements may be passed, but not accessed");
}

std::string interp::describeNull(uint64_t address) {
  const auto offset = static_cast<int64_t>(address);
  if (!offset)
    return "a null pointer";
  return llvm::formatv("a null pointer {0} {1} bytes", offset < 0 ? '-' : '+', std::abs(offset))
      .str();
}

std::string interp::describe(const SourcePosition &position) {
  if (position.line == 0)
    return "";
  return llvm::formatv("{0}:{1}:{2}: ", position.file, position.line, position.column).str();
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
