// See RuleFile.h.
#include "tests/language/RuleFile.h"

#include "tools/tilerun/host/Element.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstring>
#include <ostream>

using namespace tilerun;
using namespace tilerun::test;
using llvm::StringRef;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

std::string RuleCase::getName() const {
  return llvm::sys::path::stem(file).str() + "_" + kernel + "_" + std::to_string(number);
}

void test::PrintTo(const RuleCase &ruleCase, std::ostream *os) {
  *os << ruleCase.file << ":" << ruleCase.line << ": " << ruleCase.kernel << ruleCase.text;
}

/// The text with white space folded to single blanks.
static std::string fold(StringRef text) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  return llvm::join(words, " ");
}

/// "T12" of "T12: …" or "T12. …"; empty if there is none.
static StringRef takeId(StringRef text, char end) {
  if (text.empty() || !llvm::isUpper(text[0]))
    return "";
  StringRef digits = text.drop_front().take_while(llvm::isDigit);
  size_t size = 1 + digits.size();
  return !digits.empty() && text.size() > size && text[size] == end ? text.take_front(size) : "";
}

std::vector<Rule> test::loadRules() {
  std::vector<Rule> rules;
  auto buffer = llvm::MemoryBuffer::getFile(TILERUN_SOURCE_DIR "/docs/language.md");
  if (!buffer)
    return rules;
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  bool isOpen = false;
  for (StringRef line : lines) {
    if (line.consume_front("- **")) {
      StringRef id = takeId(line, '.');
      isOpen = !id.empty() && line.drop_front(id.size()).starts_with(".** ");
      if (isOpen)
        rules.push_back({id.str(), line.drop_front(id.size() + 4).str()});
    } else if (isOpen && line.starts_with("  ")) {
      rules.back().text += line.drop_front().str();
    } else {
      isOpen = false;
    }
  }
  for (Rule &rule : rules)
    rule.text = fold(rule.text);
  return rules;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static bool storeElement(uint8_t *to, DType type, StringRef text) {
  if (type.isFloat()) {
    uint64_t bits = 0;
    if (text.starts_with("0x") && !text.contains_insensitive("p")) {
      if (text.getAsInteger(0, bits))
        return false;
      std::memcpy(to, &bits, host::getElementBytes(type));
      return true;
    }
    double value = 0;
    if (text.getAsDouble(value))
      return false;
    host::storeElement(to, type.scalar, value);
    return true;
  }
  int64_t integer = 0;
  uint64_t natural = 0;
  __int128 value = 0;
  if (!text.getAsInteger(0, integer))
    value = integer;
  else if (!text.getAsInteger(0, natural))
    value = natural;
  else
    return false;
  if (!host::fitsInteger(type.scalar, value))
    return false;
  host::storeInteger(to, type.scalar, value);
  return true;
}

/// Bytes of "[1,2*3,inf]"; `rest` is the text after it.
static bool readElements(StringRef &rest, DType type, std::vector<uint8_t> &out) {
  size_t end = rest.find(']');
  if (!rest.consume_front("[") || end == StringRef::npos)
    return false;
  llvm::SmallVector<StringRef> words;
  rest.take_front(end - 1).split(words, ',', -1, /*KeepEmpty=*/false);
  rest = rest.drop_front(end);
  size_t bytes = host::getElementBytes(type);
  for (StringRef word : words) {
    auto [value, times] = word.split('*');
    size_t count = 1;
    if (word.contains('*') && times.getAsInteger(10, count))
      return false;
    for (size_t i = 0; i < count; ++i) {
      out.resize(out.size() + bytes);
      if (!storeElement(out.data() + out.size() - bytes, type, value))
        return false;
    }
  }
  return true;
}

static bool readTensor(StringRef name, StringRef text, RuleTensor &out) {
  out.name = name.str();
  bool isOutput = text.consume_front("->");
  auto readTolerance = [&] {
    if (!text.consume_front("~"))
      return true;
    StringRef number = text.take_until([](char c) { return c == '[' || c == ':'; });
    text = text.drop_front(number.size());
    text.consume_front(":");
    return !number.getAsDouble(out.tolerance);
  };
  if (isOutput && !readTolerance())
    return false;
  StringRef typeName = text.take_until([](char c) { return c == '['; });
  text = text.drop_front(typeName.size());
  std::optional<DType> type = parseDType(typeName);
  if (!type)
    return false;
  out.type = *type;
  std::vector<uint8_t> elements;
  if (!readElements(text, *type, elements))
    return false;
  if (isOutput) {
    // Bytes that no kernel writes by chance.
    out.before.resize(elements.size());
    for (size_t i = 0; i < elements.size(); ++i)
      out.before[i] = type->isBool() ? 0 : static_cast<uint8_t>(0x5B ^ (i * 7));
    out.after = std::move(elements);
    return text.empty();
  }
  out.before = std::move(elements);
  if (text.consume_front("->")) {
    out.after.emplace();
    if (!readTolerance() || !readElements(text, *type, *out.after) ||
        out.after->size() != out.before.size())
      return false;
  }
  return text.empty();
}

std::string test::compare(const RuleTensor &tensor, llvm::ArrayRef<uint8_t> got) {
  const std::vector<uint8_t> &want = tensor.after ? *tensor.after : tensor.before;
  size_t bytes = host::getElementBytes(tensor.type);
  Scalar scalar = tensor.type.scalar;
  auto show = [&](const uint8_t *at) {
    return tensor.type.isFloat() ? llvm::formatv("{0:E8}", host::loadElement(at, scalar)).str()
                                 : std::to_string(int64_t(host::loadInteger(at, scalar)));
  };
  for (size_t i = 0; i < want.size(); i += bytes) {
    const uint8_t *x = want.data() + i, *y = got.data() + i;
    if (!std::memcmp(x, y, bytes))
      continue;
    if (tensor.type.isFloat()) {
      double a = host::loadElement(x, scalar), b = host::loadElement(y, scalar);
      if ((std::isnan(a) && std::isnan(b)) ||
          (tensor.tolerance > 0 && std::fabs(a - b) <= tensor.tolerance * std::fabs(a)))
        continue;
    }
    return "element " + std::to_string(i / bytes) + " of " + tensor.name + " is " + show(y) + " (" +
           llvm::toHex(llvm::ArrayRef(y, bytes)) + "), not " + show(x);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static llvm::Error readCase(StringRef words, RuleCase &out) {
  llvm::SmallVector<StringRef> list;
  llvm::SplitString(words, list);
  for (StringRef word : list) {
    StringRef name = word.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    StringRef rest = word.drop_front(name.size());
    bool isValue = rest.consume_front("=");
    auto bad = [&] { return makeError("cannot read '" + word + "'"); };
    if (word == "refused") {
      out.isRefused = true;
    } else if (word == "fails") {
      out.fails = true;
    } else if (word == "debug") {
      out.debug = true;
    } else if (word == "tf32") {
      out.tf32 = true;
    } else if (word == "beyond") {
      out.isBeyond = true;
    } else if (isValue && name == "grid") {
      llvm::SmallVector<StringRef> sizes;
      rest.split(sizes, ',');
      for (auto [size, to] : llvm::zip(sizes, out.grid))
        if (size.getAsInteger(10, to))
          return bad();
    } else if (isValue && name == "warps") {
      if (rest.getAsInteger(10, out.warps))
        return bad();
    } else if (isValue && name == "without") {
      out.without.push_back(rest.str());
    } else if (rest.starts_with("->") || (isValue && rest.contains('[') && !rest.contains('"'))) {
      RuleTensor tensor;
      if (!readTensor(name, rest, tensor))
        return bad();
      out.tensors.push_back(std::move(tensor));
    } else if (isValue && !rest.empty()) {
      out.values.emplace_back(name.str(), rest.str());
    } else {
      return bad();
    }
  }
  return llvm::Error::success();
}

/// Adds the paragraphs of a docstring that begin with a rule's number.
static void addQuotes(StringRef text, const std::string &where, std::vector<Quote> &out) {
  bool isOpen = false;
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    line = line.trim();
    if (StringRef id = takeId(line, ':'); !id.empty()) {
      out.push_back({id.str(), line.drop_front(id.size() + 1).str(), where});
      isOpen = true;
    } else if (line.empty()) {
      isOpen = false;
    } else if (isOpen) {
      out.back().text += " " + line.str();
    }
  }
  for (Quote &quote : out)
    quote.text = fold(quote.text);
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  return std::move(*buffer);
}

/// The docstring that begins in a line, and the number of its last line.
static StringRef takeDocstring(llvm::ArrayRef<StringRef> lines, size_t &at) {
  static constexpr StringRef kQuotes = "\"\"\"";
  const char *begin = lines[at].data() + lines[at].find(kQuotes) + kQuotes.size();
  for (size_t from = begin - lines[at].data(); at < lines.size(); ++at, from = 0)
    if (size_t end = lines[at].find(kQuotes, from); end != StringRef::npos)
      return StringRef(begin, lines[at].data() + end - begin);
  return "";
}

llvm::Expected<std::vector<Quote>> test::readQuotes(const std::string &path) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  std::vector<Quote> quotes;
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].trim().starts_with("\"\"\""))
      addQuotes(takeDocstring(lines, i), path, quotes);
  return quotes;
}

llvm::Expected<RuleFile> test::readRuleFile(const std::string &path) {
  auto buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  RuleFile out;
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n');
  size_t first = 0; // Of the cases of the kernel that is read.
  std::vector<Expectation> errors, prints, failures, parts;
  std::vector<std::string> open; // Texts in lines of their own, for the next line of code.
  auto close = [&] {
    for (size_t i = first; i < out.cases.size(); ++i) {
      out.cases[i].errors = out.cases[i].isRefused ? errors : std::vector<Expectation>();
      out.cases[i].prints = prints;
      out.cases[i].parts = parts;
      out.cases[i].failures = out.cases[i].fails ? failures : std::vector<Expectation>();
    }
    first = out.cases.size();
    errors.clear();
    prints.clear();
    parts.clear();
    failures.clear();
  };
  bool isNamed = true; // The def of the last cases was read.
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef line = lines[i];
    unsigned number = static_cast<unsigned>(i + 1);
    if (line.consume_front("#:")) {
      if (isNamed)
        close();
      isNamed = false;
      RuleCase next;
      next.file = path;
      next.line = number;
      next.text = line.str();
      next.number = static_cast<unsigned>(out.cases.size() - first);
      if (llvm::Error error = readCase(line, next))
        return makeError(path + ":" + llvm::Twine(number) + ": " +
                         llvm::toString(std::move(error)));
      out.cases.push_back(std::move(next));
      continue;
    }
    if (!isNamed && line.starts_with("def ")) {
      isNamed = true;
      std::string name = line.drop_front(4).split('(').first.str();
      for (size_t j = first; j < out.cases.size(); ++j)
        out.cases[j].kernel = name;
      while (i + 1 < lines.size() && !lines[i].rtrim().ends_with(":"))
        ++i;
      if (i + 1 == lines.size() || !lines[i + 1].trim().starts_with("\"\"\""))
        return makeError(path + ":" + llvm::Twine(number) + ": '" + name + "' quotes no rule");
      size_t before = out.quotes.size();
      addQuotes(takeDocstring(lines, ++i), path + "::" + name, out.quotes);
      if (out.quotes.size() == before)
        return makeError(path + ":" + llvm::Twine(number) + ": '" + name + "' quotes no rule");
      for (size_t j = first; j < out.cases.size(); ++j)
        for (size_t k = before; k < out.quotes.size(); ++k)
          out.cases[j].rules.push_back(out.quotes[k].id);
      continue;
    }
    if (StringRef text = line.trim(); text.consume_front("# error: ")) {
      open.push_back(text.str());
    } else if (!open.empty() && text.starts_with("#   ")) {
      open.back() += " " + text.drop_front(4).str();
    } else if (text.consume_front("# prints: ")) {
      prints.push_back({number, text.str()});
    } else if (text.consume_front("# ir: ")) {
      parts.push_back({number, text.str()});
    } else if (text.consume_front("# fails: ")) {
      failures.push_back({number, text.str()});
    } else if (!text.empty()) {
      for (std::string &error : open)
        errors.push_back({number, std::move(error)});
      open.clear();
      if (auto [code, error] = line.split("  # error: "); !error.empty())
        errors.push_back({number, error.str()});
    }
  }
  close();
  return out;
}

std::vector<std::string> test::getRuleFiles() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(TILERUN_SOURCE_DIR "/tests/language", error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".py") &&
        llvm::sys::path::filename(it->path()) != "compare_with_triton.py")
      files.push_back(it->path());
  llvm::sort(files);
  return files;
}
