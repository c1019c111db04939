// The options of `tilerun explain`. Compiled with exceptions and without LLVM's headers.
#include "tools/tilerun/command/GrammarParts.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace tilerun::command {

CLI::App *addExplain(CLI::App &app, Options &options) {
  CLI::App *explain = app.add_subcommand(
      "explain",
      "Write a page of HTML that shows a kernel at each level of a target's compiler, side by\n"
      "side: source, tile IR, layouts, schedule, per-thread IR and target code. Pointing at a "
      "line\n"
      "marks what comes from the same line. With remarks, registers, what limits occupancy, a\n"
      "timeline of pipelined loops, what lies in shared memory when, and what\n"
      "each pass changed.\n\n"
      "Examples:\n"
      "  tilerun explain add.py::add_kernel --signature 'x=*f32:16, n=i32, BLOCK_SIZE=256' \\\n"
      "      --target cuda:sm_90a -o add.html\n"
      "  tilerun explain matmul.py::matmul_kernel M=512 'a=f16[M,K]:zeros' … --target "
      "hip:gfx942\n"
      "  tilerun explain matmul.py::matmul_kernel --signature … --target cuda:sm_90a \\\n"
      "      --picture timeline -o timeline.svg\n");
  explain->add_option("TARGET", options.target, kTargetHelp)->required();
  explain
      ->add_option("ARGUMENT", options.arguments, "NAME=VALUE, as of run, instead of --signature")
      ->type_name("");
  explain->add_option("--signature", options.signature, "Types of the parameters, as of compile");
  explain
      ->add_option("--target", options.targets,
                   "KIND:ARCH to compile for, such as cuda:sm_90a or vulkan:1.3")
      ->expected(1)
      ->required()
      ->type_name("TARGET");
  explain
      ->add_option(
          "--picture", options.picture,
          "Write one picture of the page as an image: timeline, shared-memory or occupancy")
      ->check(CLI::IsMember({"timeline", "shared-memory", "occupancy"}))
      ->type_name("NAME");
  explain
      ->add_option("-o,--output", options.output,
                   "File to write (default: KERNEL.html, or KERNEL-NAME.svg of a picture)")
      ->type_name("FILE");
  addScheduleOption(explain, options);
  addCompileOptions(explain, options);
  addCommon(explain, options);
  return explain;
}

} // namespace tilerun::command
