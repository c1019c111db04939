// See ModuleBytes.h.
#include "ir/tile/ModuleBytes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tilerun;

// Bytecode begins with four bytes that tell what it is, one of its version, and the producer's name
// up to a 0. That name is the mark and the checksum in hexadecimal digits.
static constexpr size_t kProducerAt = 5;
static constexpr llvm::StringLiteral kMark = "tilerun checksum ";
static constexpr size_t kDigitsAt = kProducerAt + kMark.size();
static constexpr size_t kNumDigits = 16;
static constexpr llvm::StringLiteral kNoDigits = "0000000000000000";
static_assert(kNoDigits.size() == kNumDigits);

// The checksum over everything, with zeros where it is written.
static std::string getDigits(llvm::StringRef bytes) {
  std::string copy = bytes.str();
  copy.replace(kDigitsAt, kNumDigits, kNoDigits);
  return llvm::utohexstr(llvm::xxh3_64bits(copy), /*LowerCase=*/true, kNumDigits);
}

std::vector<uint8_t> tile::writeModule(ModuleOp module) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  // Writing to memory cannot fail.
  LogicalResult written =
      writeBytecodeToFile(module, os, BytecodeWriterConfig((kMark + kNoDigits).str()));
  (void)written;
  assert(llvm::StringRef(bytes).substr(kProducerAt).starts_with(kMark) && "another header");
  bytes.replace(kDigitsAt, kNumDigits, getDigits(bytes));
  return {bytes.begin(), bytes.end()};
}

// Why bytecode is not to be read; empty if it may be.
static llvm::StringRef checkBytecode(llvm::StringRef bytes) {
  if (!bytes.substr(kProducerAt).starts_with(kMark))
    return "the bytecode has no checksum, so it cannot be trusted; give the module as text, or as "
           "bytecode that 'tilerun compile --bytecode' or 'tile-opt --emit-bytecode' writes";
  if (bytes.substr(kDigitsAt, kNumDigits) != getDigits(bytes))
    return "the bytecode is damaged: its checksum is wrong";
  return "";
}

// Whether brackets outside of strings and comments nest too deep. A closing one ends what its like
// began: '<' and '>' of comparisons end nothing else.
static bool isTooDeep(llvm::StringRef text) {
  llvm::SmallVector<char, tile::kMaxTextDepth> awaited; // Closing brackets.
  auto open = [&](char close) {
    awaited.push_back(close);
    return awaited.size() > tile::kMaxTextDepth;
  };
  auto end = [&](char close) {
    while (awaited.back() != close)
      awaited.pop_back();
    awaited.pop_back();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    bool tooDeep = false;
    switch (text[i]) {
    case '"':
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\')
          ++i;
      break;
    case '/':
      if (text.substr(i).starts_with("//"))
        i = std::min(text.find('\n', i), text.size());
      break;
    case '-':
      if (text.substr(i).starts_with("->"))
        ++i;
      break;
    case '(':
      tooDeep = open(')');
      break;
    case '[':
      tooDeep = open(']');
      break;
    case '{':
      tooDeep = open('}');
      break;
    case '<':
      tooDeep = open('>');
      break;
    case '>':
      if (!awaited.empty() && awaited.back() == '>')
        awaited.pop_back();
      break;
    case ')':
    case ']':
    case '}':
      if (llvm::is_contained(awaited, text[i]))
        end(text[i]);
      break;
    }
    if (tooDeep)
      return true;
  }
  return false;
}

OwningOpRef<ModuleOp> tile::readModule(llvm::StringRef bytes, MLIRContext *context) {
  // A copy, because MLIR's readers want alignment and an end.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, "<module>");
  auto refuse = [&](const llvm::Twine &why) -> OwningOpRef<ModuleOp> {
    emitError(UnknownLoc::get(context)) << why;
    return nullptr;
  };
  if (!isBytecode(buffer->getMemBufferRef())) {
    if (isTooDeep(bytes))
      return refuse("the text has more than " + llvm::Twine(kMaxTextDepth) +
                    " nested brackets, which is more than the reader accepts");
  } else if (llvm::StringRef why = checkBytecode(bytes); !why.empty()) {
    return refuse(why);
  }
  return parseSourceString<ModuleOp>(buffer->getBuffer(), ParserConfig(context));
}
