// See Emulate.h.
#include "tools/tilerun/command/Emulate.h"

#include "emulators/amdgpu/Target.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace tilerun;
using namespace tilerun::command;

static constexpr llvm::StringLiteral kKind("hip:");

static llvm::Error refuse(const llvm::Twine &what) {
  return makeUsageError("--emulate: " + what + "; emulated are " + amdsim::targetNames() +
                        ", as in --emulate hip:gfx942,gfx1100");
}

llvm::Expected<EmulationVariable> command::readEmulation(llvm::StringRef text) {
  if (!text.starts_with(kKind))
    return refuse("'" + text + "' does not begin with '" + kKind + "'");
  llvm::SmallVector<llvm::StringRef, 4> names;
  text.split(names, ',');
  for (llvm::StringRef &name : names) {
    name = name.trim();
    name.consume_front(kKind);
    if (name.empty())
      return refuse("'" + text + "' has an empty name of an architecture");
    if (!amdsim::findTarget(name))
      return refuse("'" + name + "' is not emulated");
  }
  return EmulationVariable("TILERUN_AMDSIM", llvm::join(names, ","));
}

llvm::Error command::startEmulation(const Options &options) {
  if (options.emulate.empty())
    return llvm::Error::success();
  llvm::Expected<EmulationVariable> variable = readEmulation(options.emulate);
  if (!variable)
    return variable.takeError();
  setenv(variable->first.c_str(), variable->second.c_str(), 1);
  // A runtime that the environment names would come first.
  unsetenv("TILERUN_HIP_DRIVER");
  return llvm::Error::success();
}
