// Options that several commands have, and the commands whose options have a file of their own.
#pragma once

#include "tools/tilerun/command/CommandLine.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace tilerun::command {

inline constexpr const char *kTargetHelp = "FILE.py::KERNEL; the file - is stdin: -::KERNEL";

/// An option with one value for each occurrence.
CLI::Option *addRepeated(CLI::App *app, const std::string &name, std::vector<std::string> &out,
                         const std::string &help);
/// A positive number, whose default is shown.
void addLimit(CLI::App *app, const char *name, double &out, const char *unit, const char *help);
void addCommon(CLI::App *app, Options &options);
void addColor(CLI::App *app, Options &options); ///< A part of the common ones.
void addCompileOptions(CLI::App *app, Options &options);
void addEmulate(CLI::App *app, Options &options);
void addCacheOption(CLI::App *app, Options &options);
/// A program to record, and the limit of its recording. `without`: the one that it is without it.
void addProgramOption(CLI::App *app, Options &options, const char *help, const char *without = "0");
void addScheduleOption(CLI::App *app, Options &options);

CLI::App *addBench(CLI::App &app, Options &options);
CLI::App *addDebug(CLI::App &app, Options &options);
CLI::App *addExplain(CLI::App &app, Options &options);
CLI::App *addShow(CLI::App &app, Options &options);
CLI::App *addTune(CLI::App &app, Options &options);

} // namespace tilerun::command
