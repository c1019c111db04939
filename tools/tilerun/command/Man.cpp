// `tilerun man`: pages of the manual, to read or to install.
#include "tools/tilerun/command/Commands.h"
#include "tools/tilerun/command/Session.h"
#include "tools/tilerun/host/AtomicFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::command;

static llvm::Error writePages(const std::vector<ManPage> &pages, llvm::StringRef folder) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return makeUsageError("cannot make the folder '" + folder + "': " + error.message());
  for (const ManPage &page : pages) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, page.name + ".1");
    llvm::Expected<host::AtomicFile> file = host::AtomicFile::open(path);
    if (!file)
      return makeUsageError(llvm::toString(file.takeError()));
    if (llvm::Error error = file->commit(page.text))
      return withExitCode(std::move(error), ExitCode::Usage);
  }
  llvm::outs() << pages.size() << " pages written to " << folder << "\n";
  return llvm::Error::success();
}

llvm::Expected<ExitCode> command::runMan(const Options &options) {
  const std::vector<ManPage> pages = makeManPages();
  if (options.output != "-") {
    if (!options.manOf.empty())
      return makeUsageError("--output writes every page; name no command");
    TILERUN_TRY_ERROR(writePages(pages, options.output));
    return ExitCode::Ok;
  }
  std::string name = "tilerun";
  for (const std::string &word : options.manOf)
    name += "-" + word;
  auto page = llvm::find_if(pages, [&](const ManPage &p) { return p.name == name; });
  if (page == pages.end()) {
    std::vector<std::string> commands; // "plugin check"
    for (const ManPage &known : pages) {
      commands.push_back(llvm::StringRef(known.name).split('-').second.str());
      std::replace(commands.back().begin(), commands.back().end(), '-', ' ');
    }
    const std::string asked = llvm::join(options.manOf, " ");
    const std::vector<llvm::StringRef> names(commands.begin(), commands.end());
    return makeUsageError("unknown command '" + asked + "'" + suggest(asked, names));
  }
  llvm::outs() << page->text;
  return ExitCode::Ok;
}
