// The options of `tilerun bench`. Compiled with exceptions and without LLVM's headers.
#include "tools/tilerun/command/GrammarParts.h"
#include "tools/tilerun/command/HelpTexts.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tilerun::command {

CLI::App *addBench(CLI::App &app, Options &options) {
  CLI::App *bench = app.add_subcommand(
      "bench",
      std::string(
          "Measure a launch over a range of sizes, for several kernels, devices and\n"
          "configurations: time, GB/s and TFLOP/s as a table, CSV, JSON or chart.\n\n"
          "Examples:\n"
          "  tilerun bench add.py::add_kernel 'x_ptr=f32[n]:randn(1)' 'y_ptr=f32[n]:randn(2)' \\\n"
          "      output_ptr=f32[n]:empty n_elements=n --grid 'cdiv(n, BLOCK_SIZE)' \\\n"
          "      --vary 'n=2**12:2**24:*2' --vary BLOCK_SIZE=256,1024 --device cuda:0 "
          "-o add.svg\n\n"
          "Bytes are those that a run touches, each once; operations are arithmetic on floats and\n"
          "the multiplications and additions of tl.dot. The interpreter counts both, unless that\n"
          "takes it more than 10 s; --bytes and --flops give them instead.\n\n") +
          kValues);
  bench->add_option("TARGET", options.target, kTargetHelp)->required();
  bench->add_option("ARGUMENT", options.arguments, "NAME=VALUE; may refer to what --vary names")
      ->type_name("");
  bench->add_option("--grid", options.grid, "Programs along 1 to 3 axes; may use all of them");
  addRepeated(bench, "--vary", options.varies,
              "NAME=FIRST:LAST:*K, NAME=FIRST:LAST:+K or NAME=A,B,…: the first is the axis of the "
              "table and the chart; combinations of others are lines");
  addRepeated(bench, "--against", options.against,
              "FILE.py::KERNEL with the same arguments, as more lines");
  addRepeated(
      bench, "--reference", options.references,
      "EXPR, as of --expect, such as 'x_ptr + y_ptr': a line for the time that the host takes to "
      "compute it in float64, in one thread");
  addRepeated(bench, "--device", options.devices, "Device to measure on (default: cpu)");
  addEmulate(bench, options);
  bench->add_option("--bytes", options.bytes,
                    "Bytes of a run, as an expression such as '3 * 4 * n'");
  bench->add_option("--flops", options.flops, "Operations of a run, such as '2 * M * N * K'");
  bench->add_flag("!--no-count", options.count, "Let the interpreter count nothing");
  bench
      ->add_option("--metric", options.metric,
                   "Of bars and charts: gbps, tflops or ms (default: TFLOP/s for kernels with "
                   "tl.dot, else GB/s)")
      ->check(CLI::IsMember({"gbps", "tflops", "ms"}))
      ->type_name("METRIC")
      ->option_text("METRIC");
  addLimit(bench, "--warmup", options.warmup, "FLOAT", "Milliseconds before, at each point");
  addLimit(bench, "--rep", options.rep, "FLOAT", "Milliseconds of measuring, at each point");
  addRepeated(bench, "-o,--output", options.outputs,
              "FILE.csv, .json, .svg or .html to write as well; may be repeated");
  addScheduleOption(bench, options);
  addCacheOption(bench, options);
  addCompileOptions(bench, options);
  addCommon(bench, options);
  return bench;
}

} // namespace tilerun::command
