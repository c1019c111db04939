// Completion for shells. The scripts know nothing of the command's grammar: they hand over the
// words so far, `tilerun complete -- run add.py::`, and get one candidate a line.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Session.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::command;

// COMP_WORDS would be split at colons. Readline replaces only what follows the last colon, where
// that is a word break.
static constexpr const char *kBash = R"(_tilerun() {
  local line=${COMP_LINE:0:COMP_POINT} words cur prefix IFS
  IFS=$' \t\n'; read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  cur=${words[${#words[@]}-1]}
  IFS=$'\n'
  COMPREPLY=($("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null))
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:/=] ]] && compopt -o nospace 2>/dev/null
  if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
    prefix=${cur%"${cur##*:}"}
    COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
  fi
}
complete -o default -F _tilerun tilerun
)";
static constexpr const char *kZsh = R"(#compdef tilerun
_tilerun() {
  local -a found open
  found=("${(@f)$(${words[1]} complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(${found:#})
  if (( ! $#found )); then
    _files
    return
  fi
  open=(${(M)found:#*[:/=]})
  found=(${found:#*[:/=]})
  if (( $#open )); then compadd -S '' -a open; fi
  if (( $#found )); then compadd -a found; fi
}
compdef _tilerun tilerun
)";
static constexpr const char *kFish = R"(function __tilerun_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (command $words[1] complete -- $words[2..] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c tilerun -f -a '(__tilerun_complete)'
)";

llvm::Expected<ExitCode> command::runCompletion(const Options &options) {
  llvm::outs() << (options.shell == "bash" ? kBash : options.shell == "zsh" ? kZsh : kFish);
  return ExitCode::Ok;
}

/// Folders, and Python files up to their kernels: "kernels/", "add.py::".
static std::vector<std::string> listFiles(llvm::StringRef word) {
  std::vector<std::string> out;
  llvm::StringRef folder = word.take_front(word.rfind('/') + 1);
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder.empty() ? "." : folder, error), end;
       !error && it != end; it.increment(error)) {
    const std::string name = (folder + llvm::sys::path::filename(it->path())).str();
    if (llvm::sys::path::filename(name).starts_with("."))
      continue;
    if (llvm::sys::fs::is_directory(it->path()))
      out.push_back(name + "/");
    else if (llvm::StringRef(name).ends_with(".py"))
      out.push_back(name + "::");
  }
  return out;
}

/// "add.py::add_kernel", for all kernels of the file; none if it cannot be read.
static std::vector<std::string> listKernels(Session &session, llvm::StringRef path) {
  std::vector<std::string> out;
  if (llvm::Error error = session.loadFile(path)) {
    llvm::consumeError(std::move(error)); // A shell has no place for it.
    return out;
  }
  for (const auto &function : session.module->functions)
    if (!function->usedAsHelper)
      out.push_back((path + "::" + function->qualifiedName).str());
  return out;
}

llvm::Expected<ExitCode> command::runComplete(Session &session) {
  const std::vector<std::string> &words = session.options.words;
  const Completions completions = completeCommandLine(words);
  std::vector<std::string> candidates = completions.words;
  const llvm::StringRef word = words.empty() ? "" : llvm::StringRef(words.back());
  if (completions.kernels) {
    const size_t at = word.find("::");
    candidates =
        at == llvm::StringRef::npos ? listFiles(word) : listKernels(session, word.take_front(at));
  }
  llvm::sort(candidates);
  for (llvm::StringRef candidate : candidates)
    if (candidate.starts_with(word))
      llvm::outs() << candidate << "\n";
  return ExitCode::Ok;
}
