// Commands, their options and help texts. Separate from parsing and completing a command line; both
// need it.
#pragma once

#include "tools/tilerun/command/CommandLine.h"

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tilerun::command {

/// Subcommands by what they do, and an option whose presence matters.
struct Grammar {
  std::vector<std::pair<CLI::App *, Options::Command>> commands;
  CLI::Option *emit = nullptr;
};

/// Adds every command to an empty `app`. Parsed values are stored in `options`, which must outlive
/// the app.
Grammar addGrammar(CLI::App &app, Options &options);

} // namespace tilerun::command
