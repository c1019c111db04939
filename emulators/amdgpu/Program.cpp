// Decoding a whole code object.
#include "emulators/amdgpu/Program.h"
#include "emulators/amdgpu/Disassembler.h"
#include "emulators/amdgpu/Wave.h"

namespace tilerun::amdsim {

using namespace llvm;

namespace {
// Stands for what cannot be executed: its text tells why.
void executeUnknown(Wave &w, const Instruction &) {
  w.fault(FindingKind::unknownInstruction, -1, "the emulator cannot execute this");
}
void executePair(Wave &w, const Instruction &i) {
  // Both read their operands before either writes: where the second needs what the first
  // overwrites, the old value is put back for it.
  const Instruction &second = *i.second;
  unsigned reg = i.dst[0].reg;
  alignas(64) uint32_t before[64], after[64];
  size_t bytes = sizeof(uint32_t) * w.lanes;
  uint64_t low = w.shadowLow[reg], high = w.shadowHigh[reg];
  std::memcpy(before, w.row(reg), bytes);
  i.row->run(w, i);
  uint64_t lowAfter = w.shadowLow[reg], highAfter = w.shadowHigh[reg];
  std::memcpy(after, w.row(reg), bytes);
  std::memcpy(w.row(reg), before, bytes);
  w.shadowLow[reg] = low, w.shadowHigh[reg] = high;
  second.run(w, second);
  std::memcpy(w.row(reg), after, bytes);
  w.shadowLow[reg] = lowAfter, w.shadowHigh[reg] = highAfter;
}
} // namespace

Expected<std::unique_ptr<Program>> Program::decode(const CodeObject &object, unsigned lanes) {
  auto disassembler = Disassembler::create(object.target().name, lanes);
  if (!disassembler)
    return disassembler.takeError();
  auto program = std::make_unique<Program>();
  auto [first, last] = object.textRange();
  program->first = first;
  program->indices.assign((last - first) / 4 + 1, UINT32_MAX);
  DecodeContext context = {lanes, object.target().generation, &program->seconds,
                           &program->permutations};
  const auto *image = reinterpret_cast<const uint8_t *>(object.imageBase());
  std::string text;
  for (uint64_t at = first; at + 4 <= last;) {
    unsigned bytes = (*disassembler)->print({image + at, size_t(last - at)}, at, text);
    Instruction inst;
    if (!bytes) {
      text = "(no instruction of " + std::string(object.target().name) + ")";
      inst.run = executeUnknown;
    } else if (Error error = decodeText(text, context, inst)) {
      text += " (" + toString(std::move(error)) + ")";
      inst = Instruction();
      inst.run = executeUnknown;
    }
    inst.offset = uint32_t(at), inst.bytes = uint8_t(bytes ? bytes : 4);
    program->indices[(at - first) / 4] = uint32_t(program->instructions.size());
    at += inst.bytes;
    program->instructions.push_back(inst);
    program->texts.push_back(text);
  }
  for (Instruction &inst : program->instructions) {
    if (inst.second)
      inst.run = executePair;
    if (!inst.row || inst.row->family != Family::branch)
      continue;
    int64_t distance = int16_t(inst.src[0].value);
    inst.target = program->indexAt(uint64_t(int64_t(inst.offset) + inst.bytes + 4 * distance));
  }
  return program;
}

uint32_t Program::indexAt(uint64_t offset) const {
  if (offset < first || offset % 4 || (offset - first) / 4 >= indices.size())
    return size();
  uint32_t index = indices[(offset - first) / 4];
  return index == UINT32_MAX ? size() : index;
}

} // namespace tilerun::amdsim
