// The options of `tilerun debug`. Compiled with exceptions and without LLVM's headers.
#include "tools/tilerun/command/GrammarParts.h"
#include "tools/tilerun/command/HelpTexts.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tilerun::command {

CLI::App *addDebug(CLI::App &app, Options &options) {
  CLI::App *debug = app.add_subcommand(
      "debug",
      std::string(
          "Debug one launch of a kernel by its values, on the interpreter: breakpoints, steps\n"
          "forward and backward, variables, memory, and where a NaN came from. Commands are read\n"
          "from stdin, or from a file; 'help' lists them.\n\n"
          "Examples:\n"
          "  tilerun debug softmax.py::softmax_kernel x=f32[4,100]:randn y=f32[4,100]:empty … "
          "--grid 4\n"
          "  tilerun debug softmax.py::softmax_kernel … --grid 4 --program 2 --commands FILE\n\n") +
          kValues);
  debug->add_option("TARGET", options.target, kTargetHelp);
  debug->add_option("ARGUMENT", options.arguments, "NAME=VALUE")->type_name("");
  debug->add_option("--grid", options.grid,
                    "Programs along 1 to 3 axes, as of run; may use meta-parameters");
  addProgramOption(debug, options, "The program to begin with");
  debug
      ->add_option("-x,--commands", options.commands,
                   "FILE: read commands from it; an error in one ends the session")
      ->type_name("FILE");
  debug
      ->add_flag("--dap", options.adapter,
                 "Serve an editor by the Debug Adapter Protocol on stdin and stdout; TARGET, "
                 "ARGUMENT and --grid may come with its launch request")
      ->excludes("--commands");
  debug->add_flag("--allow-overlap", options.allowOverlap, "Arguments may share memory");
  addCompileOptions(debug, options);
  addColor(debug, options);
  return debug;
}

} // namespace tilerun::command
