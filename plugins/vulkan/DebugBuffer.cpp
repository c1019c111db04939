// Reading of debug buffers. What a kernel wrote is not believed: it may have been at fault.
#include "plugins/vulkan/Reports.h"

#include <bit>
#include <cstdio>

using namespace vulkan;
using tilerun::spirvbackend::DebugBuffer;
using tilerun::spirvbackend::DebugSite;

/// The value of one conversion. `conversion` is all of it: "%lld".
static std::string formatValue(llvm::StringRef conversion, char letter, uint64_t bits) {
  char text[512];
  auto print = [&](const char *format, auto value) {
    std::snprintf(text, sizeof(text), format, value);
    return std::string(text);
  };
  switch (conversion.back()) {
  case 'f':
    return print("%f", letter == 'd' ? std::bit_cast<double>(bits)
                                     : double(std::bit_cast<float>(uint32_t(bits))));
  case 'd':
    return print("%lld", letter == 'l' ? static_cast<long long>(bits)
                                       : static_cast<long long>(int32_t(uint32_t(bits))));
  case 'u':
    return print("%llu", static_cast<unsigned long long>(bits));
  default:
    return print("%llx", static_cast<unsigned long long>(bits));
  }
}

/// The length of the conversion at the beginning of `text`, which begins with '%'; 0 for none.
static size_t getConversion(llvm::StringRef text, char letter) {
  bool isFloat = letter == 'f' || letter == 'd';
  llvm::StringRef known[] = {"%d", "%u", "%x", "%lld", "%llu", "%llx", "%f"};
  for (llvm::StringRef conversion : known)
    if (text.starts_with(conversion))
      return isFloat != (conversion == "%f") ? 0 : conversion.size();
  return 0;
}

/// One printed line; `words` are what follows the site's number.
static std::string formatRecord(const DebugSite &site, llvm::ArrayRef<uint32_t> words) {
  std::string line;
  llvm::StringRef letters = site.arguments;
  for (llvm::StringRef rest = site.text; !rest.empty();) {
    size_t literal = rest.find('%');
    line += rest.take_front(literal);
    rest = rest.drop_front(std::min(literal, rest.size()));
    if (rest.empty())
      break;
    size_t length = rest.starts_with("%%") || letters.empty() ? 0 : getConversion(rest, letters[0]);
    if (!length) {
      line += '%';
      rest = rest.drop_front(rest.starts_with("%%") ? 2 : 1);
      continue;
    }
    size_t count = letters[0] == 'l' || letters[0] == 'd' ? 2 : 1;
    if (words.size() < count)
      break;
    uint64_t bits = words[0] | (count == 2 ? uint64_t(words[1]) << 32 : 0);
    line += formatValue(rest.take_front(length), letters[0], bits);
    words = words.drop_front(count);
    letters = letters.drop_front();
    rest = rest.drop_front(length);
  }
  return line;
}

static std::string describeFailure(llvm::ArrayRef<DebugSite> sites, llvm::ArrayRef<uint32_t> words,
                                   llvm::StringRef kernel) {
  std::string text = "an assertion failed";
  if (uint32_t number = words[DebugBuffer::kFailedSite]; number && number <= sites.size()) {
    const DebugSite &site = sites[number - 1];
    text = "assertion failed: " + site.text;
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

DebugReport vulkan::readDebugBuffer(llvm::ArrayRef<DebugSite> sites, llvm::ArrayRef<uint32_t> words,
                                    llvm::StringRef kernel) {
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
