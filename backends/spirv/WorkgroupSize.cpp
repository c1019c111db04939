// The workgroup's size as specialization constants, declared as validators of all ages accept it: a
// constant decorated with the built-in WorkgroupSize, which takes precedence over LocalSize.
#include "backends/spirv/Fixups.h"

using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {
enum Opcode : uint16_t {
  OpExecutionMode = 16,
  OpTypeVoid = 19,
  OpTypeInt = 21,
  OpTypeVector = 23,
  OpTypeForwardPointer = 39,
  OpConstant = 43,
  OpSpecConstant = 50,
  OpSpecConstantComposite = 51,
  OpFunction = 54,
  OpDecorate = 71,
};
constexpr uint32_t kHeaderWords = 5, kBound = 3, kLocalSize = 17;
constexpr uint32_t kSpecId = 1, kBuiltIn = 11, kWorkgroupSize = 25;

void append(std::vector<uint32_t> &words, uint16_t opcode, llvm::ArrayRef<uint32_t> operands) {
  words.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
  words.insert(words.end(), operands.begin(), operands.end());
}
} // namespace

llvm::Expected<std::vector<uint32_t>>
spirvbackend::specializeWorkgroup(llvm::ArrayRef<uint32_t> words) {
  size_t firstType = 0, firstFunction = 0;
  uint32_t width = 0, integer = 0, vector = 0;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    uint32_t length = words[at] >> 16;
    if (!length || at + length > words.size())
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "word %zu of a SPIR-V module is not the start of an instruction", at);
    llvm::ArrayRef<uint32_t> w = words.slice(at, length);
    uint16_t opcode = uint16_t(w[0]);
    if (opcode == OpExecutionMode && length > 3 && w[2] == kLocalSize)
      width = w[3];
    if (!firstType && opcode >= OpTypeVoid && opcode <= OpTypeForwardPointer)
      firstType = at;
    if (opcode == OpTypeInt && w[2] == 32 && w[3] == 0)
      integer = w[1];
    if (opcode == OpTypeVector && w[2] == integer && w[3] == 3)
      vector = w[1];
    if (opcode == OpFunction) {
      firstFunction = at;
      break;
    }
  }
  if (!width || !integer || !firstFunction)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "a SPIR-V module has no kernel with a workgroup's size");
  uint32_t bound = words[kBound];
  uint32_t threads = bound++, one = bound++, size = bound++;
  std::vector<uint32_t> result(words.begin(), words.begin() + firstType);
  append(result, OpDecorate, {threads, kSpecId, 0});
  append(result, OpDecorate, {size, kBuiltIn, kWorkgroupSize});
  result.insert(result.end(), words.begin() + firstType, words.begin() + firstFunction);
  if (!vector) {
    vector = bound++;
    append(result, OpTypeVector, {vector, integer, 3});
  }
  append(result, OpSpecConstant, {integer, threads, width});
  append(result, OpConstant, {integer, one, 1});
  append(result, OpSpecConstantComposite, {vector, size, threads, one, one});
  result.insert(result.end(), words.begin() + firstFunction, words.end());
  result[kBound] = bound;
  return result;
}
