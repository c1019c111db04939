// Modules as the words of SPIR-V: instructions one after the other, and strings in them. For code
// that inspects serialized modules (Fixups.cpp, Capabilities.cpp).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tilerun::spirvbackend::serialized {

constexpr unsigned kHeaderWords = 5, kBound = 3;

/// Opcodes and enumerants of the SPIR-V specification, as far as these files look at them.
enum Opcode : uint16_t {
  OpName = 5,
  OpExtInstImport = 11,
  OpExtInst = 12,
  OpCapability = 17,
  OpExtension = 10,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeArray = 28,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpLoad = 61,
  OpStore = 62,
  OpDecorate = 71,
  OpPhi = 245,
  OpExecutionMode = 16,
  OpMemoryModel = 14,
};
enum : uint32_t { kLinkageAttributes = 41 };

struct Instruction {
  uint16_t opcode;
  llvm::ArrayRef<uint32_t> words; ///< With the first one.
};

inline llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

inline llvm::Expected<std::vector<Instruction>> split(llvm::ArrayRef<uint32_t> words) {
  if (words.size() < kHeaderWords)
    return makeError("a SPIR-V module of " + llvm::Twine(words.size()) + " words has no header");
  std::vector<Instruction> list;
  for (size_t at = kHeaderWords; at < words.size();) {
    uint32_t length = words[at] >> 16;
    if (!length || at + length > words.size())
      return makeError("word " + llvm::Twine(at) +
                       " of a SPIR-V module is not the start of an instruction");
    list.push_back({uint16_t(words[at]), words.slice(at, length)});
    at += length;
  }
  return list;
}

inline std::string literalString(llvm::ArrayRef<uint32_t> words) {
  std::string text;
  for (uint32_t word : words)
    for (unsigned byte = 0; byte < 4; ++byte) {
      char c = char(word >> (8 * byte));
      if (!c)
        return text;
      text += c;
    }
  return text;
}

inline void appendString(std::vector<uint32_t> &words, llvm::StringRef text) {
  size_t start = words.size();
  words.resize(start + text.size() / 4 + 1);
  for (auto [i, c] : llvm::enumerate(text))
    words[start + i / 4] |= uint32_t(uint8_t(c)) << (8 * (i % 4));
}

inline std::vector<uint32_t> encode(uint16_t opcode, llvm::ArrayRef<uint32_t> operands) {
  std::vector<uint32_t> words{uint32_t(operands.size() + 1) << 16 | opcode};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

} // namespace tilerun::spirvbackend::serialized
