// The command line as plain data. Separate from the rest because CLI11 needs exceptions, which
// nothing that links the compiler uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilerun::command {

enum class ExitCode {
  Ok = 0,
  Mismatch = 1,    ///< A wrong result, or a check that found something.
  Usage = 2,       ///< The command line, or a file that it names.
  Compile = 3,     ///< The kernel.
  Unavailable = 4, ///< The device or its plugin.
  Fault = 5,       ///< While the kernel ran.
  Internal = 70    ///< A bug in Tilerun; a reproducer is named.
};

enum class Color { Auto, Always, Never };
/// Of tune; Line: Auto on a terminal.
enum class ProgressForm { Auto, Line, Plain, Json, None };

struct Options {
  enum class Command {
    Run,
    Check,
    Compile,
    List,
    Devices,
    Doctor,
    PluginCheck,
    Demo,
    Cache,
    Corpus,
    Tune,
    Completion,
    Complete,
    Version,
    Layout,
    Man,
    Bench,
    Explain,
    Debug,
    Show,
    Lsp
  };
  Command command = Command::Run;

  /// FILE.py::KERNEL, or FILE.py for `list`, or a layout. The file `-` is stdin.
  std::string target;
  std::string device = "cpu";
  /// GPUs to emulate, "hip:gfx942,gfx1100"; the first of them is `device` if none was given.
  std::string emulate;
  bool json = false;
  Color color = Color::Auto;

  // run, check
  std::vector<std::string> arguments; ///< NAME=VALUE, in order.
  std::string grid;                   ///< Empty: not given.
  std::vector<std::string> saves;     ///< NAME=FILE
  std::vector<std::string> expects;   ///< NAME=EXPR or NAME=FILE
  std::vector<std::string> prints;    ///< NAME
  std::optional<double> rtol, atol;
  bool allowOverlap = false;
  unsigned threads = 0;
  unsigned repeat = 1;
  bool time = false;
  bool counters = false; ///< Of run.
  std::string trace;     ///< Of run: names of variables, or slices, by commas.
  std::string program;   ///< Of run, debug and show: a number, or a position.
  std::string commands;  ///< Of debug: a file.
  bool adapter = false;  ///< Of debug: the Debug Adapter Protocol.
  /// Whether a mismatch says which program wrote what; unset: where that costs little.
  std::optional<bool> map;
  std::string report; ///< A file for pictures of mismatches.
  bool nanInf = false;
  bool boundsChecks = true; ///< Of run.
  bool strict = false;      ///< Of check.

  // run, check, compile
  std::optional<unsigned> autotuneConfig;
  std::optional<int64_t> numWarps, numStages, numCtas, maxnreg;
  std::optional<std::string> tma, lateProducts, turns, persistent, rematerialize, fewPrograms,
      evictions, retain, multicast, asyncStores,
      prefetch; ///< Of NVIDIA's targets; turns, evictions and prefetch of AMD's, too.
  std::optional<unsigned> wavesPerEu, matrixInstrNonkdim, kpack, xcds; ///< Of AMD targets.
  std::optional<std::string> buffers;                                  ///< Of AMD targets.
  bool asyncCopies = false;                                            ///< Of AMD targets.
  std::optional<std::string> operandsAcrossK;                          ///< Of NVIDIA targets.
  std::optional<uint64_t> boundedWaits;                                ///< Of NVIDIA targets.
  std::optional<uint64_t> maxOperations;
  bool strictTriton = false;        ///< Of corpus, too.
  bool timing = false;              ///< Of demo, too.
  std::string traceOut;             ///< A file; of demo, too.
  std::vector<std::string> defines; ///< NAME=VALUE of globals; corpus and tune too.
  std::string defineFrom;           ///< "python" or a path: the interpreter that knows them.
  bool optimize = true;
  bool fpFusion = true;
  bool debug = false;
  bool remarks = false;                ///< Of run and compile.
  std::optional<std::string> schedule; ///< A file.
  std::string scheduleText;            ///< Its contents, once it is read (Library.h).
  bool useCache = true;                ///< Of compiled code; demo too.

  // tune
  std::vector<std::string> varies;   ///< NAME=A,B,…
  std::vector<std::string> restores; ///< NAME
  double warmup = 25, rep = 100;     ///< Milliseconds.
  std::string axes;                  ///< X or X,Y of the heat map; empty: chosen.
  ProgressForm progress = ProgressForm::Auto;

  // bench; warmup and rep as of tune; tune and show have its outputs
  std::vector<std::string> against;    ///< FILE.py::KERNEL
  std::vector<std::string> references; ///< Expressions.
  std::vector<std::string> devices;    ///< Empty: `device`.
  std::string bytes, flops;            ///< Expressions; empty: counted.
  bool count = true;
  std::string metric; ///< "gbps", "tflops", "ms"; empty: what suits the kernel.
  std::vector<std::string> outputs;

  // compile
  std::string signature;
  std::string emit;                 ///< Empty: the default for the kind of target.
  bool emitGiven = false;           ///< Not the default.
  std::vector<std::string> targets; ///< KIND:ARCH
  bool resources = false;
  std::optional<bool> lineInfo;
  std::string output = "-";
  std::string picture; ///< Of explain: the only one to write.
  bool bytecode = false;
  bool locations = false;

  // plugin check
  std::string pluginFile;
  bool conformance = true;
  double timeout = 0; ///< Seconds; 0: the defaults.

  // corpus
  double timeLimit = 60;  ///< Seconds of one kernel.
  double memoryLimit = 4; ///< GiB; also of recordings, of run, debug and show.

  // cache
  std::string cacheAction; ///< "stat", "clear" or "verify"
  bool removeBad = false;

  // doctor
  std::string selfTest; ///< In a child process: the device to test.

  // demo
  std::string examples; ///< Folder with manifest.json; empty: the one that belongs here.
  bool all = false;     ///< Every entry, not the flagship ones alone.
  std::vector<std::string> entries; ///< Names of entries.

  // layout; its text is `target`
  std::optional<std::string> to, slice;
  std::string element = "f32";
  std::string format; ///< Empty: by the name of the output.

  // man; its folder is `output`
  std::vector<std::string> manOf; ///< A command's words.

  // completion
  std::string shell;
  std::vector<std::string> words; ///< Of the command line so far, the last unfinished.

  bool printTemplate = false; ///< Of run and check.
};

/// The candidate near enough to a word to be meant by it; empty: none is.
using FindNear = std::string (*)(const std::string &word,
                                 const std::vector<std::string> &candidates);

/// Parses argv. A value: the program is done (help or version, which were printed, or a usage
/// error, which is in `message`).
std::optional<ExitCode> parseCommandLine(int argc, const char *const *argv, Options &options,
                                         std::string &message, FindNear findNear);

/// What may come next on a command line, for shells.
struct Completions {
  std::vector<std::string> words;
  /// The shell may offer names of files, too.
  bool files = false;
  /// The word is a kernel's place, FILE.py::KERNEL.
  bool kernels = false;
};
/// `words` are the command line's after the program's name, of which the last is unfinished.
Completions completeCommandLine(const std::vector<std::string> &words);

/// A page of the manual, in the language of man(7).
struct ManPage {
  std::string name; ///< "tilerun-plugin-check"
  std::string text;
};
/// The command's and those of all subcommands, from the grammar that their help comes from.
std::vector<ManPage> makeManPages();

std::string getVersion(); ///< "0.2.0 (LLVM 22.1.0)"
/// Names of the subcommands.
std::vector<std::string> getSubcommands();

} // namespace tilerun::command
