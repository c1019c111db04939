// See Recorder.h.
#include "backends/interpreter/debug/Recorder.h"

#include "backends/interpreter/Bounds.h"
#include "backends/interpreter/SmallFloat.h"
#include "backends/interpreter/Steps.h"
#include "backends/interpreter/debug/LaneAccess.h"
#include "ir/tile/TileOps.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace tilerun;
using namespace tilerun::interp;
using tile::DebugEvent;

static bool isCombine(const Step &step) {
  return step.run == runReduce || step.run == runScan || step.run == runMap;
}

/// Whether an element is of the kind that is looked for.
static bool isOfKind(Dtype type, const char *element, bool isNan) {
  const double value = readFloat(type, element);
  return isNan ? std::isnan(value) : std::isinf(value);
}

/// Which kinds are among `count` elements.
static std::pair<bool, bool> findSpecial(Dtype type, const char *elements, size_t count) {
  bool nan = false, inf = false;
  for (size_t i = 0; i < count; ++i) {
    const double value = readFloat(type, elements + i * sizeOf(type));
    nan |= std::isnan(value);
    inf |= std::isinf(value);
  }
  return {nan, inf};
}

bool Recorder::beginProgram(uint64_t linear) {
  if (linear != wanted)
    return false;
  recording.program = linear;
  return true;
}

/// Names the arguments and looks at constants, which were set before the first program.
void Recorder::enter(const Frame &frame) {
  auto note = [&](Slot slot, Dtype type, size_t count, llvm::StringRef name) {
    Content &content = contents[slot];
    content = {count * sizeOf(type), type};
    content.name = name;
    if (isFloat(type))
      std::tie(content.hasNan, content.hasInf) = findSpecial(type, frame.at(slot), count);
  };
  for (const ArgumentInfo &argument : program.arguments)
    note(argument.slot, argument.type, 1, argument.name);
  for (const Step &step : program.setup)
    if (step.run == runConstant)
      note(step.results[0], step.resultTypes[0], step.count, "");
}

void Recorder::beforeStep(Frame &frame, const Step &step) {
  if (contents.empty())
    enter(frame);
  if (isCombine(step))
    ++regions;
  if (regions)
    return;
  if (step.run == runFor)
    contents.erase(step.results[0]);
  if (options.memory)
    noteWrites(frame, step);
}

void Recorder::afterStep(Frame &frame, const Step &step) {
  if (isCombine(step))
    --regions;
  if (regions)
    return;
  if (step.run == runDebugEvent)
    noteEvent(frame, step);
  else if (step.run == runCopy) {
    auto from = contents.find(step.operands[0]);
    if (from == contents.end())
      contents.erase(step.results[0]);
    else
      contents[step.results[0]] = Content(from->second);
  } else if (step.run != runFor)
    noteResults(frame, step);
  completeWrites();
  if (isTooLarge())
    frame.stopped = true;
}

bool Recorder::endProgram(const Frame &frame) {
  completeWrites();
  recording.fault = frame.fault;
  recording.printed = frame.printed;
  recording.finish();
  complete = !isTooLarge();
  return false;
}

//===----------------------------------------------------------------------===//
// Statements and variables
//===----------------------------------------------------------------------===//

void Recorder::noteEvent(const Frame &frame, const Step &step) {
  switch (DebugEvent(step.numbers[0])) {
  case DebugEvent::Enter: {
    const auto made = uint32_t(recording.activations.size());
    const uint32_t depth = made ? recording.activations[activation].depth + 1 : 0;
    recording.activations.push_back(
        {llvm::StringRef(step.text).split('\0').first, activation, depth, step.source});
    activation = made;
    statements.push_back(step.source);
    use(sizeof(Activation));
    return;
  }
  case DebugEvent::Leave:
    if (recording.activations[activation].depth == 0)
      return;
    activation = recording.activations[activation].caller;
    addMoment(statements[activation], /*isReturn=*/true);
    return;
  case DebugEvent::Statement:
    statements[activation] = step.source;
    addMoment(step.source, /*isReturn=*/false);
    return;
  case DebugEvent::Break:
    recording.moments[getMoment()].isBreak = true;
    return;
  case DebugEvent::Assign:
    if (options.values)
      noteAssignment(frame, step);
    if (!step.operands.empty()) {
      Content &content = contents[step.operands[0]];
      content.name = llvm::StringRef(step.text).split('\0').first;
      content.isBroadcast = false;
    }
    return;
  }
}

void Recorder::addMoment(uint32_t source, bool isReturn) {
  recording.moments.push_back({source, activation, uint32_t(recording.assignments.size()),
                               uint32_t(recording.writes.size()), false, isReturn});
  use(sizeof(Moment));
}

void Recorder::noteAssignment(const Frame &frame, const Step &step) {
  Assignment made{&step, activation, getMoment(), nullptr};
  use(sizeof(Assignment));
  if (!step.operands.empty()) {
    llvm::StringRef bytes(frame.at(step.operands[0]), step.count * sizeOf(step.operandTypes[0]));
    made.bytes = std::make_shared<const std::string>(bytes.str());
    use(bytes.size());
  }
  recording.assignments.push_back(std::move(made));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Recorder::noteWrites(Frame &frame, const Step &step) {
  const std::optional<LaneAccess> access = getAccess(frame, step);
  if (!access || access->kind == LaneAccess::Kind::Load)
    return;
  const auto [kind, pointers, mask, count, size] = *access;
  for (size_t i = 0; i < count; ++i) {
    if (!access->isOn(i) || !frame.isInBounds(step, pointers[i], size))
      continue;
    const size_t before = recording.contents.size();
    const size_t first = completeUpTo;
    recording.contents.append(reinterpret_cast<const char *>(pointers[i]), size);
    if (recording.writes.size() > first) {
      MemoryWrite &last = recording.writes.back();
      if (last.address + last.bytes == pointers[i] && last.bytes < (1u << 30)) {
        last.bytes += size;
        continue;
      }
    }
    recording.writes.push_back({&step, pointers[i], size, getMoment(), before, 0});
    use(sizeof(MemoryWrite));
  }
}

void Recorder::completeWrites() {
  for (; completeUpTo < recording.writes.size(); ++completeUpTo) {
    MemoryWrite &write = recording.writes[completeUpTo];
    write.after = recording.contents.size();
    recording.contents.append(reinterpret_cast<const char *>(write.address), write.bytes);
    use(2 * uint64_t(write.bytes));
  }
}

//===----------------------------------------------------------------------===//
// NaNs and infinities
//===----------------------------------------------------------------------===//

void Recorder::noteResults(const Frame &frame, const Step &step) {
  bool nan = false, inf = false;
  for (auto [slot, type] : llvm::zip(step.results, step.resultTypes)) {
    Content content{step.count * sizeOf(type), type};
    if (step.run == runSplat || step.run == runGatherStrided) {
      content.name = contents.lookup(step.operands[0]).name;
      content.isBroadcast = true;
    }
    if (isFloat(type))
      std::tie(content.hasNan, content.hasInf) = findSpecial(type, frame.at(slot), step.count);
    nan |= content.hasNan;
    inf |= content.hasInf;
    contents[slot] = content;
  }
  if (!options.births || step.run == runConstant)
    return;
  if (nan)
    lookForBirth(frame, step, true);
  if (inf)
    lookForBirth(frame, step, false);
}

void Recorder::lookForBirth(const Frame &frame, const Step &step, bool isNan) {
  if (births[isNan] == Recording::kMostBirths)
    return;
  const bool isElementwise = step.run == runKernel;
  auto hasCause = [&](const Content &content) {
    return content.hasNan || (!isNan && content.hasInf);
  };
  auto isCause = [&](size_t operand, size_t element) {
    const Dtype type = step.operandTypes[operand];
    const char *at = frame.at(step.operands[operand]) + element * sizeOf(type);
    return isFloat(type) && (isOfKind(type, at, true) || (!isNan && isOfKind(type, at, false)));
  };
  const size_t operands = std::min(step.operands.size(), step.operandTypes.size());
  if (!isElementwise)
    for (size_t k = 0; k < operands; ++k)
      if (step.operands[k] != kNoSlot && isFloat(step.operandTypes[k]) &&
          hasCause(contents.lookup(step.operands[k])))
        return;
  std::optional<size_t> first;
  size_t count = 0, result = 0;
  for (auto [k, slot] : llvm::enumerate(step.results)) {
    if (first || k >= step.resultTypes.size() || !isFloat(step.resultTypes[k]))
      continue;
    for (size_t i = 0; i < step.count; ++i) {
      if (!isOfKind(step.resultTypes[k], frame.at(slot) + i * sizeOf(step.resultTypes[k]), isNan))
        continue;
      if (isElementwise &&
          llvm::any_of(llvm::seq(operands), [&](size_t o) { return isCause(o, i); }))
        continue;
      ++count;
      if (!first) {
        first = i;
        result = k;
      }
    }
  }
  if (!first)
    return;
  const Dtype type = step.resultTypes[result];
  const double value = readFloat(type, frame.at(step.results[result]) + *first * sizeOf(type));
  Birth birth{isNan, &step, activation, getMoment(), *first, count, value, 0, {}};
  if (step.run == runLoad)
    birth.address = frame.as<uint64_t>(step.operands[0])[*first];
  else
    for (size_t k = 0; k < operands; ++k)
      if (step.operands[k] != kNoSlot)
        birth.inputs.push_back(
            describe(frame, step, k, isElementwise ? std::optional(*first) : std::nullopt));
  recording.births.push_back(std::move(birth));
  ++births[isNan];
}

Birth::Input Recorder::describe(const Frame &frame, const Step &step, size_t operand,
                                std::optional<size_t> element) const {
  const Slot slot = step.operands[operand];
  const Content content = contents.lookup(slot);
  const Dtype type = step.operandTypes[operand];
  Birth::Input input{content.name.str(), content.isBroadcast, type};
  auto read = [&](size_t i) {
    const char *at = frame.at(slot) + i * sizeOf(type);
    return isFloat(type) ? readFloat(type, at)
                         : double(frame.integer(slot + i * sizeOf(type), type));
  };
  if (element) {
    input.least = input.most = read(*element);
    return input;
  }
  input.elements = std::max<size_t>(1, content.bytes / sizeOf(type));
  input.least = std::numeric_limits<double>::infinity();
  input.most = -input.least;
  for (size_t i = 0; i < input.elements; ++i) {
    input.least = std::min(input.least, read(i));
    input.most = std::max(input.most, read(i));
  }
  return input;
}
