// The command line, its help and its completion. Compiled with exceptions and without LLVM's
// headers.
#include "tools/tilerun/command/CommandLine.h"

#include "tools/tilerun/command/Grammar.h"
#include "tools/tilerun/command/HelpTexts.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <iostream>
#include <list>
#include <string_view>

namespace tilerun::command {

namespace {

std::vector<std::string> namesOfSubcommands(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

const CLI::App *findSubcommand(const CLI::App &app, const std::string &name) {
  for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    if (sub->get_name() == name)
      return sub;
  return nullptr;
}

/// "--grid" of each option of a command that has a long name and is shown.
std::vector<std::string> namesOfOptions(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &name : option->get_lnames())
      if (!option->get_group().empty())
        names.push_back("--" + name);
  return names;
}

/// A word that looks like an option and is none; empty: there is none.
std::string findUnknownOption(const CLI::App &app) {
  for (const std::string &word : app.remaining(/*recurse=*/true))
    if (word.size() > 1 && word[0] == '-' && !std::isdigit(static_cast<unsigned char>(word[1])))
      return word.substr(0, word.find('='));
  return "";
}

/// "; did you mean 'x'?", or "".
std::string suggest(const std::string &word, const std::vector<std::string> &candidates,
                    FindNear findNear) {
  const std::string near = findNear(word, candidates);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

/// " of 'plugin'", or "" for the command itself.
std::string describeOwner(const CLI::App &parent) {
  return parent.get_parent() ? " of '" + parent.get_name() + "'" : "";
}

std::string listSubcommands(const CLI::App &parent) {
  std::string names;
  for (const std::string &name : namesOfSubcommands(parent))
    names += (names.empty() ? "'" : ", '") + name + "'";
  return names;
}

std::string describeUnknown(const CLI::App &parent, const std::string &word, FindNear findNear) {
  const std::string near = suggest(word, namesOfSubcommands(parent), findNear);
  return "unknown command '" + word + "'" + describeOwner(parent) +
         (near.empty() ? "; known are " + listSubcommands(parent) : near);
}

/// Prints help, or stores the error in `message`.
ExitCode finish(const CLI::App &app, const CLI::Error &error, int argc, const char *const *argv,
                std::string &message, FindNear findNear) {
  if (error.get_exit_code() == 0)
    return app.exit(error, std::cout, std::cerr), ExitCode::Ok;
  message = error.what();
  const CLI::App *parent = &app;
  int depth = 1;
  for (; !parent->get_subcommands().empty(); ++depth)
    parent = parent->get_subcommands().front();
  // A mistyped option also leaves the one that was meant missing, so this comes first.
  if (const std::string unknown = findUnknownOption(app); !unknown.empty()) {
    message = "unknown option '" + unknown + "'" + describeOwner(*parent) +
              suggest(unknown, namesOfOptions(*parent), findNear);
    return ExitCode::Usage;
  }
  // Without subcommands an option is missing, which CLI11 says.
  if (error.get_name() != "RequiredError" || namesOfSubcommands(*parent).empty())
    return ExitCode::Usage;
  // A word that is not a subcommand is left over, which CLI11 reports as a missing one.
  if (depth < argc && argv[depth][0] != '-')
    message = describeUnknown(*parent, argv[depth], findNear);
  else if (parent != &app)
    message = "a command" + describeOwner(*parent) + " is required: " + listSubcommands(*parent);
  else
    message = "a command is required, such as 'run'";
  return ExitCode::Usage;
}

/// "a:1,b:2" are two targets, "a:1,x=2,y" is one: a colon that no '=' precedes begins the next.
std::vector<std::string> splitTargets(const std::vector<std::string> &given) {
  std::vector<std::string> targets;
  for (const std::string &text : given)
    for (size_t begin = 0; begin <= text.size();) {
      size_t end = std::min(text.find(',', begin), text.size());
      std::string part = text.substr(begin, end - begin);
      // A kind of target, such as "hip:", has letters only: "gfx942:xnack-" goes on with what it
      // has.
      const std::string_view kind = std::string_view(part).substr(0, part.find(':'));
      if (begin == 0 ||
          (kind.size() < part.size() && std::all_of(kind.begin(), kind.end(), [](char c) {
             return std::isalpha(static_cast<unsigned char>(c));
           })))
        targets.push_back(part == "cpu" ? "cpu:interpreter" : part); // It has one architecture.
      else
        targets.back() += "," + part;
      begin = end + 1;
    }
  return targets;
}

/// The command that the words before the last choose, and what the last may be.
const CLI::App *findCommand(const CLI::App &app, const std::vector<std::string> &words,
                            const CLI::Option *&valueOf, size_t &numPositionals) {
  const CLI::App *at = &app;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string &word = words[i];
    if (valueOf) {
      valueOf = nullptr;
    } else if (word.size() > 1 && word[0] == '-') {
      const CLI::Option *option = at->get_option_no_throw(word);
      valueOf = option && option->get_items_expected_max() > 0 ? option : nullptr;
    } else if (const CLI::App *sub = findSubcommand(*at, word)) {
      at = sub;
    } else {
      ++numPositionals;
    }
  }
  return at;
}

} // namespace

std::string getVersion() { return TILERUN_VERSION; }

std::vector<std::string> getSubcommands() {
  CLI::App app;
  Options options;
  (void)addGrammar(app, options);
  return namesOfSubcommands(app);
}

Completions completeCommandLine(const std::vector<std::string> &words) {
  CLI::App app;
  Options options;
  (void)addGrammar(app, options);
  Completions out;
  if (words.empty())
    return out;
  if (words.size() > 1 && words.front() == "help") {
    out.words = namesOfSubcommands(app);
    return out;
  }
  const CLI::Option *valueOf = nullptr;
  size_t numPositionals = 0;
  const CLI::App *at = findCommand(app, words, valueOf, numPositionals);
  if (valueOf) {
    static const std::vector<std::pair<const char *, std::vector<std::string>>> kValues = {
        {"--color", {"auto", "always", "never"}},
        {"--format", {"text", "svg", "html"}},
        {"--metric", {"gbps", "tflops", "ms"}},
        {"--emit",
         {"ast", "tile", "tile-opt", "layout", "schedule", "timeline", "simt", "ptx", "spirv-asm",
          "amdgcn", "remarks"}}};
    out.files = true;
    for (const auto &[name, values] : kValues)
      if (valueOf->check_name(name))
        out = {values, /*files=*/false, /*kernels=*/false};
    return out;
  }
  if (words.back().size() > 0 && words.back()[0] == '-') {
    out.words = namesOfOptions(*at);
    return out;
  }
  out.words = namesOfSubcommands(*at);
  if (!out.words.empty())
    return out;
  if (at->get_name() == "man") {
    out.words = namesOfSubcommands(app);
    return out;
  }
  if (at->get_name() == "completion") {
    out.words = {"bash", "zsh", "fish"};
    return out;
  }
  const CLI::Option *target = at->get_option_no_throw("TARGET");
  out.kernels = target && target->get_positional() && numPositionals == 0;
  out.files = !out.kernels;
  return out;
}

std::optional<ExitCode> parseCommandLine(int argc, const char *const *argv, Options &options,
                                         std::string &message, FindNear findNear) {
  // For shells (Completion.cpp): the rest is a command line that is being written.
  if (argc > 2 && argv[1] == std::string("complete") && argv[2] == std::string("--")) {
    options.command = Options::Command::Complete;
    options.words.assign(argv + 3, argv + argc);
    return std::nullopt;
  }
  CLI::App app(kOverview, "tilerun");
  const Grammar grammar = addGrammar(app, options);
  // 'help run' is 'run --help'; 'help --help' says what 'help' does.
  std::vector<const char *> words(argv, argv + argc);
  // A kernel of stdin looks like an option.
  std::list<std::string> targets;
  for (const char *&word : words)
    if (std::string_view(word).starts_with("-::"))
      word = targets.emplace_back("./" + std::string(word)).c_str();
  auto isHelpOption = [](std::string_view word) { return word == "--help" || word == "-h"; };
  if (argc > 1 && words[1] == std::string("help") && (argc == 2 || !isHelpOption(words[2]))) {
    words.erase(words.begin() + 1);
    const CLI::App *of = &app;
    for (size_t i = 1; i < words.size(); ++i) {
      const CLI::App *sub = findSubcommand(*of, words[i]);
      if (!sub) {
        message = describeUnknown(*of, words[i], findNear);
        return ExitCode::Usage;
      }
      of = sub;
    }
    words.push_back("--help");
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Error &error) {
    return finish(app, error, static_cast<int>(words.size()), words.data(), message, findNear);
  } catch (const std::exception &error) {
    message = error.what();
    return ExitCode::Usage;
  }
  for (auto [sub, command] : grammar.commands)
    if (sub->parsed())
      options.command = command;
  for (const char *name : {"run", "tune", "bench", "demo"})
    if (CLI::App *sub = app.get_subcommand(name);
        !options.emulate.empty() && sub->parsed() && sub->count("--device") == 0)
      options.device = options.emulate.substr(0, options.emulate.find(':')) + ":0";
  if (options.target.starts_with("./-::"))
    options.target.erase(0, 2);
  options.emitGiven = grammar.emit->count() > 0;
  if (!options.emitGiven)
    options.emit = options.targets.empty() ? "tile" : "";
  options.targets = splitTargets(options.targets);
  return std::nullopt;
}

} // namespace tilerun::command
