// How the help of commands looks: headings for the commands and options that belong together, and
// words for the values of options. Compiled with exceptions and without LLVM's headers.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

namespace tilerun::command {

/// Puts every command and option of a whole grammar below its heading.
void addGroups(CLI::App &app);

/// Headings of the options of a command, in the order of the help.
std::vector<std::string> listGroups(const CLI::App &app);

/// Lists subcommands by the first paragraph of their descriptions; examples are in their own help.
class HelpFormatter : public CLI::Formatter {
public:
  HelpFormatter() { column_width(28); }
  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_subcommands(const CLI::App *app, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App *sub) const override;
  std::string make_option_name(const CLI::Option *option, bool isPositional) const override;
  std::string make_option_opts(const CLI::Option *option) const override;
};

} // namespace tilerun::command
