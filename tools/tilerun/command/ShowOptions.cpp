// The options of `tilerun show`. Compiled with exceptions and without LLVM's headers.
#include "tools/tilerun/command/GrammarParts.h"
#include "tools/tilerun/command/HelpTexts.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tilerun::command {

CLI::App *addShow(CLI::App &app, Options &options) {
  CLI::App *show = app.add_subcommand(
      "show",
      std::string(
          "Show how one launch of a kernel accesses its tensors, from the interpreter: which\n"
          "program reads and writes what, races, masked-off lanes, and whether neighbouring lanes\n"
          "access neighbouring memory. As text, SVG, HTML or JSON.\n\n"
          "Examples:\n"
          "  tilerun show softmax.py::softmax_kernel x=f32[4,100]:randn y=f32[4,100]:empty … "
          "--grid 4\n"
          "  tilerun show softmax.py::softmax_kernel … --grid 4 --program 2 -o softmax.html\n\n") +
          kValues);
  show->add_option("TARGET", options.target, kTargetHelp)->required();
  show->add_option("ARGUMENT", options.arguments, "NAME=VALUE")->type_name("");
  show->add_option("--grid", options.grid,
                   "Programs along 1 to 3 axes, as of run; may use meta-parameters");
  addProgramOption(show, options, "Show one program alone, with its tiles and their masks", "all");
  show->add_option("-o,--output", options.outputs,
                   "FILE.svg, .html or .json to write instead of text; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
  show->add_flag("--allow-overlap", options.allowOverlap, "Arguments may share memory");
  addCompileOptions(show, options);
  addCommon(show, options);
  return show;
}

} // namespace tilerun::command
