// See CorpusRecord.h.
#include "tools/tilerun/command/CorpusRecord.h"

#include "runtime/cache/Key.h"
#include "tools/tilerun/command/Output.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace tilerun;
using namespace tilerun::command;
using corpus::Entry;
using corpus::FileSummary;
using corpus::Outcome;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Entries as JSON
//===----------------------------------------------------------------------===//

static constexpr std::pair<Outcome, llvm::StringLiteral> kOutcomes[] = {
    {Outcome::Compiles, "compiles"},    {Outcome::Fails, "fails"},
    {Outcome::Refused, "refused"},      {Outcome::Internal, "internal-error"},
    {Outcome::TimeLimit, "time-limit"}, {Outcome::MemoryLimit, "memory-limit"},
    {Outcome::Helper, "helper"}};

llvm::ArrayRef<std::pair<Outcome, llvm::StringLiteral>> command::getOutcomes() { return kOutcomes; }

StringRef command::getWord(Outcome outcome) {
  return llvm::find_if(kOutcomes, [&](auto &row) { return row.first == outcome; })->second;
}

llvm::json::Object command::toJson(const Entry &entry) {
  llvm::json::Object object{{"file", jsonText(entry.file)},
                            {"line", entry.line},
                            {"index", entry.index},
                            {"name", jsonText(entry.name)},
                            {"outcome", getWord(entry.outcome)}};
  // For a kernel that was stopped while it was type-checked, neither is known.
  if (!entry.signature.empty()) {
    object["signature"] = jsonText(entry.signature);
    object["signatures_tried"] = entry.numTried;
  }
  if (entry.seconds > 0)
    object["target_seconds"] = entry.seconds;
  if (!entry.reason.empty()) {
    object["reason"] = jsonText(entry.reason);
    object["construct"] = jsonText(entry.construct);
    object["reason_file"] = jsonText(entry.reasonFile);
    object["reason_line"] = entry.reasonLine;
  }
  if (!entry.unrolled.empty())
    object["unrolled"] = jsonText(entry.unrolled);
  return object;
}

static unsigned getNumber(const llvm::json::Object &object, StringRef name) {
  return static_cast<unsigned>(object.getInteger(name).value_or(0));
}

std::optional<Entry> command::entryFromJson(const llvm::json::Object &object) {
  Entry entry;
  StringRef word = object.getString("outcome").value_or("");
  auto *outcome = llvm::find_if(kOutcomes, [&](auto &row) { return row.second == word; });
  if (outcome == std::end(kOutcomes) || !object.getInteger("index") || !object.getString("name"))
    return std::nullopt;
  entry.outcome = outcome->first;
  entry.file = getText(object, "file");
  entry.name = getText(object, "name");
  entry.line = getNumber(object, "line");
  entry.index = getNumber(object, "index");
  entry.signature = getText(object, "signature");
  entry.numTried = getNumber(object, "signatures_tried");
  entry.seconds = object.getNumber("target_seconds").value_or(0);
  entry.reason = getText(object, "reason");
  entry.construct = getText(object, "construct");
  entry.reasonFile = getText(object, "reason_file");
  entry.reasonLine = getNumber(object, "reason_line");
  entry.unrolled = getText(object, "unrolled");
  return entry;
}

llvm::json::Object command::toJson(const corpus::Made &function) {
  return llvm::json::Object{{"name", jsonText(function.name)},
                            {"line", function.line},
                            {"decorator", jsonText(function.decorator)}};
}

llvm::json::Object command::toJson(const FileSummary &summary) {
  llvm::json::Array called;
  for (const auto &[file, name] : summary.called)
    called.push_back(llvm::json::Array{jsonText(file), jsonText(name)});
  llvm::json::Array made;
  for (const corpus::Made &function : summary.made)
    made.push_back(toJson(function));
  return llvm::json::Object{{"unreadable", jsonText(summary.unreadable)},
                            {"calls", std::move(called)},
                            {"made", std::move(made)}};
}

std::optional<FileSummary> command::summaryFromJson(const llvm::json::Object &object) {
  FileSummary out;
  const llvm::json::Array *called = object.getArray("calls");
  if (!called)
    return std::nullopt;
  out.unreadable = getText(object, "unreadable");
  for (const llvm::json::Value &value : *called) {
    const llvm::json::Array *pair = value.getAsArray();
    if (!pair || pair->size() != 2)
      return std::nullopt;
    std::optional<StringRef> file = (*pair)[0].getAsString(), name = (*pair)[1].getAsString();
    if (!file || !name)
      return std::nullopt;
    out.called.emplace_back(file->str(), name->str());
  }
  if (const llvm::json::Array *made = object.getArray("made"))
    for (const llvm::json::Value &value : *made)
      if (const llvm::json::Object *function = value.getAsObject())
        out.made.push_back({getText(*function, "name"), getNumber(*function, "line"),
                            getText(*function, "decorator")});
  return out;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

CorpusRecords::CorpusRecords(std::vector<std::string> files)
    : files(std::move(files)), digests(this->files.size()), records(this->files.size()) {}

CorpusRecords::~CorpusRecords() {
  if (fd >= 0)
    ::close(fd);
}

const std::string &CorpusRecords::getDigest(size_t file) {
  if (digests[file].empty()) {
    auto buffer = llvm::MemoryBuffer::getFile(files[file], /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    digests[file] =
        buffer ? cache::hashBytes((*buffer)->getBuffer()).toHex().substr(0, 16) : "none";
  }
  return digests[file];
}

llvm::Error CorpusRecords::open(const std::string &path, const Header &header,
                                const CorpusLimits &limits) {
  auto fail = [&](int code) {
    return llvm::createStringError("cannot write '" + path + "': " + std::strerror(code));
  };
  fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0)
    return fail(errno);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!buffer)
    return fail(buffer.getError().value());
  StringRef text = (*buffer)->getBuffer();
  // A line that was cut off does not count.
  size_t whole = text.rfind('\n') == StringRef::npos ? 0 : text.rfind('\n') + 1;
  TILERUN_TRY_ERROR(read(text.take_front(whole), path, header, limits));
  if (whole != text.size() && ::ftruncate(fd, static_cast<off_t>(whole)))
    return fail(errno);
  if (whole == 0)
    write(llvm::json::Object{{"tilerun_corpus", 1},
                             {"build", header.build},
                             {"folder", jsonText(header.folder)},
                             {"target", jsonText(header.target)}});
  return error.empty() ? llvm::Error::success() : llvm::createStringError(error);
}

llvm::Error CorpusRecords::read(StringRef text, const std::string &path, const Header &header,
                                const CorpusLimits &limits) {
  if (text.empty())
    return llvm::Error::success();
  llvm::StringMap<size_t> index;
  for (auto [i, file] : llvm::enumerate(files))
    index[jsonText(file)] = i;
  bool isFirst = true;
  std::vector<std::set<unsigned>> open(files.size()); // Kernels to be tried again.
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    if (!value)
      llvm::consumeError(value.takeError());
    const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
    if (std::exchange(isFirst, false)) {
      if (!object || object->getInteger("tilerun_corpus") != 1)
        return llvm::createStringError("'" + path + "' exists and is not a file of results");
      for (auto [name, has] :
           {std::pair{"folder", &header.folder}, std::pair{"target", &header.target},
            std::pair{"build", &header.build}})
        if (std::string told = getText(*object, name); told != jsonText(*has))
          return llvm::createStringError(
              llvm::formatv("'{0}' has results of another survey: {1} '{2}', not '{3}'; name "
                            "another file, or remove it",
                            path, name, told, *has)
                  .str());
      continue;
    }
    auto file = object ? index.find(getText(*object, "file")) : index.end();
    // Results from before a file changed are useless.
    if (file == index.end() || getText(*object, "digest") != getDigest(file->second))
      continue;
    FileRecord &record = records[file->second];
    if (std::optional<FileSummary> summary = summaryFromJson(*object)) {
      record.summary = std::move(summary);
    } else if (std::optional<Entry> entry = entryFromJson(*object)) {
      entry->file = files[file->second];
      bool again = (entry->outcome == Outcome::TimeLimit &&
                    object->getNumber("limit").value_or(0) < limits.seconds) ||
                   (entry->outcome == Outcome::MemoryLimit &&
                    object->getNumber("limit").value_or(0) < limits.gibibytes);
      unsigned number = entry->index;
      if (again) {
        record.entries.erase(number);
        open[file->second].insert(number);
      } else {
        record.entries.insert_or_assign(number, std::move(*entry));
        open[file->second].erase(number);
      }
    }
  }
  for (auto [record, again] : llvm::zip(records, open)) {
    if (!again.empty())
      record.summary.reset();
    numKept += record.entries.size();
  }
  return llvm::Error::success();
}

void CorpusRecords::write(llvm::json::Object object) {
  if (fd < 0)
    return;
  std::string line;
  llvm::raw_string_ostream(line) << llvm::json::Value(std::move(object)) << "\n";
  for (StringRef rest = line; !rest.empty() && error.empty();) {
    ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written >= 0)
      rest = rest.drop_front(static_cast<size_t>(written));
    else if (errno != EINTR)
      error = std::string("cannot write the results: ") + std::strerror(errno);
  }
}

void CorpusRecords::add(size_t file, Entry entry, const CorpusLimits &limits) {
  entry.file = files[file];
  llvm::json::Object object = toJson(entry);
  object["digest"] = getDigest(file);
  if (entry.outcome == Outcome::TimeLimit)
    object["limit"] = limits.seconds;
  else if (entry.outcome == Outcome::MemoryLimit)
    object["limit"] = limits.gibibytes;
  write(std::move(object));
  unsigned index = entry.index;
  records[file].entries.insert_or_assign(index, std::move(entry));
}

void CorpusRecords::finish(size_t file, FileSummary summary) {
  llvm::json::Object object = toJson(summary);
  object["file"] = jsonText(files[file]);
  object["digest"] = getDigest(file);
  write(std::move(object));
  records[file].summary = std::move(summary);
}

std::string command::formatProgress(uint64_t numWhole, uint64_t numBefore, uint64_t numFiles,
                                    uint64_t numFunctions, uint64_t numOver, double seconds) {
  std::string out =
      llvm::formatv("{0} of {1} files, {2} functions", numWhole, numFiles, numFunctions).str();
  if (numOver)
    out += llvm::formatv(", {0} over a limit", numOver).str();
  // Before that, the first files say little about the rest.
  constexpr double kSeconds = 5;
  if (numWhole == numBefore || seconds < kSeconds)
    return out;
  double left = seconds / double(numWhole - numBefore) * double(numFiles - numWhole);
  if (left < 90)
    return out + llvm::formatv("; about {0:f0} s left", left).str();
  if (left < 90 * 60)
    return out + llvm::formatv("; about {0:f0} min left", left / 60).str();
  return out + llvm::formatv("; about {0:f1} h left", left / 3600).str();
}
