// The features of a Vulkan device that matter for compilation, and their text form. `vulkan:1.3` is
// the baseline that every supported device has; words after it add features of a device:
// "vulkan:1.3,subgroup=8,threads=256,shared=32768,f16,i16,storage16,cm=16x16x16:f16:f16:f32".
// One list of words drives the struct, the parser, the printer and the plugin's queries.
#pragma once

#include "ir/target/TargetInfo.h"
#include "llvm/Support/Error.h"

namespace tilerun::spirvbackend {

/// X(member, word, description): optional features, all off in the baseline.
#define TILERUN_SPIRV_FEATURES(X)                                                                  \
  X(hasFloat16, "f16", "shaderFloat16: arithmetic of 16-bit floats")                               \
  X(hasFloat64, "f64", "shaderFloat64: 64-bit floats")                                             \
  X(hasInt8, "i8", "shaderInt8: arithmetic of 8-bit integers")                                     \
  X(hasInt16, "i16", "shaderInt16: arithmetic of 16-bit integers")                                 \
  X(hasStorage8, "storage8", "storageBuffer8BitAccess: 8-bit accesses of global memory")           \
  X(hasStorage16, "storage16", "storageBuffer16BitAccess: 16-bit accesses of global memory")       \
  X(hasMemoryModel, "memory-model",                                                                \
    "vulkanMemoryModel and its device scope, in place of GLSL450's memory model")                  \
  X(hasExplicitLayout, "explicit-layout",                                                          \
    "workgroupMemoryExplicitLayout: shared memory of several types")                               \
  X(hasExplicitLayout8, "explicit-layout8", "the same with 8-bit accesses")                        \
  X(hasExplicitLayout16, "explicit-layout16", "the same with 16-bit accesses")                     \
  X(hasSubgroupControl, "subgroup-control",                                                        \
    "a required subgroup size and full subgroups, so that lanes are a thread's low bits")          \
  X(hasShuffle, "shuffle", "VK_SUBGROUP_FEATURE_SHUFFLE_BIT")                                      \
  X(hasShuffleRelative, "shuffle-relative", "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT")            \
  X(hasSubgroupArithmetic, "subgroup-arithmetic", "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT")            \
  X(hasBallot, "ballot", "VK_SUBGROUP_FEATURE_BALLOT_BIT")                                         \
  X(hasVote, "vote", "VK_SUBGROUP_FEATURE_VOTE_BIT")                                               \
  X(hasSubgroupTypes, "subgroup-types",                                                            \
    "shaderSubgroupExtendedTypes: subgroup operations on 8, 16 and 64 bits")                       \
  X(hasAtomicInt64, "atomic-i64", "shaderBufferInt64Atomics")                                      \
  X(hasAtomicFloat16Add, "atomic-f16-add", "shaderBufferFloat16AtomicAdd")                         \
  X(hasAtomicFloat32Add, "atomic-f32-add", "shaderBufferFloat32AtomicAdd")                         \
  X(hasAtomicFloat64Add, "atomic-f64-add", "shaderBufferFloat64AtomicAdd")                         \
  X(hasAtomicFloat16MinMax, "atomic-f16-minmax", "shaderBufferFloat16AtomicMinMax")                \
  X(hasAtomicFloat32MinMax, "atomic-f32-minmax", "shaderBufferFloat32AtomicMinMax")                \
  X(hasAtomicFloat64MinMax, "atomic-f64-minmax", "shaderBufferFloat64AtomicMinMax")                \
  X(preservesFloat16, "preserve-f16", "shaderSignedZeroInfNanPreserveFloat16")                     \
  X(preservesFloat32, "preserve-f32", "shaderSignedZeroInfNanPreserveFloat32")                     \
  X(preservesFloat64, "preserve-f64", "shaderSignedZeroInfNanPreserveFloat64")                     \
  X(roundsFloat16ToEven, "rte-f16", "shaderRoundingModeRTEFloat16")                                \
  X(roundsFloat32ToEven, "rte-f32", "shaderRoundingModeRTEFloat32")                                \
  X(roundsFloat64ToEven, "rte-f64", "shaderRoundingModeRTEFloat64")                                \
  X(roundsToEvenAnyway, "rounds-to-even",                                                          \
    "float32 rounds to nearest even unasked, and asking for it makes code slower")                 \
  X(keepsDenormFloat16, "denorm-f16", "shaderDenormPreserveFloat16")                               \
  X(keepsDenormFloat32, "denorm-f32", "shaderDenormPreserveFloat32")                               \
  X(keepsDenormFloat64, "denorm-f64", "shaderDenormPreserveFloat64")                               \
  X(hasIndependentDenorms, "denorm-independent", "denormBehaviorIndependence other than none")     \
  X(hasIndependentRounding, "rounding-independent", "roundingModeIndependence other than none")    \
  X(hasFusedMultiplyAdd, "fma", "GLSL's Fma rounds once on 32-bit floats")                         \
  X(hasFusedMultiplyAdd64, "fma-f64", "GLSL's Fma rounds once on 64-bit floats")                   \
  X(dividesExactly, "exact-division",                                                              \
    "OpFDiv and Sqrt round correctly on all floats, as a CPU's instructions do")                   \
  X(hasApproximations, "approx",                                                                   \
    "GLSL's Exp2, Log2, Sin, Cos, Sqrt, InverseSqrt are as accurate as docs/math.md says")         \
  X(comparesExtended, "wide-compare",                                                              \
    "64-bit comparisons of sign-extended integers with constants are right (Mesa 22.3's are not)") \
  X(widensIntegers, "arith32",                                                                     \
    "8- and 16-bit integers are computed in 32 bits in spite of i8 and i16")                       \
  X(roundsHalves, "round16",                                                                       \
    "float32 becomes float16 by integer arithmetic, in spite of rte-f16, unless it is only "       \
    "stored")                                                                                      \
  X(hasPackedDot8, "dot8", "integerDotProduct4x8BitPackedSignedAccelerated")                       \
  X(hasBFloat16, "bf16", "shaderBFloat16Type")                                                     \
  X(hasBFloat16Matrix, "bf16-cm", "shaderBFloat16CooperativeMatrix")

/// X(member, word, default, description).
#define TILERUN_SPIRV_LIMITS(X)                                                                    \
  X(subgroupSize, "subgroup", 32, "lanes of a subgroup: 4 to 128, a power of two")                 \
  X(maxThreads, "threads", 1024, "maxComputeWorkGroupInvocations")                                 \
  X(sharedBytes, "shared", 32768, "maxComputeSharedMemorySize")                                    \
  X(pushBytes, "push", 128, "maxPushConstantsSize")

/// A shape of subgroup-scope cooperative matrices: result and accumulator are `acc`.
struct CooperativeShape {
  unsigned m = 0, n = 0, k = 0;
  target::MatrixElement a, b, acc;
  bool operator==(const CooperativeShape &) const = default;
};

struct Target {
#define X(member, word, text) bool member = false;
  TILERUN_SPIRV_FEATURES(X)
#undef X
#define X(member, word, otherwise, text) uint64_t member = otherwise;
  TILERUN_SPIRV_LIMITS(X)
#undef X
  std::vector<CooperativeShape> cooperativeShapes;

  bool operator==(const Target &) const = default;
  bool hasAtomicFloatAdd(unsigned bits) const {
    return bits == 64   ? hasAtomicFloat64Add
           : bits == 32 ? hasAtomicFloat32Add
                        : hasAtomicFloat16Add;
  }
};

/// From "vulkan:1.3,…" or "1.3,…". An error names the word and lists what exists.
llvm::Expected<Target> parseTarget(llvm::StringRef text);

/// The canonical text, which parses to an equal target.
std::string printTarget(const Target &target);

/// For diagnostics: "vulkan:1.3".
inline constexpr llvm::StringLiteral kTargetName("vulkan:1.3");

/// The table for distribution and the lowering to threads.
target::TargetInfo getTargetInfo(const Target &target);
/// Its table of instructions: the cooperative matrices that code can be made for (Matrix.cpp).
std::vector<target::MatrixInstruction> getMatrixInstructions(const Target &target);

} // namespace tilerun::spirvbackend
