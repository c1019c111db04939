// See Grammar.h. Compiled with exceptions and without LLVM's headers.
#include "tools/tilerun/command/Grammar.h"

#include "tools/tilerun/command/GrammarParts.h"
#include "tools/tilerun/command/HelpFormatter.h"
#include "tools/tilerun/command/HelpTexts.h"

#include <bit>
#include <cmath>

namespace tilerun::command {
namespace {

/// CLI11's own check lets NaN pass and names the largest double as a bound.
std::string checkTolerance(const std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0)
    return "";
  return "'" + text + "' is not a non-negative number";
}

std::string checkWarps(const std::string &text) {
  uint32_t warps = 0;
  if (CLI::detail::lexical_cast(text, warps) && std::has_single_bit(warps) && warps <= 1024)
    return "";
  return "'" + text + "' is not a power of two from 1 to 1024";
}

void addLimits(CLI::App *app, Options &options) {
  app->add_option("--max-operations", options.maxOperations,
                  "Operations that unrolled loops may expand a kernel to (default: 100000, or "
                  "TILERUN_MAX_OPERATIONS)")
      ->check(CLI::Range(uint64_t(1), UINT64_MAX / 2));
  app->add_flag(
      "--strict-triton", options.strictTriton,
      "Refuse what Triton does not take, with the rule's number (docs/language.md), so that "
      "the kernel runs there; or TILERUN_STRICT=1");
}

void addTimingOptions(CLI::App *app, Options &options) {
  app->add_flag(
      "--timing", options.timing,
      "Report on stderr (and in --json) where the time of the command went: parsing, passes, "
      "compilers, copies, launches");
  app->add_option(
         "--trace-out", options.traceOut,
         "FILE.json: write the same as a timeline, which Perfetto and chrome://tracing show")
      ->type_name("FILE");
}

} // namespace

CLI::Option *addRepeated(CLI::App *app, const std::string &name, std::vector<std::string> &out,
                         const std::string &help) {
  // One value for each occurrence, so that what follows is not swallowed.
  return app->add_option(name, out, help)->allow_extra_args(false)->type_name("");
}

void addLimit(CLI::App *app, const char *name, double &out, const char *unit, const char *help) {
  app->add_option(name, out, help)
      ->type_name(unit)
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
}

void addCommon(CLI::App *app, Options &options) {
  app->add_flag("--json", options.json, "One JSON object on stdout instead of text");
  addColor(app, options);
}

void addColor(CLI::App *app, Options &options) {
  app->add_option("--color", options.color, "auto, always or never (NO_COLOR is obeyed)")
      ->transform(CLI::CheckedTransformer(
          std::vector<std::pair<std::string, Color>>{
              {"auto", Color::Auto}, {"always", Color::Always}, {"never", Color::Never}},
          CLI::ignore_case))
      ->type_name("WHEN")
      ->option_text("WHEN");
}

static void addDefineOptions(CLI::App *app, Options &options) {
  addRepeated(app, "--define", options.defines,
              "NAME=VALUE: the value of a global that only host code knows, which is not run");
  app->add_option("--define-from", options.defineFrom,
                  "Import the file by an interpreter (python, or a path) and take the values of "
                  "such globals from there")
      ->type_name("PYTHON");
}

/// Of something that the compiler does by itself.
void addChoice(CLI::App *app, const char *name, std::optional<std::string> &value,
               const char *help) {
  app->add_option(name, value, help)->check(CLI::IsMember({"auto", "off", "on"}));
}

void addCompileOptions(CLI::App *app, Options &options) {
  addDefineOptions(app, options);
  app->add_option("--autotune-config", options.autotuneConfig,
                  "Number of the autotune config, from 0 (default: the first)");
  app->add_option("--num-warps", options.numWarps, "Warps of a program")->check(checkWarps);
  app->add_option("--num-stages", options.numStages, "Pipeline stages")->check(CLI::Range(0, 64));
  app->add_option("--num-ctas", options.numCtas,
                  "Blocks of each program, where the target has clusters and the kernel can be "
                  "divided: 1, 2, 4 or 8")
      ->check(CLI::Range(1, 64));
  app->add_option("--maxnreg", options.maxnreg, "Maximum registers of a thread")
      ->check(CLI::Range(1, 1024));
  app->add_flag("!--no-fp-fusion", options.fpFusion,
                "Products are rounded before they are added; a target fuses them otherwise");
  addChoice(app, "--tma", options.tma,
            "NVIDIA: loads as copies of boxes by warps of their own: auto (where that pays), off, "
            "or on (wherever it is possible)");
  addChoice(app, "--late-products", options.lateProducts,
            "NVIDIA: products made one iteration late, while threads compute what is between two "
            "products: auto (where registers suffice), off, or on");
  addChoice(app, "--turns", options.turns,
            "AMD: waves of a SIMD multiply in turns; NVIDIA: warp groups start products in turns, "
            "beside late products: auto (where that pays), off, or on (wherever it is possible)");
  addChoice(app, "--persistent", options.persistent,
            "NVIDIA: launch as many programs as run at a time, and let each run several of the "
            "caller's: auto (where that pays), off, or on (wherever it is possible)");
  addChoice(app, "--rematerialize", options.rematerialize,
            "NVIDIA: values computed again behind reductions instead of kept in registers: auto "
            "(where more programs run at a time by it), off, or on (wherever it saves registers)");
  addChoice(
      app, "--few-programs", options.fewPrograms,
      "NVIDIA: a program's number times a block's size does not overflow, so that more is "
      "known of masks with / and %: auto (launches of more programs take other code; not with "
      "--tma off), off, or on (a promise)");
  addChoice(
      app, "--evictions", options.evictions,
      "NVIDIA, AMD: what a loop reads stays in the caches for a later loop that reads it again: "
      "auto (where it is the program's own), off, or on");
  addChoice(
      app, "--multicast", options.multicast,
      "NVIDIA: operands that all blocks of a program load alike are copied once for all: auto "
      "(in persistent kernels), off, or on (wherever it is possible)");
  addChoice(app, "--async-stores", options.asyncStores,
            "NVIDIA: results of persistent kernels are copied to memory while the program goes on: "
            "auto or on (wherever it is possible), or off");
  addChoice(app, "--retain", options.retain,
            "NVIDIA: what a loop reads stays in shared memory for a later loop that reads it "
            "again: auto (rows that the cache does not hold), off, or on");
  addChoice(
      app, "--prefetch", options.prefetch,
      "NVIDIA, AMD: loads beside products made one iteration early, in registers: auto "
      "(vectors, where loads that run ahead are asynchronous copies), off, or on (wherever it is "
      "possible)");
  app->add_option("--bounded-waits", options.boundedWaits,
                  "NVIDIA: how often a thread looks for the end of a phase before it traps, so "
                  "that a hang is an error; 0: any number")
      ->check(CLI::Range(0, 1 << 30));
  app->add_option("--waves-per-eu", options.wavesPerEu,
                  "AMD: waves of a SIMD that registers must leave room for; 0: any");
  app->add_option("--matrix-instr-nonkdim", options.matrixInstrNonkdim,
                  "AMD: rows and columns of MFMA instructions, 16 or 32; 0: any");
  app->add_option("--kpack", options.kpack,
                  "AMD: instructions along k whose operands one read brings, 1 or 2");
  addChoice(
      app, "--buffers", options.buffers,
      "AMD: masked accesses as buffer instructions in place of branches: auto (where offsets or "
      "tensors are known to be small, as launches know), off, or on (a promise that each tensor "
      "is below 2 GiB)");
  app->add_option("--xcds", options.xcds,
                  "AMD: dies that get programs in turn, so that each gets neighbours");
  app->add_flag("--async-copies", options.asyncCopies,
                "AMD gfx950: copy to shared memory without registers in loops");
  app->add_option("--operands-across-k", options.operandsAcrossK,
                  "NVIDIA: auto, registers or copies: how operands that lie across k come to wgmma")
      ->check(CLI::IsMember({"auto", "registers", "copies"}))
      ->type_name("WAY")
      ->option_text("WAY");
  app->add_flag("--debug", options.debug, "Enable device_assert and overflow checks");
  addLimits(app, options);
  addTimingOptions(app, options);
}

void addEmulate(CLI::App *app, Options &options) {
  app->add_option("--emulate", options.emulate,
                  "Emulate AMD GPUs for this command, such as hip:gfx942; where no --device is "
                  "given, kernels run on the first")
      ->type_name("hip:ARCH[,ARCH…]");
}

void addCacheOption(CLI::App *app, Options &options) {
  app->add_flag("!--no-cache", options.useCache,
                "Compile again, and cache nothing (devices whose code is cached)");
}

void addProgramOption(CLI::App *app, Options &options, const char *help, const char *without) {
  app->add_option("--program", options.program,
                  std::string(help) +
                      ": its number, or its position, such as 2,0,1 (default: " + without + ")")
      ->type_name("N")
      ->option_text("N");
  app->add_option("--memory-limit", options.memoryLimit, "GiB that the recording may take")
      ->type_name("GIB")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
}

void addScheduleOption(CLI::App *app, Options &options) {
  app->add_option("--schedule", options.schedule,
                  "File that schedules loops by hand (how many slots their loads run ahead into), "
                  "in place of the choice of the target's compiler: lines such as "
                  "'loop 14: slots=4', 'loop #0: none'")
      ->type_name("FILE");
}

namespace {

void addRemarksOption(CLI::App *app, Options &options) {
  app->add_flag("--remarks", options.remarks,
                "Report on stderr (and in --json) the optimizations that the target's compiler "
                "missed, with the reason and the source line");
}

void addRunOptions(CLI::App *app, Options &options) {
  addCacheOption(app, options);
  app->add_option("TARGET", options.target, kTargetHelp)->required();
  app->add_option("ARGUMENT", options.arguments, "NAME=VALUE")->type_name("");
  app->add_option("--grid", options.grid,
                  "Programs along 1 to 3 axes, e.g. 'cdiv(n, BLOCK), 4', or a lambda of META; a "
                  "kernel that never asks for its program's number needs none");
  app->add_flag("--template", options.printTemplate,
                "Run nothing: print a launch of the kernel to fill in, guessed from its source");
  app->add_option("--device", options.device, "Device to run on")->capture_default_str();
  addRepeated(app, "--save", options.saves,
              "NAME=FILE.npy or NAME=FILE.csv: write a tensor after the launch");
  addRepeated(app, "--expect", options.expects,
              "NAME=EXPR or NAME=FILE.npy: compare a tensor after the launch");
  addRepeated(app, "--print", options.prints, "NAME: print a tensor after the launch");
  app->add_option("--rtol", options.rtol, "Relative tolerance (default: by the dtype)")
      ->check(checkTolerance);
  app->add_option("--atol", options.atol, "Absolute tolerance (default: by the dtype)")
      ->check(checkTolerance);
  // A flag of an optional value would be false if it is not given.
  app->add_flag_function(
      "--map,!--no-map", [&options](int64_t count) { options.map = count > 0; },
      "Show which program wrote the elements that --expect finds wrong. The launch is repeated on "
      "the interpreter for it, which is the default where that takes little time");
  app->add_option("--report", options.report,
                  "FILE.html or FILE.svg: write pictures of what --expect finds")
      ->type_name("FILE");
  app->add_flag("--allow-overlap", options.allowOverlap, "Arguments may share memory");
  app->add_option("--threads", options.threads, "Host threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  app->add_flag("!--no-optimize", options.optimize, "Run tile IR as the frontend emits it");
  addCompileOptions(app, options);
  addCommon(app, options);
}

} // namespace

Grammar addGrammar(CLI::App &app, Options &options) {
  app.set_version_flag("--version", "tilerun " + getVersion());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  addEmulate(&app, options); // Of any subcommand that it has a meaning for.

  CLI::App *run = app.add_subcommand(
      "run", std::string("Run one launch of a kernel; compare, print or save its results.\n\n"
                         "Examples:\n"
                         "  tilerun run add.py::add_kernel 'x_ptr=f32[1000]:randn(1)' "
                         "'y_ptr=f32[1000]:randn(2)' \\\n"
                         "      output_ptr=f32[1000]:empty n_elements=1000 BLOCK_SIZE=256 \\\n"
                         "      --grid 'cdiv(n_elements, BLOCK_SIZE)' "
                         "--expect 'output_ptr=x_ptr + y_ptr'\n"
                         "  tilerun run k.py::f x=@in.npy y=f32[x.shape[0]]:empty --grid 4 "
                         "--save y=out.npy\n\n") +
                 kValues);
  addRunOptions(run, options);
  addEmulate(run, options);
  run->add_option("--repeat", options.repeat, "Launches; later ones are only timed")
      ->check(CLI::Range(1, 1000000));
  run->add_flag("--time", options.time,
                "Report programs/s, elements/s, GB/s and TFLOP/s of the fastest launch");
  run->add_flag("--counters", options.counters,
                "On an emulated AMD GPU, count instructions by class, memory transactions and bank "
                "conflicts (docs/amd-emulator.md)");
  run->add_option(
         "--trace", options.trace,
         "NAME,NAME[SLICE],…: print each value that these variables of the kernel get, with "
         "its line and statistics ('*': all). The launch is repeated on the interpreter "
         "for it (docs/debug.md)")
      ->type_name("NAMES");
  addProgramOption(run, options, "The program that --trace is of");
  addScheduleOption(run, options);
  addRemarksOption(run, options);
  run->add_flag("!--no-bounds-checks", options.boundsChecks,
                "On the interpreter, do not check that accesses stay in their tensors");

  CLI::App *check = app.add_subcommand(
      "check",
      std::string(
          "Run one launch with every check on: out-of-bounds, use after free, reads of\n"
          "memory that was never written, races between programs, integer overflow,\n"
          "division by zero, shifts out of range, misaligned accesses, and device_assert.\n"
          "Warns of tensors given as 'empty' that are partially written, and of masked-off\n"
          "lanes of loads without 'other' that reach a result.\n\n"
          "Examples:\n"
          "  tilerun check add.py::add_kernel 'x_ptr=f32[1000]:randn(1)' "
          "'y_ptr=f32[1000]:randn(2)' \\\n"
          "      output_ptr=f32[1000]:empty n_elements=1001 BLOCK_SIZE=256 --grid 4\n\n") +
          kValues);
  addRunOptions(check, options);
  check->add_flag("--nan-inf", options.nanInf, "Also report where NaN and infinities appear");
  check->add_flag(
      "--strict", options.strict,
      "Warnings (partially written outputs, masked-off lanes without 'other') fail, too");

  CLI::App *debug = addDebug(app, options);
  CLI::App *show = addShow(app, options);

  CLI::App *compile = app.add_subcommand(
      "compile",
      "Compile a kernel for one signature and print it after a phase. Needs no device.\n\n"
      "Examples:\n"
      "  tilerun compile add.py::add_kernel --emit ast\n"
      "  tilerun compile add.py::add_kernel --emit tile-opt -o add.mlir \\\n"
      "      --signature 'x_ptr=*f32:16, y_ptr=*f32:16, output_ptr=*f32:16, n_elements=i32, "
      "BLOCK_SIZE=256'\n"
      "  tilerun compile add.py::add_kernel --signature … --target cuda:sm_90a --emit ptx\n"
      "  tilerun compile add.py::add_kernel --signature … --target cuda:sm_80,cuda:sm_90a "
      "--resources\n"
      "  tilerun compile add.py::add_kernel --signature … --target vulkan:1.3 --emit spirv -o "
      "add.spv\n\n"
      "A signature gives each parameter a type, with ':16' if it is a multiple of 16 and ':small' "
      "if it is a pointer\nto memory below 2 GiB, or a constant, or a tuple of these in brackets, "
      "'t=(*f32:16, (i32, 3))'. Instead of it,\narguments of a launch may be given "
      "('tilerun run --help').\n");
  compile->add_option("TARGET", options.target, kTargetHelp)->required();
  compile
      ->add_option("ARGUMENT", options.arguments, "NAME=VALUE, as of run, instead of --signature")
      ->type_name("");
  compile->add_option("--signature", options.signature, "Types and constants of the parameters");
  CLI::Option *emit =
      compile
          ->add_option(
              "--emit", options.emit,
              "ast, tile (default), tile-opt; with --target what the target's compiler can emit: "
              "ptx (cuda's default), spirv-asm (vulkan's), spirv (binary), simt, …; sass "
              "where ptx is")
          ->type_name("PHASE");
  compile
      ->add_option(
          "--target", options.targets,
          "KIND:ARCH, such as cuda:sm_90a, or vulkan:1.3,subgroup=8 with words for the features of "
          "a device; several separated by commas")
      ->allow_extra_args(false)
      ->type_name("TARGET");
  compile->add_flag(
      "--resources", options.resources,
      "Threads, registers, shared memory, spills and predicted occupancy (from ptxas, "
      "or from a device's driver)");
  // As for --map: not given, it is the target's own default.
  compile->add_flag_function(
      "--line-info,!--no-line-info", [&options](int64_t count) { options.lineInfo = count > 0; },
      "Lines of the kernel's source in the code (default: the target's; all have them)");
  compile->add_option("-o,--output", options.output,
                      "File to write ('-': stdout); of several targets OUT.ARCH.EXT");
  compile->add_flag("--bytecode", options.bytecode, "MLIR bytecode instead of text");
  compile->add_flag("--locations", options.locations,
                    "Print the source location of each op; phases of IR have them");
  addScheduleOption(compile, options);
  addRemarksOption(compile, options);
  addCompileOptions(compile, options);
  addCommon(compile, options);

  CLI::App *explain = addExplain(app, options);

  CLI::App *list =
      app.add_subcommand("list", "List the kernels of a file: parameters, constexprs, defaults, "
                                 "autotune configs, heuristics,\nhelpers.\n\n"
                                 "Examples:\n  tilerun list matmul.py\n"
                                 "  tilerun list matmul.py --json\n");
  list->add_option("FILE", options.target, "FILE.py, or - for stdin")->required();
  addCommon(list, options);

  CLI::App *layout = app.add_subcommand(
      "layout", std::string("Show a layout: which lane, warp and register hold each element, or "
                            "where it is in memory, in\nwhich bank; with --to, what moves on the "
                            "way to another layout. As text, SVG or HTML.\n\n") +
                    kLayouts);
  layout->add_option("LAYOUT", options.target, "A short form, or a layout's text")->required();
  layout
      ->add_option("--to", options.to,
                   "Another layout of the same tensor, over threads or of memory")
      ->type_name("LAYOUT");
  layout->add_option("--element", options.element, "Type of an element")
      ->type_name("TYPE")
      ->capture_default_str();
  layout
      ->add_option(
          "--target", options.targets,
          "Whose warps, banks and costs count: KIND:ARCH, or 'generic:lanes=64,banks=32,…' "
          "(default: generic:, with 32 lanes)")
      ->allow_extra_args(false)
      ->type_name("TARGET");
  layout
      ->add_option("--slice", options.slice,
                   "The part to show: for each dimension START:END, START: or an index")
      ->type_name("0:16,…");
  layout->add_option("--format", options.format, "text, svg or html (default: by the name of -o)")
      ->check(CLI::IsMember({"text", "svg", "html"}))
      ->type_name("FORMAT")
      ->option_text("FORMAT");
  layout->add_option("-o,--output", options.output, "File to write ('-': stdout)")
      ->type_name("FILE");
  addCommon(layout, options);

  CLI::App *plugin = app.add_subcommand("plugin", "Work with plugin files.");
  plugin->require_subcommand(1);
  CLI::App *pluginCheck = plugin->add_subcommand(
      "check",
      "Audit a plugin file: symbols, versions, table, compiling without a device, and the\n"
      "conformance suite on each of its devices. The plugin runs in child processes.\n"
      "Exits with 0 if nothing failed, 1 if something did.\n\n"
      "Examples:\n  tilerun plugin check libtilerun-mine.so\n"
      "  tilerun plugin check libtilerun-mine.so --json --no-conformance\n");
  pluginCheck->add_option("FILE", options.pluginFile, "FILE.so")->required();
  pluginCheck->add_flag("!--no-conformance", options.conformance, "Leave out the suite");
  pluginCheck
      ->add_option("--timeout", options.timeout,
                   "Seconds for each step (default: 20, and 300 for the suite)")
      ->check(CLI::Range(0.1, 86400.0));
  addEmulate(pluginCheck, options);
  addCommon(pluginCheck, options);

  CLI::App *doctor = app.add_subcommand(
      "doctor", "The state of the installation: version, cache, plugins, devices with a\n"
                "self-test each, and how to fix what does not work. Exits with 0 if the device\n"
                "cpu works, else 4.\n\n"
                "Examples:\n  tilerun doctor\n  tilerun doctor --json\n");
  doctor->add_option("--self-test", options.selfTest)->group("");
  addEmulate(doctor, options);
  addCommon(doctor, options);

  CLI::App *devices = app.add_subcommand(
      "devices",
      "List the devices of this machine; with --emulate also AMD GPUs that are emulated,\n"
      "and what to set for every program of a shell to have them.\n\n"
      "Examples:\n  tilerun devices --json\n"
      "  tilerun devices --emulate hip:gfx942,gfx1100\n");
  addEmulate(devices, options);
  addCommon(devices, options);

  CLI::App *demo = app.add_subcommand(
      "demo", "Run example kernels and compare them with a float64 reference.\n\n"
              "Examples:\n  tilerun demo\n  tilerun demo --all\n  tilerun demo softmax matmul\n");
  demo->add_option("ENTRY", options.entries, "Names of entries (default: the flagship ones)")
      ->type_name("");
  demo->add_flag("--all", options.all, "Every entry of the manifest");
  demo->add_option("--examples", options.examples, "Folder with manifest.json");
  demo->add_option("--device", options.device, "Device to run on")->capture_default_str();
  addEmulate(demo, options);
  demo->add_option("--threads", options.threads, "Host threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  demo->add_option("--repeat", options.repeat, "Launches of each; the fastest is shown")
      ->check(CLI::Range(1, 1000000));
  addCacheOption(demo, options);
  addTimingOptions(demo, options);
  addCommon(demo, options);

  CLI::App *corpus = app.add_subcommand(
      "corpus",
      "Find out which kernels of a folder compile: type-check each with guessed signatures, and\n"
      "report the op or construct that stops the rest. Nothing is run. Kernels are compiled in\n"
      "child processes; one that exceeds a limit is ended, and named with the limit. With\n"
      "--output every result is written at once, and the same command continues after an\n"
      "interrupt.\n\n"
      "Examples:\n  tilerun corpus my_kernels/\n  tilerun corpus my_kernels/ --json\n"
      "  tilerun corpus my_kernels/ --target cuda:sm_90a\n"
      "  tilerun corpus my_kernels/ --target vulkan:1.3 --output results.jsonl --time-limit 20\n");
  corpus->add_option("FOLDER", options.target, "Folder of .py files, or one file")->required();
  corpus
      ->add_option("--target", options.targets,
                   "KIND:ARCH to compile further to, such as cuda:sm_90a or vulkan:1.3")
      ->expected(1)
      ->type_name("TARGET");
  corpus
      ->add_option("--threads", options.threads,
                   "Kernels at a time, each in its own process (default: one for each core)")
      ->check(CLI::Range(1, 1024));
  addLimits(corpus, options);
  addLimit(corpus, "--time-limit", options.timeLimit, "SECONDS",
           "Seconds that one kernel may take, with all signatures that are tried");
  addLimit(corpus, "--memory-limit", options.memoryLimit, "GIB",
           "GiB of memory that one kernel may take");
  addDefineOptions(corpus, options);
  corpus
      ->add_option("-o,--output", options.output,
                   "File of results, a line of JSON for each; an existing one is continued")
      ->type_name("FILE");
  addCommon(corpus, options);

  CLI::App *tune = addTune(app, options);
  CLI::App *bench = addBench(app, options);

  CLI::App *cache = app.add_subcommand(
      "cache", "Manage the cache of compiled kernels (see also TILERUN_CACHE_DIR,\n"
               "TILERUN_CACHE_SIZE, TILERUN_CACHE_SHARED and TILERUN_CACHE=off).\n\n"
               "Examples:\n  tilerun cache stat\n  tilerun cache verify --remove\n"
               "  tilerun cache clear\n");
  cache->require_subcommand(1);
  for (auto [name, help] :
       {std::pair{"stat", "Its location and contents"}, std::pair{"clear", "Remove every entry"},
        std::pair{"verify", "Read every entry; exits with 1 if one is damaged"}}) {
    CLI::App *action = cache->add_subcommand(name, help);
    action->callback([&options, name = std::string(name)] { options.cacheAction = name; });
    if (std::string(name) == "verify")
      action->add_flag("--remove", options.removeBad, "Remove the damaged ones");
    addCommon(action, options);
  }

  CLI::App *completion = app.add_subcommand(
      "completion", "Print the completion of a shell: commands, options, and kernels after "
                    "FILE.py::.\n\nExamples:\n"
                    "  source <(tilerun completion bash)                        # in ~/.bashrc\n"
                    "  source <(tilerun completion zsh)       # in ~/.zshrc, after compinit\n"
                    "  tilerun completion fish > ~/.config/fish/completions/tilerun.fish\n");
  completion->add_option("SHELL", options.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("")
      ->option_text(" ");

  CLI::App *lsp = app.add_subcommand(
      "lsp",
      "Serve an editor by the Language Server Protocol on stdin and stdout: what is wrong with\n"
      "kernels while they are typed, types and shapes under the pointer, definitions through\n"
      "imports, the outline, and layouts of a target (docs/editors.md). Each kernel is\n"
      "type-checked with the signature of a comment above it, '# tilerun: SIGNATURE', or with\n"
      "a guessed one.\n\n"
      "Examples:\n  tilerun lsp                          as an editor's server for Python\n"
      "  tilerun lsp --target hip:gfx942      with the layouts of an AMD GPU\n");
  lsp->add_option(
         "--target", options.targets,
         "KIND:ARCH whose layouts are shown (default: cuda:sm_90a); editors may name another")
      ->expected(1)
      ->type_name("TARGET");

  CLI::App *man = app.add_subcommand(
      "man", "Print a page of the manual, or write all of them.\n\nExamples:\n"
             "  tilerun man run | man -l -\n"
             "  tilerun man -o ~/.local/share/man/man1     then: man tilerun-run\n");
  man->add_option("COMMAND", options.manOf,
                  "A command, such as 'plugin check' (default: the page "
                  "about all)")
      ->type_name("");
  man->add_option("-o,--output", options.output, "Folder to write every page to, as NAME.1")
      ->type_name("FOLDER");

  CLI::App *version = app.add_subcommand("version", "Print the version.");
  addCommon(version, options);
  app.add_subcommand("help", "Print the help of a command: 'tilerun help run'.");

  addGroups(app);
  using Command = Options::Command;
  return {{{run, Command::Run},
           {check, Command::Check},
           {debug, Command::Debug},
           {show, Command::Show},
           {compile, Command::Compile},
           {explain, Command::Explain},
           {layout, Command::Layout},
           {list, Command::List},
           {devices, Command::Devices},
           {doctor, Command::Doctor},
           {pluginCheck, Command::PluginCheck},
           {demo, Command::Demo},
           {cache, Command::Cache},
           {corpus, Command::Corpus},
           {tune, Command::Tune},
           {bench, Command::Bench},
           {completion, Command::Completion},
           {lsp, Command::Lsp},
           {man, Command::Man},
           {version, Command::Version}},
          emit};
}

} // namespace tilerun::command
