// Pages of the manual in the language of man(7), made from the grammar of the command line like its
// help. Compiled with exceptions and without LLVM's headers.
#include "tools/tilerun/command/Grammar.h"
#include "tools/tilerun/command/HelpFormatter.h"
#include "tools/tilerun/command/HelpTexts.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace tilerun::command {
namespace {

/// Text that the formatter prints as it is: no escapes, hyphens as they are typed, and no line that
/// begins like a request.
std::string escape(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool beginsLine = i == 0 || text[i - 1] == '\n';
    if (beginsLine && (text[i] == '.' || text[i] == '\''))
      out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

/// "tilerun plugin check"
std::string getCommand(const CLI::App &app) {
  const CLI::App *parent = app.get_parent();
  return (parent ? getCommand(*parent) + " " : "") + app.get_name();
}

std::string getPageName(const CLI::App &app) {
  std::string name = getCommand(app);
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::vector<std::string> splitParagraphs(const std::string &text) {
  std::vector<std::string> paragraphs = {""};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() && !paragraphs.back().empty())
      paragraphs.emplace_back();
    else if (!line.empty())
      paragraphs.back() += line + "\n";
  }
  if (paragraphs.back().empty())
    paragraphs.pop_back();
  return paragraphs;
}

/// The first sentence of a description, for the line that apropos(1) reads.
std::string getSummary(const CLI::App &app) {
  const std::vector<std::string> paragraphs = splitParagraphs(app.get_description());
  std::string text = paragraphs.empty() ? "" : paragraphs.front();
  std::replace(text.begin(), text.end(), '\n', ' ');
  size_t end = text.find(". ");
  text = text.substr(0, end);
  while (!text.empty() && (text.back() == ' ' || text.back() == '.'))
    text.pop_back();
  return text;
}

/// Sentences are filled; a paragraph with indented lines is shown as it is, and its first line is a
/// heading if it ends with a colon.
void writeDescription(std::ostream &os, const std::string &text) {
  for (std::string paragraph : splitParagraphs(text)) {
    if (paragraph.find("\n ") == std::string::npos && paragraph.front() != ' ') {
      os << ".PP\n" << escape(paragraph);
      continue;
    }
    const size_t end = paragraph.find('\n');
    if (end > 0 && paragraph[end - 1] == ':') {
      os << ".SS " << escape(paragraph.substr(0, end - 1)) << "\n";
      paragraph.erase(0, end + 1);
    } else {
      os << ".PP\n";
    }
    os << ".nf\n" << escape(paragraph) << ".fi\n";
  }
}

/// Positional ones, or those below a heading.
void writeOptions(std::ostream &os, const CLI::App &app, const std::string *heading) {
  const HelpFormatter formatter;
  for (const CLI::Option *option : app.get_options()) {
    if (heading ? !option->nonpositional() || option->get_group() != *heading
                : !option->get_positional() || option->get_group().empty())
      continue;
    os << ".TP\n.B " << escape(formatter.make_option_name(option, !heading)) << "\n";
    // The type and the limits, as the help shows them.
    const std::string type = formatter.make_option_opts(option);
    if (const size_t first = type.find_first_not_of(' '); first != std::string::npos)
      os << "(" << escape(type.substr(first)) << ")\n";
    os << escape(formatter.make_option_desc(option)) << "\n";
  }
}

std::vector<const CLI::App *> getSubcommandsOf(const CLI::App &app) {
  std::vector<const CLI::App *> subcommands;
  for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    subcommands.push_back(sub);
  return subcommands;
}

bool hasOptions(const CLI::App &app, bool positional) {
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional() == positional && !option->get_group().empty())
      return true;
  return false;
}

std::string makePage(const CLI::App &app) {
  const std::vector<const CLI::App *> subcommands = getSubcommandsOf(app);
  std::string title = getPageName(app);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::ostringstream os;
  os << ".TH \"" << escape(title) << "\" 1 \"\" \"tilerun " << escape(getVersion())
     << "\" \"Tilerun\"\n.SH NAME\n"
     << escape(getPageName(app)) << " \\- " << escape(getSummary(app)) << "\n.SH SYNOPSIS\n.B "
     << escape(getCommand(app)) << "\n[\\fIoptions\\fR]";
  for (const CLI::Option *option : app.get_options())
    if (option->get_positional()) {
      const bool many = option->get_items_expected_max() > 1;
      const std::string name =
          "\\fI" + escape(option->get_name(true)) + "\\fR" + (many ? "..." : "");
      os << " " << (option->get_required() ? name : "[" + name + "]");
    }
  os << (subcommands.empty() ? "" : " \\fIcommand\\fR") << "\n.SH DESCRIPTION\n";
  writeDescription(os, app.get_description());
  if (hasOptions(app, true)) {
    os << ".SH ARGUMENTS\n";
    writeOptions(os, app, nullptr);
  }
  os << ".SH OPTIONS\n";
  for (const std::string &heading : listGroups(app)) {
    os << ".SS " << escape(heading) << "\n";
    writeOptions(os, app, &heading);
  }
  if (!subcommands.empty())
    os << ".SH COMMANDS\n";
  for (const CLI::App *sub : subcommands)
    os << ".TP\n.BR " << escape(getPageName(*sub)) << " (1)\n" << escape(getSummary(*sub)) << "\n";
  os << ".SH SEE ALSO\n";
  const CLI::App *parent = app.get_parent();
  os << (parent ? ".BR " + escape(getPageName(*parent)) + " (1)\n"
                : std::string("The documentation, docs/index.md in the sources.\n"));
  return os.str();
}

void addPages(const CLI::App &app, std::vector<ManPage> &pages) {
  pages.push_back({getPageName(app), makePage(app)});
  for (const CLI::App *sub : getSubcommandsOf(app))
    addPages(*sub, pages);
}

} // namespace

std::vector<ManPage> makeManPages() {
  CLI::App app(kOverview, "tilerun");
  Options options;
  (void)addGrammar(app, options);
  std::vector<ManPage> pages;
  addPages(app, pages);
  return pages;
}

} // namespace tilerun::command
