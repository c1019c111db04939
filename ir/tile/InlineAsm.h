// What an instance of inline assembly takes and gives: registers, counted from LLVM's constraints.
// Shared by the frontend, which reports, the verifier, and the lowering to threads.
#pragma once

#include "mlir/IR/TypeRange.h"

#include <string>

namespace tilerun::tile {

/// How many of the `pack` elements of one operand share a register: as many as fill 32 bits.
/// `element`: of a tensor, or a scalar's type.
unsigned getElementsPerRegister(mlir::Type element, unsigned pack);
/// Registers of one operand or result in an instance.
unsigned getRegisters(mlir::Type element, unsigned pack);

/// What is wrong with text and constraints for operands and results of these element types: a
/// sentence without its subject, or "" if nothing is. Everything that LLVM takes for granted is
/// checked; whether the assembler understands the text only the target knows.
std::string checkInlineAsm(llvm::StringRef text, llvm::StringRef constraints, unsigned pack,
                           mlir::TypeRange operands, mlir::TypeRange results);

} // namespace tilerun::tile
