// Rewrites of the optimized module right before code generation, for instructions that NVIDIA's
// assembler, ptxas, handles badly.
#pragma once

namespace llvm {
class Module;
}

namespace tilerun::nvptx {

/// Computes absolute values of 16 bits in 32. The driver's compiler assumes that abs.s16 gives a
/// positive number, even for -32768, which stays negative (580.159 on sm_90, by -32768 divided by a
/// constant). Computes those of 32 and 64 bits that are divided by shifts: ptxas leaves the sign
/// out of a quotient or remainder of abs.s32, which is wrong for -2147483648 (13.0 and driver
/// 580.159 on sm_90, found by random kernels).
void widenAbsolute(llvm::Module &module);

/// Writes 16-bit negations, and products that LLVM would turn into them (by -1, -2, -4, …), as
/// products. After neg.s16, and after a difference with a zero, ptxas compares and widens the
/// 32-bit negation of a sign-extended operand, which is 32768 for -32768 (13.0 and driver 580.159
/// on sm_90, found by random kernels). It extends the sign of what mul.lo.s16 gives. A difference
/// whose first operand only ptxas finds to be zero is not seen here.
void multiplyToNegate(llvm::Module &module);

/// Writes 32-bit negations that are operands of minima or maxima as complements plus one, and
/// products with and quotients by -2, -4, … as shifts and such. Of min(min(x, -y), 0), ptxas makes
/// min(x, y, 0) for sm_90: its instruction for three operands cannot negate one, and it forgets to
/// (13.0 and driver 580.159, found by random kernels). It knows neg, mul and mad by -1 as one; a
/// complement plus one becomes another instruction, which is right.
void complementToNegate(llvm::Module &module);

/// Keeps 64-bit offsets, made of 32-bit integers outside a loop for addresses in it, in
/// registers. From a product of 32-bit integers that is 64 bits wide (mul.wide), ptxas recomputes
/// such an address in each iteration, one after the other in the same registers, so each copy
/// waits until the previous one has read its address. Measured on an H200: docs/benchmarks.md,
/// "Offsets of a loop's copies".
void keepWideOffsets(llvm::Module &module);

} // namespace tilerun::nvptx
