// `--emulate hip:gfx942`: devices that the emulator beside the plugins provides.
#pragma once

#include "tools/tilerun/command/Output.h"

#include <string>
#include <utility>

namespace tilerun::command {

/// The variable of the environment, and its value, that give every program of a shell the devices
/// that --emulate gives one command: {"TILERUN_AMDSIM", "gfx942,gfx1100"}.
using EmulationVariable = std::pair<std::string, std::string>;

/// Reads the value of --emulate, "hip:gfx942,gfx1100". A usage error if it lists anything that is
/// not emulated.
llvm::Expected<EmulationVariable> readEmulation(llvm::StringRef text);

/// Sets the variable for this process and those that it starts, if --emulate is given. To be called
/// before a plugin is loaded, and while there is one thread.
llvm::Error startEmulation(const Options &options);

} // namespace tilerun::command
