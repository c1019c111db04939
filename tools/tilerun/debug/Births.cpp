// How a debugger tells where a NaN or an infinity came from.
#include "backends/interpreter/Frame.h"
#include "tools/tilerun/debug/Show.h"
#include "tools/tilerun/host/Compare.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::debug;
using interp::Birth;

static std::string formatNumber(double value) {
  return host::formatElement(value, dtype(Scalar::F32));
}

static std::string describeInput(const Birth::Input &input, llvm::StringRef element) {
  std::string text = input.name.empty() ? "an operand" : input.name;
  if (input.elements > 1)
    return text + ": " + std::to_string(input.elements) + " elements from " +
           formatNumber(input.least) + " to " + formatNumber(input.most);
  return text + (input.isBroadcast ? "" : element.str()) + " = " + formatNumber(input.least);
}

/// Where the memory that was read had the value from.
static std::string describeLoad(const Debuggee &debuggee, const interp::Recording &recording,
                                const Birth &birth) {
  const std::string place = debuggee.describeAddress(birth.address);
  for (size_t i = recording.writes.size(); i-- > 0;) {
    const interp::MemoryWrite &write = recording.writes[i];
    if (write.moment <= birth.moment && write.address <= birth.address &&
        birth.address < write.address + write.bytes)
      return "read from " + place + ", which this program wrote at " +
             formatPosition(debuggee.getProgram().sources[write.step->source].position);
  }
  return "read from " + place + ", which held it " +
         (debuggee.wasGiven(birth.address, birth.step->resultTypes[0])
              ? "before the launch"
              : "before this program: an earlier one wrote it");
}

std::vector<std::string> debug::describe(const Debuggee &debuggee,
                                         const interp::Recording &recording, const Birth &birth) {
  std::string index;
  if (!birth.step->shape.empty())
    index = host::formatIndex(interp::unflatten(birth.step->shape, birth.element));
  const interp::SourceInfo &source = debuggee.getProgram().sources[birth.step->source];
  std::vector<std::string> lines;
  lines.push_back(
      llvm::formatv(
          "{0}: '{1}' gives {2}{3}{4} in {5}", formatPosition(source.position), birth.step->text,
          birth.isNan ? "NaN" : formatNumber(birth.value), index.empty() ? "" : " at " + index,
          birth.count > 1 ? ", the first of " + std::to_string(birth.count) + " elements," : "",
          debuggee.describeProgram(recording.program))
          .str());
  if (birth.address)
    lines.push_back(describeLoad(debuggee, recording, birth));
  for (const Birth::Input &input : birth.inputs)
    lines.push_back("from " + describeInput(input, index));
  for (const interp::SourcePosition &caller : source.callStack)
    lines.push_back("called at " + formatPosition(caller));
  return lines;
}
