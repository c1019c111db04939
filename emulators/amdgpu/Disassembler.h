// One instruction's bytes to text, by LLVM's disassembler and printer for the target. Not
// thread-safe.
#ifndef TILERUN_EMULATORS_AMDGPU_DISASSEMBLER_H
#define TILERUN_EMULATORS_AMDGPU_DISASSEMBLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace tilerun::amdsim {

class Disassembler {
public:
  // `cpu`: "gfx942"; `lanes`: of a wave, which decides how masks are printed.
  static llvm::Expected<std::unique_ptr<Disassembler>> create(llvm::StringRef cpu, unsigned lanes);
  ~Disassembler();

  // Writes the text of the first instruction, without the leading tab, and returns its size in
  // bytes; 0 if the bytes are not an instruction of the target.
  unsigned print(llvm::ArrayRef<uint8_t> bytes, uint64_t address, std::string &text);

private:
  struct State;
  Disassembler();
  std::unique_ptr<State> state;
};

} // namespace tilerun::amdsim

#endif
