// The decoded instructions of a code object: decoded once, then shared by all waves of all
// launches.
#ifndef TILERUN_EMULATORS_AMDGPU_PROGRAM_H
#define TILERUN_EMULATORS_AMDGPU_PROGRAM_H

#include "emulators/amdgpu/CodeObject.h"
#include "emulators/amdgpu/Instruction.h"

#include <deque>

namespace tilerun::amdsim {

class Program {
public:
  // Decodes the whole executable segment for waves of `lanes` lanes. Bytes that are not an
  // instruction, and instructions that the table lacks, become instructions that report themselves
  // when they are executed.
  static llvm::Expected<std::unique_ptr<Program>> decode(const CodeObject &object, unsigned lanes);

  const Instruction *code() const { return instructions.data(); }
  uint32_t size() const { return uint32_t(instructions.size()); }
  // Index of the instruction at this offset of the image; size() if none begins there.
  uint32_t indexAt(uint64_t offset) const;
  const std::string &text(uint32_t index) const { return texts[index]; }

private:
  std::vector<Instruction> instructions;
  std::vector<std::string> texts;
  std::vector<uint32_t> indices; // by (offset - first) / 4
  uint64_t first = 0;
  std::deque<Instruction> seconds;
  std::deque<Dpp> permutations;
};

// Decodes one instruction's text. On failure the result's handler reports `problem` when it is
// executed.
struct DecodeContext {
  unsigned lanes;
  Generation generation;
  std::deque<Instruction> *seconds;
  std::deque<Dpp> *permutations;
};
llvm::Error decodeText(llvm::StringRef text, const DecodeContext &context, Instruction &result);

} // namespace tilerun::amdsim

#endif
