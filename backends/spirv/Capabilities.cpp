// See Capabilities.h. Opcodes and enumerants without a name here stand beside it.
#include "backends/spirv/Capabilities.h"

#include "llvm/ADT/DenseMap.h"

using namespace tilerun;
using namespace tilerun::spirvbackend;
using namespace tilerun::spirvbackend::serialized;

namespace {

const Capability kShader{1}, kFloat16{9}, kFloat64{10}, kInt64{11}, kInt64Atomics{12}, kInt16{22},
    kInt8{39}, kGroupNonUniform{61}, kVote{62}, kArithmetic{63}, kBallot{64}, kShuffle{65},
    kShuffleRelative{66}, kStorage16{4433}, kStorage8{4448}, kDenormPreserve{4464},
    kDenormFlush{4465}, kSignedZero{4466}, kRoundEven{4467}, kMemoryModel{5345},
    kMemoryModelDevice{5346}, kPhysicalAddresses{5347}, kDotInput{6016}, kDotInputPacked{6018},
    kDot{6019}, kExplicitLayout{4428, "SPV_KHR_workgroup_memory_explicit_layout"},
    kExplicitLayout8{4429, "SPV_KHR_workgroup_memory_explicit_layout"},
    kExplicitLayout16{4430, "SPV_KHR_workgroup_memory_explicit_layout"},
    kClock{5055, "SPV_KHR_shader_clock"}, kBFloat16{5116, "SPV_KHR_bfloat16"},
    kBFloat16Matrix{5118, "SPV_KHR_bfloat16"},
    kCooperativeMatrix{6022, "SPV_KHR_cooperative_matrix"},
    kFloat16MinMax{5616, "SPV_EXT_shader_atomic_float_min_max"},
    kFloat32MinMax{5612, "SPV_EXT_shader_atomic_float_min_max"},
    kFloat64MinMax{5613, "SPV_EXT_shader_atomic_float_min_max"},
    kFloat32Add{6033, "SPV_EXT_shader_atomic_float_add"},
    kFloat64Add{6034, "SPV_EXT_shader_atomic_float_add"},
    kFloat16Add{6095, "SPV_EXT_shader_atomic_float16_add"};

/// The capabilities that a module uses, from its types and instructions.
class Capabilities {
public:
  explicit Capabilities(llvm::ArrayRef<Instruction> list) {
    used.insert(kShader);
    for (const Instruction &instruction : list)
      look(instruction);
    // Narrow types that are only converted, without any access of that width.
    for (const auto &[id, type] : types) {
      bool has8 = used.count(kStorage8) || used.count(kExplicitLayout8);
      bool has16 = used.count(kStorage16) || used.count(kExplicitLayout16);
      if ((type.bits == 8 && !has8) || (type.bits == 16 && !has16))
        requireArithmetic(id);
    }
  }
  std::set<Capability> used;

  /// The first one that the target does not offer; empty if it offers all.
  std::string findLacking(const Target &target) const {
    const std::tuple<Capability, bool, const char *> offers[] = {
        {kFloat16, target.hasFloat16, "16-bit floats (f16)"},
        {kFloat64, target.hasFloat64, "64-bit floats (f64)"},
        {kInt8, target.hasInt8, "8-bit integers (i8)"},
        {kInt16, target.hasInt16, "16-bit integers (i16)"},
        {kStorage8, target.hasStorage8, "8-bit accesses (storage8)"},
        {kStorage16, target.hasStorage16, "16-bit accesses (storage16)"},
        {kInt64Atomics, target.hasAtomicInt64, "64-bit atomics (atomic-i64)"},
        {kVote, target.hasVote, "votes of a subgroup (vote)"},
        {kBallot, target.hasBallot, "ballots of a subgroup (ballot)"},
        {kShuffle, target.hasShuffle, "shuffles (shuffle)"},
        {kShuffleRelative, target.hasShuffleRelative, "relative shuffles (shuffle-relative)"},
        {kArithmetic, target.hasSubgroupArithmetic,
         "arithmetic of a subgroup (subgroup-arithmetic)"},
        {kExplicitLayout, target.hasExplicitLayout,
         "shared memory of several types (explicit-layout)"},
        {kExplicitLayout8, target.hasExplicitLayout8,
         "8-bit accesses of shared memory (explicit-layout8)"},
        {kExplicitLayout16, target.hasExplicitLayout16,
         "16-bit accesses of shared memory (explicit-layout16)"},
        {kBFloat16, target.hasBFloat16, "bfloat16 (bf16)"},
        {kBFloat16Matrix, target.hasBFloat16Matrix, "matrices of bfloat16 (bf16-cm)"},
        {kCooperativeMatrix, !target.cooperativeShapes.empty(), "cooperative matrices (cm=…)"},
        {kFloat16Add, target.hasAtomicFloat16Add, "atomic-f16-add"},
        {kFloat32Add, target.hasAtomicFloat32Add, "atomic-f32-add"},
        {kFloat64Add, target.hasAtomicFloat64Add, "atomic-f64-add"},
        {kFloat16MinMax, target.hasAtomicFloat16MinMax, "atomic-f16-minmax"},
        {kFloat32MinMax, target.hasAtomicFloat32MinMax, "atomic-f32-minmax"},
        {kFloat64MinMax, target.hasAtomicFloat64MinMax, "atomic-f64-minmax"}};
    for (const auto &[capability, isOffered, name] : offers)
      if (!isOffered && used.count(capability))
        return name;
    return "";
  }

private:
  struct Type {
    bool isFloat = false;
    unsigned bits = 0;
    uint32_t storage = ~0u; ///< Of a pointer.
    std::vector<uint32_t> parts;
    bool isBFloat = false;
  };

  void requireStorage(uint32_t id, uint32_t storage) {
    const Type &type = types[id];
    bool isShared = storage == 4;
    bool isBuffer = storage == 5349 || storage == 12;
    if (isBuffer && type.bits == 8)
      used.insert(kStorage8);
    if (isBuffer && type.bits == 16)
      used.insert(kStorage16);
    if (isShared && isExplicit && type.bits == 8)
      used.insert(kExplicitLayout8);
    if (isShared && isExplicit && type.bits == 16)
      used.insert(kExplicitLayout16);
    for (uint32_t part : type.parts)
      requireStorage(part, storage);
  }

  void requireArithmetic(uint32_t id) {
    const Type &type = types[id];
    if (type.storage != ~0u || type.isBFloat)
      return;
    if (type.bits == 8)
      used.insert(kInt8);
    if (type.bits == 16)
      used.insert(type.isFloat ? kFloat16 : kInt16);
  }

  unsigned bitsOfResult(const Instruction &instruction) {
    return instruction.words.size() > 1 ? types[instruction.words[1]].bits : 0;
  }

  /// Whether an instruction may work on narrow integers that only storage has: conversions, moves.
  static bool isForStorage(uint16_t opcode) {
    return opcode == OpLoad || (opcode >= 113 && opcode <= 115) || opcode == 43 /*OpConstant*/ ||
           opcode == 59 /*OpVariable*/ || opcode == 65 /*OpAccessChain*/ ||
           opcode == 117 /*ConvertPtrToU*/ || opcode == 120 /*ConvertUToPtr*/;
  }

  void look(const Instruction &instruction) {
    llvm::ArrayRef<uint32_t> w = instruction.words;
    switch (instruction.opcode) {
    case OpMemoryModel:
      if (w[1] == 5348)
        used.insert(kPhysicalAddresses);
      if (w[2] == 3) {
        used.insert(kMemoryModel);
        used.insert(kMemoryModelDevice);
      }
      return;
    case OpExecutionMode:
      for (auto [mode, capability] : {std::pair{4459u, kDenormPreserve},
                                      {4460u, kDenormFlush},
                                      {4461u, kSignedZero},
                                      {4462u, kRoundEven}})
        if (w[2] == mode)
          used.insert(capability);
      return;
    case OpDecorate: {
      constexpr uint32_t kBuiltIn = 11;
      // SubgroupSize, NumSubgroups, SubgroupId, SubgroupLocalInvocationId
      if (w[2] == kBuiltIn && (w[3] == 36 || w[3] == 38 || w[3] == 40 || w[3] == 41))
        used.insert(kGroupNonUniform);
      return;
    }
    case OpTypeInt:
      types[w[1]] = {false, w[2], ~0u, {}};
      if (w[2] == 64)
        used.insert(kInt64);
      return;
    case 20: // OpTypeBool
      types[w[1]] = {false, 1, ~0u, {}};
      return;
    case OpTypeFloat:
      types[w[1]] = {true, w[2], ~0u, {}};
      if (w.size() > 3) { // an encoding: BFloat16KHR
        used.insert(kBFloat16);
        types[w[1]].isBFloat = true;
      } else if (w[2] == 64) {
        used.insert(kFloat64);
      }
      return;
    case OpTypeVector:
    case OpTypeArray:
    case OpTypeRuntimeArray: {
      Type type = types[w[2]];
      type.parts = {w[2]};
      types[w[1]] = std::move(type);
      return;
    }
    case OpTypeStruct:
      types[w[1]].parts.assign(w.begin() + 2, w.end());
      return;
    case OpTypePointer: {
      Type &type = types[w[1]];
      type.storage = w[2];
      type.parts = {w[3]};
      // Shared memory has a layout when it is a block.
      isExplicit = w[2] == 4 && !types[w[3]].parts.empty() && types[w[3]].bits == 0;
      if (isExplicit)
        used.insert(kExplicitLayout);
      requireStorage(w[3], w[2]);
      return;
    }
    case 4456: // OpTypeCooperativeMatrixKHR
      used.insert(kCooperativeMatrix);
      if (types[w[2]].bits == 8)
        used.insert(kInt8);
      if (types[w[2]].isBFloat)
        used.insert(kBFloat16Matrix);
      else if (types[w[2]].isFloat && types[w[2]].bits == 16)
        used.insert(kFloat16);
      return;
    case 5056: // OpReadClockKHR
      used.insert(kClock);
      return;
    case 6035: { // OpAtomicFAddEXT
      unsigned bits = bitsOfResult(instruction);
      used.insert(bits == 64 ? kFloat64Add : bits == 32 ? kFloat32Add : kFloat16Add);
      requireArithmetic(instruction.words[1]);
      return;
    }
    case 5614:
    case 5615: { // OpAtomicFMinEXT, OpAtomicFMaxEXT
      unsigned bits = bitsOfResult(instruction);
      used.insert(bits == 64 ? kFloat64MinMax : bits == 32 ? kFloat32MinMax : kFloat16MinMax);
      requireArithmetic(instruction.words[1]);
      return;
    }
    case 4450:
    case 4451:
    case 4452:
    case 4453:
    case 4454:
    case 4455: { // integer dot products
      used.insert(kDot);
      used.insert(types[w[3]].parts.empty() ? kDotInputPacked : kDotInput);
      return;
    }
    default:
      break;
    }
    if (instruction.opcode >= 333 && instruction.opcode <= 366) {
      used.insert(kGroupNonUniform);
      if (instruction.opcode >= 334 && instruction.opcode <= 336)
        used.insert(kVote);
      else if (instruction.opcode >= 337 && instruction.opcode <= 344)
        used.insert(kBallot);
      else if (instruction.opcode == 345 || instruction.opcode == 346)
        used.insert(kShuffle);
      else if (instruction.opcode == 347 || instruction.opcode == 348)
        used.insert(kShuffleRelative);
      else if (instruction.opcode >= 349 && instruction.opcode <= 364)
        used.insert(kArithmetic);
    }
    bool isAtomic = instruction.opcode >= 227 && instruction.opcode <= 242;
    if (isAtomic && bitsOfResult(instruction) == 64 && instruction.opcode != 228)
      used.insert(kInt64Atomics);
    // A narrow type with arithmetic; types that only move to and from memory need the storage
    // capabilities.
    bool isComputed = instruction.opcode >= 41 || instruction.opcode == OpExtInst;
    if (isComputed && w.size() > 2 && types.count(w[1])) {
      if (instruction.opcode != OpFunction && !isForStorage(instruction.opcode))
        requireArithmetic(w[1]);
      bool readsNarrow = (instruction.opcode >= 109 && instruction.opcode <= 112) ||
                         instruction.opcode == 124 /*OpBitcast*/ ||
                         (instruction.opcode >= 156 && instruction.opcode <= 191);
      if (readsNarrow)
        for (uint32_t operand : w.drop_front(3))
          if (auto it = typeOf.find(operand); it != typeOf.end())
            requireArithmetic(it->second);
      typeOf[w[2]] = w[1];
    }
    if (instruction.opcode == 43 /*OpConstant*/)
      requireArithmetic(w[1]);
    constexpr uint32_t kFunction = 7;
    if (instruction.opcode == 59 /*OpVariable*/ && w[3] == kFunction)
      for (uint32_t part : types[w[1]].parts)
        requireArithmetic(part);
  }

  llvm::DenseMap<uint32_t, uint32_t> typeOf; ///< Of values.
  llvm::DenseMap<uint32_t, Type> types;
  bool isExplicit = false;
};

} // namespace

llvm::Expected<std::set<Capability>>
spirvbackend::findCapabilities(llvm::ArrayRef<Instruction> list, const Target &target) {
  Capabilities capabilities(list);
  if (std::string lacking = capabilities.findLacking(target); !lacking.empty())
    return makeError("the kernel needs " + lacking + ", which this target, " + kTargetName +
                     ", does not have");
  return std::move(capabilities.used);
}
