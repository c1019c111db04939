// The text of one operand or modifier, as LLVM prints it, to its decoded form.
#ifndef TILERUN_EMULATORS_AMDGPU_SYNTAX_H
#define TILERUN_EMULATORS_AMDGPU_SYNTAX_H

#include "emulators/amdgpu/Instruction.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace tilerun::amdsim {

// An instruction's text in its parts; views of the text.
struct Syntax {
  llvm::StringRef mnemonic;
  llvm::SmallVector<llvm::StringRef, 6> operands;
  llvm::SmallVector<llvm::StringRef, 6> modifiers;
};
Syntax splitText(llvm::StringRef text);

// Fills place, register, words, value and the modifiers of the operand itself, for operands of
// `type`.
llvm::Error parseOperand(llvm::StringRef text, Type type, Operand &operand);

// "[1,0,3]" to numbers.
llvm::Error parseList(llvm::StringRef text, llvm::SmallVectorImpl<unsigned> &values);
// A DPP control such as "quad_perm:[1,0,3,2]" or "row_shr:1" sets `dpp.from`; false if it is not
// one.
llvm::Expected<bool> parsePermutation(llvm::StringRef text, unsigned lanes, Dpp &dpp);
// The offset of ds_swizzle_b32: a number, or "swizzle(...)".
llvm::Expected<int32_t> parseSwizzle(llvm::StringRef text);

llvm::Error syntaxError(const llvm::Twine &message);

} // namespace tilerun::amdsim

#endif
