// See DebugReader.h.
#include "backends/common/DebugReader.h"
#include "backends/common/PrintedLine.h"

#include <bit>

using namespace tilerun;
using namespace tilerun::backend;

/// One printed line; `words` are what follows the site's number.
static std::string formatRecord(const DebugSite &site, llvm::ArrayRef<uint32_t> words) {
  llvm::StringRef letters = site.arguments;
  return formatPrintedLine(site.text, [&](PrintConversion conversion, uint64_t &bits) {
    if (letters.empty())
      return PrintValue::Mismatch;
    const char letter = letters[0];
    if ((letter == 'f' || letter == 'd') != (conversion.kind == 'f'))
      return PrintValue::Mismatch;
    const size_t count = letter == 'l' || letter == 'd' ? 2 : 1;
    if (words.size() < count)
      return PrintValue::End;
    bits = words[0] | (count == 2 ? uint64_t(words[1]) << 32 : 0);
    if (letter == 'f')
      bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(words[0])));
    words = words.drop_front(count);
    letters = letters.drop_front();
    return PrintValue::Given;
  });
}

static std::string describeFailure(llvm::ArrayRef<DebugSite> sites, llvm::ArrayRef<uint32_t> words,
                                   llvm::StringRef kernel) {
  std::string text = "an assertion failed";
  if (uint32_t number = words[DebugBuffer::kFailedSite]; number && number <= sites.size()) {
    const DebugSite &site = sites[number - 1];
    text = "assertion failed" + (site.text.empty() ? "" : ": " + site.text);
    if (!site.file.empty())
      text = site.file + ":" + std::to_string(site.line) + ":" + std::to_string(site.column) +
             ": " + text;
  }
  const uint32_t *program = &words[DebugBuffer::kFailedProgram];
  text += "; in kernel '" + kernel.str() + "', program (" + std::to_string(program[0]) + ", " +
          std::to_string(program[1]) + ", " + std::to_string(program[2]) + "), thread " +
          std::to_string(words[DebugBuffer::kFailedThread]);
  if (uint32_t failures = words[DebugBuffer::kFailures]; failures > 1)
    text += ", and in " + std::to_string(failures - 1) + " other threads";
  return text;
}

DebugReport backend::readDebugBuffer(llvm::ArrayRef<DebugSite> sites,
                                     llvm::ArrayRef<uint32_t> words, llvm::StringRef kernel) {
  DebugReport report;
  if (words.size() < DebugBuffer::kHeaderWords)
    return report;
  llvm::ArrayRef<uint32_t> records = words.drop_front(DebugBuffer::kHeaderWords);
  records = records.take_front(std::min(words[DebugBuffer::kCapacity], words[DebugBuffer::kUsed]));
  while (!records.empty() && records[0]) {
    if (records[0] > sites.size() || sites[records[0] - 1].kind != DebugSite::Kind::Print)
      break;
    const DebugSite &site = sites[records[0] - 1];
    if (site.getWords() > records.size())
      break;
    report.printed += formatRecord(site, records.slice(1, site.getWords() - 1));
    records = records.drop_front(site.getWords());
  }
  if (uint32_t lost = words[DebugBuffer::kLostRecords])
    report.printed += "(" + std::to_string(lost) + " more lines of kernel '" + kernel.str() +
                      "' are dropped: a launch may print " +
                      std::to_string(words[DebugBuffer::kCapacity] * sizeof(uint32_t)) +
                      " bytes)\n";
  if (words[DebugBuffer::kFailures] || words[DebugBuffer::kFailedSite])
    report.failure = describeFailure(sites, words, kernel);
  return report;
}
