// See HelpFormatter.h. One table of options for all commands, as most are of several.
#include "tools/tilerun/command/HelpFormatter.h"

#include <algorithm>
#include <cstring>
#include <regex>

namespace tilerun::command {
namespace {

struct Group {
  const char *heading;
  std::vector<std::string> names;
};

const std::vector<Group> &getCommandGroups() {
  static const std::vector<Group> groups = {
      {"Run and check", {"run", "check", "debug", "demo"}},
      {"See", {"show", "explain", "layout", "compile", "list"}},
      {"Measure", {"bench", "tune"}},
      {"Installation", {"doctor", "devices", "plugin", "cache"}},
      {"Editors and collections", {"lsp", "corpus"}},
      {"Help", {"help", "man", "completion", "version"}},
  };
  return groups;
}

// In the order of the help; an option that is in no row is a general one.
const std::vector<Group> &getOptionGroups() {
  static const std::vector<Group> groups = {
      {"Launch", {"grid",         "template", "device",      "emulate",         "allow-overlap",
                  "threads",      "define",   "define-from", "autotune-config", "num-warps",
                  "num-stages",   "num-ctas", "maxnreg",     "debug",           "program",
                  "memory-limit", "examples", "all",         "signature",       "commands",
                  "dap",          "target"}},
      {"Results",
       {"save",     "expect",    "print",     "rtol",   "atol",    "map",       "no-map",
        "report",   "trace",     "nan-inf",   "strict", "emit",    "resources", "output",
        "bytecode", "locations", "format",    "to",     "element", "slice",     "picture",
        "axes",     "against",   "reference", "metric"}},
      {"Measuring",
       {"vary", "warmup", "rep", "restore", "progress", "bytes", "flops", "repeat", "time",
        "counters", "timing", "trace-out", "no-count", "time-limit"}},
      {"Compiler",
       {"no-cache", "no-optimize", "max-operations", "strict-triton", "schedule", "remarks",
        "line-info", "no-line-info", "no-fp-fusion", "no-bounds-checks"}},
      // By the first word of their help, so that the list is not a second one.
      {"NVIDIA GPUs", {}},
      {"AMD GPUs", {}},
      {"General", {"json", "color", "help", "version"}},
  };
  return groups;
}

const char *findHeading(const std::vector<Group> &groups, const std::string &name) {
  for (const Group &group : groups)
    if (std::find(group.names.begin(), group.names.end(), name) != group.names.end())
      return group.heading;
  return groups.back().heading;
}

const char *findHeading(const CLI::Option &option) {
  const std::string &help = option.get_description();
  for (const char *heading : {"NVIDIA GPUs", "AMD GPUs"})
    if (help.starts_with(std::string(heading, std::strchr(heading, ' '))))
      return heading;
  return findHeading(getOptionGroups(), option.get_lnames().front());
}

void addOptionGroups(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (!option->get_positional() && !option->get_group().empty() && !option->get_lnames().empty())
      option->group(findHeading(*option));
  for (CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    addOptionGroups(*sub);
}

} // namespace

void addGroups(CLI::App &app) {
  addOptionGroups(app);
  for (CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    sub->group(findHeading(getCommandGroups(), sub->get_name()));
}

std::vector<std::string> listGroups(const CLI::App &app) {
  std::vector<std::string> headings;
  for (const Group &group : getOptionGroups())
    for (const CLI::Option *option : app.get_options())
      if (option->nonpositional() && option->get_group() == group.heading) {
        headings.emplace_back(group.heading);
        break;
      }
  return headings;
}

std::string HelpFormatter::make_help(const CLI::App *app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string out =
      make_description(app) + make_usage(app, std::move(name)) + make_positionals(app);
  for (const std::string &heading : listGroups(*app))
    out += make_group(heading, false, app->get_options([&](const CLI::Option *option) {
      return option->nonpositional() && option->get_group() == heading;
    }));
  return out + make_subcommands(app, mode);
}

std::string HelpFormatter::make_subcommands(const CLI::App *app, CLI::AppFormatMode) const {
  std::string out;
  auto add = [&](const std::string &heading) {
    std::string listed;
    for (const CLI::App *sub :
         app->get_subcommands([&](const CLI::App *sub) { return sub->get_group() == heading; }))
      listed += make_subcommand(sub);
    out += listed.empty() ? "" : "\n" + heading + ":\n" + listed;
  };
  for (const Group &group : getCommandGroups())
    add(group.heading);
  add("Subcommands"); // Of a command with commands of its own.
  return out;
}

std::string HelpFormatter::make_subcommand(const CLI::App *sub) const {
  std::stringstream out;
  const std::string description = sub->get_description();
  CLI::detail::format_help(out, sub->get_display_name(true),
                           description.substr(0, description.find("\n\n")), column_width_);
  return out.str();
}

std::string HelpFormatter::make_option_name(const CLI::Option *option, bool isPositional) const {
  // What a flag that turns something off stores is not of interest.
  static const std::regex kStored("\\{false\\}");
  return std::regex_replace(CLI::Formatter::make_option_name(option, isPositional), kStored, "");
}

std::string HelpFormatter::make_option_opts(const CLI::Option *option) const {
  // The library writes the names of types and checks, "TEXT:{auto,off,on}", "UINT:INT in [1 - 64]",
  // and defaults behind them, "TEXT=cpu".
  static const std::regex kChoice("TEXT:\\{([^}]*)\\}"),
      kRange("\\w+:\\w+ in \\[(\\S+) - (\\S+)\\]"), kUpwards("\\.\\.(9223372036854775807|1e\\+06)"),
      kDefault("=(\\S+)");
  std::string text = CLI::Formatter::make_option_opts(option);
  if (std::smatch choice; std::regex_search(text, choice, kChoice)) {
    std::string words = choice[1];
    std::replace(words.begin(), words.end(), ',', '|');
    text = choice.prefix().str() + words + choice.suffix().str();
  }
  text = std::regex_replace(std::regex_replace(text, kRange, "$1..$2"), kUpwards, "..");
  return std::regex_replace(text, kDefault, " (default $1)");
}

} // namespace tilerun::command
