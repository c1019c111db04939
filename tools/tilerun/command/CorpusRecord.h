// The records of `tilerun corpus`: entries as JSON, and a file that grows by a line for each
// kernel, so that an interrupt loses nothing and a later run resumes.
#pragma once

#include "frontend/corpus/Corpus.h"
#include "tools/tilerun/host/Try.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <set>

namespace tilerun::command {

/// With their words in reports, in the order of these.
llvm::ArrayRef<std::pair<corpus::Outcome, llvm::StringLiteral>> getOutcomes();
llvm::StringRef getWord(corpus::Outcome outcome);

llvm::json::Object toJson(const corpus::Entry &entry);
/// None if it is not an entry.
std::optional<corpus::Entry> entryFromJson(const llvm::json::Object &object);
llvm::json::Object toJson(const corpus::Made &function);
llvm::json::Object toJson(const corpus::FileSummary &summary);
std::optional<corpus::FileSummary> summaryFromJson(const llvm::json::Object &object);

/// The limits of one kernel.
struct CorpusLimits {
  double seconds = 0;
  double gibibytes = 0;
};

/// The functions of one file that are known, by their indices, and the summary once it is whole.
struct FileRecord {
  std::map<unsigned, corpus::Entry> entries;
  std::optional<corpus::FileSummary> summary;
};

/// Results that grow; in a file, if one is named. Not thread-safe.
class CorpusRecords {
public:
  /// The survey that a file of results must belong to.
  struct Header {
    std::string build, folder, target;
  };
  explicit CorpusRecords(std::vector<std::string> files);
  ~CorpusRecords();
  CorpusRecords(const CorpusRecords &) = delete;
  CorpusRecords &operator=(const CorpusRecords &) = delete;

  /// Appends to `path` from now on, and reads its results for files that have not changed, except
  /// for kernels that exceeded a lower limit than now. Fails if it cannot be written or is not
  /// of the same survey.
  llvm::Error open(const std::string &path, const Header &header, const CorpusLimits &limits);

  const std::vector<std::string> &getFiles() const { return files; }
  const FileRecord &get(size_t file) const { return records[file]; }
  bool isWhole(size_t file) const { return records[file].summary.has_value(); }
  /// Kernels that were read from the file.
  uint64_t getNumKept() const { return numKept; }

  void add(size_t file, corpus::Entry entry, const CorpusLimits &limits);
  void finish(size_t file, corpus::FileSummary summary);
  /// Why a line could not be written; empty if all were.
  const std::string &getError() const { return error; }

private:
  llvm::Error read(llvm::StringRef text, const std::string &path, const Header &header,
                   const CorpusLimits &limits);
  void write(llvm::json::Object object);
  const std::string &getDigest(size_t file);

  std::vector<std::string> files;
  std::vector<std::string> digests; ///< Of their contents, as far as needed.
  std::vector<FileRecord> records;
  uint64_t numKept = 0;
  int fd = -1;
  std::string error;
};

/// "12 of 80 files, 130 functions, 2 over a limit; about 4 min left": `numBefore` of the files were
/// known when the survey began `seconds` ago.
std::string formatProgress(uint64_t numWhole, uint64_t numBefore, uint64_t numFiles,
                           uint64_t numFunctions, uint64_t numOver, double seconds);

} // namespace tilerun::command
