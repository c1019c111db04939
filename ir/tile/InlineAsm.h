// The operands and results of an instance of inline assembly: registers, counted from LLVM's
// constraints. Shared by the frontend, which reports errors, the verifier, and the lowering to
// threads.
#pragma once

#include "mlir/IR/TypeRange.h"

#include <optional>
#include <string>

namespace tilerun::tile {

/// How many of the `pack` elements of one operand share a register: as many as fill 32 bits.
/// `element`: of a tensor, or a scalar's type.
unsigned getElementsPerRegister(mlir::Type element, unsigned pack);
/// Registers of one operand or result in an instance.
unsigned getRegisters(mlir::Type element, unsigned pack);

/// Operands whose constraint is "n" or "i" (a number that the instruction itself holds) written
/// into the text; the rest is renumbered. `constants` has the number of each operand that
/// is known. An error is a sentence without its subject.
struct ImmediateOperands {
  std::string text, constraints;
  llvm::SmallVector<unsigned> kept; ///< The operands that are left.
  std::string error;
};
ImmediateOperands expandImmediates(llvm::StringRef text, llvm::StringRef constraints, unsigned pack,
                                   mlir::TypeRange operands,
                                   llvm::ArrayRef<std::optional<int64_t>> constants);

/// Constraints with a "+" (an output that an argument goes into) as LLVM knows them: "+f,f" is
/// "=f,f,0". The operands that go into such outputs come first in the source and last here, so that
/// the numbers in the text stay valid: `order` gives, for each operand of the result,
/// which one of the source it is. An error is a sentence without its subject.
struct ReadWriteConstraints {
  std::string constraints;
  llvm::SmallVector<unsigned> order;
  std::string error;
};
ReadWriteConstraints expandReadWrite(llvm::StringRef constraints, unsigned pack,
                                     mlir::TypeRange operands);

/// The error in text and constraints for operands and results of these element types: a
/// sentence without its subject, or "" if nothing is. Everything that LLVM assumes is checked; only
/// the target's assembler can check the text.
std::string checkInlineAsm(llvm::StringRef text, llvm::StringRef constraints, unsigned pack,
                           mlir::TypeRange operands, mlir::TypeRange results);

} // namespace tilerun::tile
