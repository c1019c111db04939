// Messages of findings.
#include "emulators/amdgpu/Findings.h"

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
  result += lane >= 0 ? ", lane " + std::to_string(lane) : ", all lanes off";
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

} // namespace tilerun::amdsim
