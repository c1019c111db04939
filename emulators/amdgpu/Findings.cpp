// Messages of findings, and sums of counters.
#include "emulators/amdgpu/Findings.h"
#include "emulators/amdgpu/Instruction.h"

#include <cstdio>

namespace tilerun::amdsim {

const char *findingName(FindingKind kind) {
  switch (kind) {
  case FindingKind::unknownInstruction:
    return "unknown instruction";
  case FindingKind::unsupported:
    return "not emulated";
  case FindingKind::outOfBounds:
    return "out of bounds";
  case FindingKind::misaligned:
    return "misaligned";
  case FindingKind::undefinedValue:
    return "undefined value";
  case FindingKind::missingWait:
    return "missing wait";
  case FindingKind::ldsBounds:
    return "out of bounds of LDS";
  case FindingKind::ldsUndefined:
    return "undefined LDS";
  case FindingKind::ldsRace:
    return "race in LDS";
  case FindingKind::barrier:
    return "barrier";
  case FindingKind::readOnly:
    return "read-only memory";
  case FindingKind::trap:
    return "trap";
  case FindingKind::endless:
    return "endless";
  }
  return "";
}

const char *familyName(Family family) {
  constexpr const char *names[] = {
      "scalar", "scalar memory",  "branch",  "wait",   "barrier", "message",
      "vector", "transcendental", "compare", "lane",   "matrix",  "lds",
      "global", "buffer",         "scratch", "atomic", "cache"};
  return names[unsigned(family)];
}

bool isFault(FindingKind kind) {
  switch (kind) {
  case FindingKind::misaligned:
  case FindingKind::undefinedValue:
  case FindingKind::missingWait:
  case FindingKind::ldsUndefined:
  case FindingKind::ldsRace:
    return false;
  default:
    return true;
  }
}

std::string Finding::message() const {
  std::string result = "kernel '" + kernel + "', program (" + std::to_string(program[0]) + ", " +
                       std::to_string(program[1]) + ", " + std::to_string(program[2]) + "), wave " +
                       std::to_string(wave);
  if (lane >= 0)
    result += ", lane " + std::to_string(lane);
  char address[32];
  std::snprintf(address, sizeof address, ", +0x%x", offset);
  result += std::string(address) + " '" + instruction + "'";
  if (!source.empty())
    result += ", " + source;
  result += std::string(": ") + findingName(kind) + ": " + text;
  if (times > 1)
    result += " (" + std::to_string(times) + " times)";
  return result;
}

void Counters::add(const Counters &other) {
  if (byRow.size() < other.byRow.size())
    byRow.resize(other.byRow.size());
  for (size_t row = 0; row < other.byRow.size(); ++row)
    byRow[row] += other.byRow[row];
  instructions += other.instructions;
  ldsAccesses += other.ldsAccesses, ldsPhases += other.ldsPhases,
      ldsConflicts += other.ldsConflicts;
  globalAccesses += other.globalAccesses, globalLines += other.globalLines;
  globalBytes += other.globalBytes, matrixFlops += other.matrixFlops, barriers += other.barriers;
}

} // namespace tilerun::amdsim
