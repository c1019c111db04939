// See OutputFiles.h.
#include "tools/tilerun/command/OutputFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::command;

llvm::Expected<OutputFiles> OutputFiles::open(llvm::ArrayRef<std::string> paths,
                                              llvm::ArrayRef<llvm::StringRef> kinds) {
  OutputFiles out;
  for (const std::string &path : paths) {
    llvm::StringRef kind = llvm::sys::path::extension(path).ltrim('.');
    if (!llvm::is_contained(kinds, kind))
      return makeUsageError("-o: '" + path + "' names a format that is not written; formats are ." +
                            llvm::join(kinds.drop_back(), ", .") + " and ." + kinds.back());
    llvm::Expected<host::AtomicFile> file = host::AtomicFile::open(path);
    if (!file)
      return makeUsageError("-o: " + llvm::toString(file.takeError()));
    out.files.emplace_back(kind.str(), std::move(*file));
  }
  return out;
}

bool OutputFiles::hasPicture() const {
  return llvm::any_of(files,
                      [](const auto &file) { return file.first == "svg" || file.first == "html"; });
}

llvm::Error OutputFiles::write(Print print) {
  for (auto &[kind, file] : files) {
    std::string content;
    llvm::raw_string_ostream os(content);
    print(kind, os);
    if (llvm::Error error = file.commit(content))
      return withExitCode(std::move(error), ExitCode::Usage);
  }
  return llvm::Error::success();
}

std::string command::quoteCsv(llvm::StringRef text) {
  if (text.find_first_of(",\"\n") == llvm::StringRef::npos)
    return text.str();
  std::string out = "\"";
  for (char c : text)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void command::writeJson(llvm::raw_ostream &os, llvm::json::Object object) {
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
}
