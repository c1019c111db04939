// Where steps come from: positions in the kernel's source, and the arguments behind pointers.
#include "backends/interpreter/Decoder.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::interp;

/// Positions from innermost helper to kernel.
static void resolve(Location location, SourceInfo &info) {
  if (auto file = dyn_cast<FileLineColRange>(location)) {
    SourcePosition position{file.getFilename().str(), file.getStartLine(), file.getStartColumn()};
    if (info.position.line == 0)
      info.position = std::move(position);
    else
      info.callStack.push_back(std::move(position));
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    resolve(call.getCallee(), info);
    resolve(call.getCaller(), info);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    resolve(name.getChildLoc(), info);
  } else if (auto opaque = dyn_cast<OpaqueLoc>(location)) {
    resolve(opaque.getFallbackLocation(), info);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations()) {
      SourceInfo candidate;
      resolve(part, candidate);
      if (candidate.position.line == 0)
        continue;
      if (info.position.line == 0)
        info.position = candidate.position;
      else
        info.callStack.push_back(candidate.position);
      llvm::append_range(info.callStack, candidate.callStack);
      return;
    }
  }
}

uint32_t Decoder::sourceOf(Location location) {
  if (callSite)
    location = CallSiteLoc::get(location, *callSite);
  auto [known, isNew] = sourceIndex.try_emplace(location, program.sources.size());
  if (isNew) {
    SourceInfo info;
    resolve(location, info);
    program.sources.push_back(std::move(info));
  }
  return known->second;
}

uint32_t Decoder::originOf(Value pointer) {
  Origin origin = origins.find(pointer, kernel, calls);
  const auto known = llvm::find(program.origins, origin);
  const auto index = uint32_t(known - program.origins.begin());
  if (index == program.origins.size())
    program.origins.push_back(std::move(origin));
  return index;
}
