// From per-thread IR to MLIR's `spirv` dialect: the rules that every pattern of this folder relies
// on, the patterns' entry points, and helpers.
//
// Order: lowerTileToSimt, expandMath and legalizeTypes (on vectors of registers), scalarize, one
// dialect conversion with all patterns below, Fixups on the serialized words.
//
// Values
//   - After scalarize, arith, math and scf work on scalars only: patterns for them see one scalar
//   for
//     each operand and each result. No pattern has to think of vectors of registers.
//   - Vectors remain where an op needs them whole: simt.load/store, shared_load/store, mma and
//   other
//     ops that scalarize does not know, with vector.from_elements before and vector.to_elements
//     after. They are converted 1:N: `vector<NxT>` is N values of T's held type. Such a pattern
//     overrides matchAndRewrite(Op, OneToNOpAdaptor, ConversionPatternRewriter &), reads
//     `adaptor.getValue()` as a ValueRange and replaces results by `replaceOpWithMultiple`.
//   - A scalar type is held as (heldType; the type converter says the same):
//       i1 bool; i32, i64, f32 themselves; index i64; f64 itself (an error without the feature);
//       i8, i16  themselves, or without hasInt8/hasInt16 an i32 whose upper bits are zero;
//       f16      itself, or without hasFloat16 its bits as the i16 of above;
//       bf16     always its bits as an i16; 8-bit floats are i8 from the beginning.
//     legalizeTypes leaves no arithmetic on a type that is not held as itself: only constants,
//     moves (select, bitcast between types of one size, loop-carried values), accesses and casts
//     see them.
//   - Vectors of SPIR-V (2 to 4 elements) exist inside a pattern only: to move 128 bits, for packed
//     products and for bit casts.
//   - Addresses of global memory are i64 up to the access (pointerTo). A simt.shared is an i32, the
//     byte offset in the program's arena.
//
// Control flow
//   - Loops and selections are spirv.mlir.loop and spirv.mlir.selection without results and without
//     block arguments: what they carry goes through function variables (makeVariable), as compilers
//     of shading languages write it. So there are no phis to get wrong. Use `selectIf` to run
//     something under a condition inside a pattern.
//
// Instructions that the dialect lacks: `emitInstruction` gives a call that Fixups turns into the
// instruction itself. Capabilities and extensions are computed from the finished words; patterns
// need not declare any. Decorate float arithmetic with `noContraction` unless the op may be
// contracted.
//
// A feature that a target lacks is an error from the pattern or earlier: `lacks(op, "what", "what
// would work")`.
#pragma once

#include "backends/spirv/Target.h"
#include "ir/simt/SimtOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilerun::spirvbackend {

using mlir::Location;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

/// The kernel being converted; patterns share it.
struct KernelContext {
  explicit KernelContext(const Target &target) : target(target) {}
  const Target &target;
  unsigned numThreads = 0;
  uint64_t sharedBytes = 0; ///< Of the arena.
  bool debug = false;
  mlir::spirv::ModuleOp module;         ///< Globals and declarations go to its body's beginning.
  mlir::spirv::FuncOp function;         ///< The kernel.
  Value pushPointer;                    ///< Address of the push constants' block.
  llvm::StringMap<Operation *> symbols; ///< Globals and declarations that helpers made, by name.
  /// Where carried values go: terminators of scf by the op (ControlFlow.cpp).
  struct Exit {
    llvm::SmallVector<Value> variables;
    mlir::Block *next = nullptr;      ///< Of scf.condition: where it holds.
    mlir::Block *otherwise = nullptr; ///< Of scf.condition: where it does not.
  };
  llvm::DenseMap<Operation *, Exit> exits;
  /// Adjacent masked loads, or stores, by the first one (AccessGroups.cpp).
  llvm::DenseMap<Operation *, llvm::SmallVector<Operation *>> groups;
};

template <typename Op> class KernelPattern : public mlir::OpConversionPattern<Op> {
public:
  KernelPattern(const mlir::TypeConverter &converter, KernelContext &kernel,
                mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<Op>(converter, kernel.module.getContext(), benefit),
        kernel(kernel), target(kernel.target) {}

protected:
  Type convert(Type type) const { return this->getTypeConverter()->convertType(type); }
  KernelContext &kernel;
  const Target &target;
};

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Rewrites atomics to those that the device has, relaxed and without masks. Reports what has no
/// form.
mlir::LogicalResult prepareAtomics(mlir::func::FuncOp kernel, const Target &target);
/// Rewrites mathematics to what conversion has patterns for. Reports what has no form.
mlir::LogicalResult expandMath(mlir::ModuleOp module, const Target &target, bool mayFuse);
/// Rewrites arithmetic on types that `target` does not compute in, as the rules above say. Reports
/// 64-bit floats that the target lacks.
mlir::LogicalResult legalizeTypes(mlir::ModuleOp module, const Target &target);
/// The fast forms of e^x and 2^x without the device's instruction. Apply the patterns to a kernel's
/// own operations before functions are expanded.
void populatePlainExponentials(mlir::RewritePatternSet &patterns);
inline constexpr unsigned kFastBenefit = 10; ///< Above that of the accurate forms.
inline bool isFast(mlir::arith::FastMathFlags flags) {
  return bitEnumContainsAny(flags, mlir::arith::FastMathFlags::afn);
}
/// Quotients with a constant zero on either side, written out; for both of these.
void populateZeroQuotients(mlir::RewritePatternSet &patterns);
/// Brings masked accesses of global memory together. On the kernel's function before conversion.
void groupAccesses(KernelContext &kernel);

void populateControlFlowPatterns(mlir::SPIRVTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateArithPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                           KernelContext &kernel);
/// Of these, the ones between integers of different widths.
void populateWidthPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                           KernelContext &kernel);
void populateVectorPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            KernelContext &kernel);
void populateMemoryPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            KernelContext &kernel);
void populateSharedPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            KernelContext &kernel);
void populateSubgroupPatterns(mlir::SPIRVTypeConverter &converter,
                              mlir::RewritePatternSet &patterns, KernelContext &kernel);
void populateAtomicPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            KernelContext &kernel);
void populateDebugPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                           KernelContext &kernel);
void populateMathPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                          KernelContext &kernel);
void populateCastPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                          KernelContext &kernel);
void populateMatrixPatterns(mlir::SPIRVTypeConverter &converter, mlir::RewritePatternSet &patterns,
                            KernelContext &kernel);

//===----------------------------------------------------------------------===//
// Helpers (Helpers.cpp)
//===----------------------------------------------------------------------===//

/// How a scalar of per-thread IR is held; null for what cannot be.
Type heldType(Type type, const Target &target);

/// A constant of a type that values are held in: integers (two's complement), bool, or floats.
Value constantOf(OpBuilder &b, Location loc, Type type, int64_t value);
/// A constant of per-thread IR as `type` holds it.
Value constantFrom(OpBuilder &b, Location loc, Type type, mlir::Attribute attribute);

/// An integer resized, extended by zeros; the same value where nothing changes.
Value resizeUnsigned(OpBuilder &b, Location loc, Value integer, unsigned bits);
/// A bit cast of scalars or vectors of one size; the same value where nothing changes.
Value bitcast(OpBuilder &b, Location loc, Type type, Value value);

/// The 32-bit words (i32, the first ones lowest) that hold consecutive elements of `element`, a
/// type of per-thread IR, given as they are held; back again. Fewer than 32 bits in all give one
/// word with upper bits zero.
llvm::SmallVector<Value> toWords(OpBuilder &b, Location loc, ValueRange elements, Type element,
                                 const Target &target);
llvm::SmallVector<Value> fromWords(OpBuilder &b, Location loc, ValueRange words, Type element,
                                   unsigned count, const Target &target);

/// Scalars as one vector of SPIR-V (2 to 4), and back; one scalar stays itself.
Value composite(OpBuilder &b, Location loc, ValueRange scalars);
llvm::SmallVector<Value> elementsOf(OpBuilder &b, Location loc, Value composite);

/// Global memory at an i64 address as a pointer to `type`, which SPIR-V can load and store.
Value pointerTo(OpBuilder &b, Location loc, Value address, Type type);
Value loadGlobal(OpBuilder &b, Location loc, Value address, Type type, unsigned alignment,
                 bool isVolatile = false);
void storeGlobal(OpBuilder &b, Location loc, Value address, Value value, unsigned alignment,
                 bool isVolatile = false);

/// The byte at `offset` (i32) in the arena of shared memory, as a pointer to `view`: i32, or with
/// an explicit layout any type of 1, 2, 4, 8 or 16 bytes to which it is aligned.
Value sharedPointer(OpBuilder &b, Location loc, KernelContext &kernel, Value offset, Type view);

/// A variable of the function, uninitialized, and its accesses.
Value makeVariable(OpBuilder &b, Location loc, Type type, KernelContext &kernel);
Value loadVariable(OpBuilder &b, Location loc, Value variable);
void storeVariable(OpBuilder &b, Location loc, Value variable, Value value);

/// Runs `then` where `condition` holds and `otherwise`, if given, elsewhere. Each gives values of
/// `types`, which are the results; without `otherwise` they are `defaults` where the condition is
/// false. A null condition holds. New code goes to the builder's place, which ends up after it.
llvm::SmallVector<Value>
selectIf(OpBuilder &b, Location loc, KernelContext &kernel, Value condition,
         llvm::ArrayRef<Type> types, ValueRange defaults,
         llvm::function_ref<llvm::SmallVector<Value>(OpBuilder &)> then,
         llvm::function_ref<llvm::SmallVector<Value>(OpBuilder &)> otherwise = nullptr);

/// A loop that runs `body` until it returns true; `body` keeps carried values in variables.
void repeatUntil(OpBuilder &b, Location loc, llvm::function_ref<Value(OpBuilder &)> body);

/// A 32-bit word of the push constants, at a byte offset that is a multiple of 4.
Value pushWord(OpBuilder &b, Location loc, KernelContext &kernel, uint32_t offset);
/// A coordinate of the program, and how many there are along an axis: i32.
Value programId(OpBuilder &b, Location loc, KernelContext &kernel, unsigned axis);
Value gridSize(OpBuilder &b, Location loc, KernelContext &kernel, unsigned axis);
/// Two words as an i64.
Value joinWords(OpBuilder &b, Location loc, Value low, Value high);

/// The value of an input variable such as WorkgroupId (vector<3xi32>) or SubgroupId (i32).
Value builtinValue(OpBuilder &b, Location loc, KernelContext &kernel, mlir::spirv::BuiltIn builtin,
                   Type type);

/// A global of the module under `name`, made at first use.
mlir::spirv::GlobalVariableOp globalVariable(KernelContext &kernel, llvm::StringRef name,
                                             Type type);
Value addressOf(OpBuilder &b, Location loc, mlir::spirv::GlobalVariableOp global);

/// One word of an instruction's operands beyond result type and result.
struct InstructionWord {
  enum class Kind { Value, Literal, GlslSet } kind;
  uint32_t literal = 0;
  Value value;
  static InstructionWord of(Value value) { return {Kind::Value, 0, value}; }
  static InstructionWord number(uint32_t literal) { return {Kind::Literal, literal, {}}; }
  static InstructionWord glsl() { return {Kind::GlslSet, 0, {}}; } ///< The imported set's id.
};
/// Any instruction of SPIR-V, by number: its result, or null where `type` is null (no result).
/// Ids of scopes and semantics are constants, given as values.
Value emitInstruction(OpBuilder &b, Location loc, KernelContext &kernel, uint32_t opcode, Type type,
                      llvm::ArrayRef<InstructionWord> words);
/// An instruction of GLSL.std.450 by number (79: NMin, 80: NMax, 3: Trunc, 25: Atan2 …).
Value emitGlsl(OpBuilder &b, Location loc, KernelContext &kernel, uint32_t number, Type type,
               ValueRange operands);

/// Marks float arithmetic that is to be done as it is written.
void noContraction(Operation *op);

/// An error for a missing feature of the target: "vulkan:1.3 lacks WHAT; REMEDY".
mlir::InFlightDiagnostic lacks(Operation *op, const llvm::Twine &what, const llvm::Twine &remedy);

} // namespace tilerun::spirvbackend
