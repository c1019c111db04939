// `tilerun run --template`: a launch of a kernel to fill in.
#include "frontend/corpus/LaunchGuess.h"
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Session.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilerun;
using namespace tilerun::command;

/// A word as shells take it.
static std::string quote(llvm::StringRef word) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("_-=.,:/+@%").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, isPlain))
    return word.str();
  std::string out = "'";
  for (char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

llvm::Expected<ExitCode> command::runTemplate(Session &session) {
  const Options &options = session.options;
  TILERUN_TRY_ERROR(session.load(options.target));
  const corpus::GridGuess grid = corpus::guessGrid(*session.kernel);
  const std::vector<std::string> arguments =
      corpus::guessArguments(session.frontend, *session.kernel, grid);
  const std::string text = grid.format("…");
  if (options.json) {
    printJson(llvm::json::Object{{"status", "ok"},
                                 {"exit_code", 0},
                                 {"kernel", jsonText(session.kernel->qualifiedName)},
                                 {"arguments", jsonTexts(arguments)},
                                 {"grid", jsonText(text)}});
    return ExitCode::Ok;
  }
  llvm::raw_ostream &os = llvm::outs();
  os << "tilerun " << (options.command == Options::Command::Check ? "check " : "run ")
     << quote(options.target);
  constexpr size_t kWidth = 96;
  size_t width = kWidth; // The arguments begin a line.
  for (const std::string &argument : arguments) {
    const std::string word = quote(argument);
    if (width + word.size() + 1 > kWidth) {
      os << " \\\n   ";
      width = 3;
    }
    os << " " << word;
    width += word.size() + 1;
  }
  if (grid.numAxes)
    os << " \\\n    --grid " << quote(text);
  os << "\n";
  return ExitCode::Ok;
}
