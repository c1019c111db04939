// The options of `tilerun tune`. Compiled with exceptions and without LLVM's headers.
#include "tools/tilerun/command/GrammarParts.h"
#include "tools/tilerun/command/HelpTexts.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tilerun::command {

CLI::App *addTune(CLI::App &app, Options &options) {
  CLI::App *tune = app.add_subcommand(
      "tune",
      std::string(
          "Measure the autotune configs of a kernel on a device, and values of parameters and\n"
          "options that are listed here; print the fastest. Configurations are compiled on all\n"
          "cores; those that fail are skipped. The choice is kept (see 'tilerun cache').\n\n"
          "Examples:\n"
          "  tilerun tune matmul.py::matmul_autotuned_kernel … --grid '…' --device cuda:0\n"
          "  tilerun tune add.py::add_kernel n_elements=1000000 "
          "'x_ptr=f32[n_elements]:randn(1)' \\\n"
          "      'y_ptr=f32[n_elements]:randn(2)' output_ptr=f32[n_elements]:zeros \\\n"
          "      --grid 'cdiv(n_elements, BLOCK_SIZE)' --vary BLOCK_SIZE=256,512,1024 "
          "--vary num_warps=2,4 \\\n"
          "      -o add.svg\n\n") +
          kValues);
  tune->add_option("TARGET", options.target, kTargetHelp)->required();
  tune->add_option("ARGUMENT", options.arguments, "NAME=VALUE")->type_name("");
  tune->add_option("--grid", options.grid, "Programs along 1 to 3 axes; may use meta-parameters");
  tune->add_option("--device", options.device, "Device to measure on")->capture_default_str();
  addEmulate(tune, options);
  addRepeated(tune, "--vary", options.varies,
              "NAME=A,B,… or NAME=FIRST:LAST:*K (or +K): values to try of a parameter or launch "
              "option, with all others");
  addRepeated(tune, "--restore", options.restores,
              "NAME: a tensor whose contents are restored before each run");
  addLimit(tune, "--warmup", options.warmup, "FLOAT", "Milliseconds before");
  addLimit(tune, "--rep", options.rep, "FLOAT", "Milliseconds of measuring");
  tune->add_option("--threads", options.threads,
                   "Configurations that are compiled at the same time (default: "
                   "TILERUN_COMPILE_THREADS, else one for each core)")
      ->check(CLI::Range(1, 1024));
  tune->add_option("--axes", options.axes,
                   "X or X,Y: what the heat map has across and down (default: the two with the "
                   "most values); of configurations that share a cell, the fastest counts")
      ->type_name("NAMES");
  addRepeated(tune, "-o,--output", options.outputs,
              "FILE.csv, .json, .svg or .html: write the times, or the heat map, as well; may be "
              "repeated. Measures even if the choice is kept");
  tune->add_option("--progress", options.progress,
                   "On stderr: auto (a line that is rewritten on a terminal, elsewhere a line "
                   "every 10 s), plain or json (a line for each configuration), or none")
      ->transform(CLI::CheckedTransformer(
          std::vector<std::pair<std::string, ProgressForm>>{{"auto", ProgressForm::Auto},
                                                            {"plain", ProgressForm::Plain},
                                                            {"json", ProgressForm::Json},
                                                            {"none", ProgressForm::None}},
          CLI::ignore_case))
      ->type_name("WHEN")
      ->option_text("WHEN");
  addScheduleOption(tune, options);
  addCacheOption(tune, options);
  addCompileOptions(tune, options);
  addCommon(tune, options);
  return tune;
}

} // namespace tilerun::command
