// See Fixups.h. Works on words alone: nothing here depends on how the module came to be.
#include "backends/spirv/Fixups.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace tilerun;
using namespace tilerun::spirvbackend;

namespace {

constexpr unsigned kHeaderWords = 5, kBound = 3;

/// Opcodes and enumerants of the SPIR-V specification, as far as this file looks at them.
enum Opcode : uint16_t {
  OpName = 5,
  OpExtInstImport = 11,
  OpExtInst = 12,
  OpCapability = 17,
  OpExtension = 10,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeArray = 28,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpLoad = 61,
  OpStore = 62,
  OpDecorate = 71,
  OpPhi = 245,
  OpExecutionMode = 16,
  OpMemoryModel = 14,
};
enum : uint32_t { kLinkageAttributes = 41 };

struct Instruction {
  uint16_t opcode;
  llvm::ArrayRef<uint32_t> words; ///< With the first one.
};

llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<std::vector<Instruction>> split(llvm::ArrayRef<uint32_t> words) {
  if (words.size() < kHeaderWords)
    return makeError("a SPIR-V module of " + llvm::Twine(words.size()) + " words has no header");
  std::vector<Instruction> list;
  for (size_t at = kHeaderWords; at < words.size();) {
    uint32_t length = words[at] >> 16;
    if (!length || at + length > words.size())
      return makeError("word " + llvm::Twine(at) + " of a SPIR-V module begins no instruction");
    list.push_back({uint16_t(words[at]), words.slice(at, length)});
    at += length;
  }
  return list;
}

std::string literalString(llvm::ArrayRef<uint32_t> words) {
  std::string text;
  for (uint32_t word : words)
    for (unsigned byte = 0; byte < 4; ++byte) {
      char c = char(word >> (8 * byte));
      if (!c)
        return text;
      text += c;
    }
  return text;
}

void appendString(std::vector<uint32_t> &words, llvm::StringRef text) {
  size_t start = words.size();
  words.resize(start + text.size() / 4 + 1);
  for (auto [i, c] : llvm::enumerate(text))
    words[start + i / 4] |= uint32_t(uint8_t(c)) << (8 * (i % 4));
}

std::vector<uint32_t> encode(uint16_t opcode, llvm::ArrayRef<uint32_t> operands) {
  std::vector<uint32_t> words{uint32_t(operands.size() + 1) << 16 | opcode};
  words.insert(words.end(), operands.begin(), operands.end());
  return words;
}

//===----------------------------------------------------------------------===//
// Instructions by name
//===----------------------------------------------------------------------===//

class Replacer {
public:
  Replacer(llvm::ArrayRef<uint32_t> words, std::vector<Instruction> list)
      : words(words), list(std::move(list)), bound(words[kBound]) {}

  llvm::Expected<std::vector<uint32_t>> run() {
    for (const Instruction &instruction : list)
      if (instruction.opcode == OpDecorate && instruction.words.size() > 3 &&
          instruction.words[2] == kLinkageAttributes)
        names[instruction.words[1]] = literalString(instruction.words.drop_front(3));
      else if (instruction.opcode == OpExtInstImport &&
               literalString(instruction.words.drop_front(2)) == "GLSL.std.450")
        glslSet = instruction.words[1];
    std::vector<uint32_t> body;
    bool isSkipping = false;
    for (const Instruction &instruction : list) {
      if (instruction.opcode == OpFunction)
        isSkipping = names.count(instruction.words[2]);
      if (isSkipping) {
        isSkipping = instruction.opcode != OpFunctionEnd;
        continue;
      }
      if ((instruction.opcode == OpDecorate || instruction.opcode == OpName) &&
          names.count(instruction.words[1]))
        continue;
      if (instruction.opcode == OpFunctionCall && names.count(instruction.words[3])) {
        if (llvm::Error error = replace(instruction, body))
          return std::move(error);
        continue;
      }
      body.insert(body.end(), instruction.words.begin(), instruction.words.end());
    }
    std::vector<uint32_t> result(words.begin(), words.begin() + kHeaderWords);
    if (isSetNew)
      insertImport(body);
    result[kBound] = bound;
    result.insert(result.end(), body.begin(), body.end());
    return result;
  }

private:
  llvm::Error replace(const Instruction &call, std::vector<uint32_t> &body) {
    llvm::StringRef name = names[call.words[3]];
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef rest = name;
    uint16_t opcode = 0;
    if (!rest.consume_front("tilerun!"))
      return makeError("the module calls '" + name + "', which it does not have");
    rest.split(parts, ' ');
    if (parts.front().getAsInteger(10, opcode))
      return makeError("'" + name + "' names no instruction");
    std::vector<uint32_t> operands;
    if (!voidTypes.count(call.words[1])) {
      if (voidTypes.empty())
        for (const Instruction &instruction : list)
          if (instruction.opcode == 19 /*OpTypeVoid*/)
            voidTypes.insert(instruction.words[1]);
      if (!voidTypes.count(call.words[1]))
        operands = {call.words[1], call.words[2]};
    }
    for (llvm::StringRef part : llvm::drop_begin(parts)) {
      uint32_t number = 0;
      if (part == "glsl") {
        if (!glslSet) {
          glslSet = bound++;
          isSetNew = true;
        }
        operands.push_back(glslSet);
      } else if (part.size() > 1 && !part.drop_front().getAsInteger(10, number) &&
                 part.front() == '=') {
        operands.push_back(number);
      } else if (part.front() == '%' && number + 4 < call.words.size()) {
        operands.push_back(call.words[4 + number]);
      } else {
        return makeError("'" + name + "' has a bad operand '" + part + "'");
      }
    }
    std::vector<uint32_t> instruction = encode(opcode, operands);
    body.insert(body.end(), instruction.begin(), instruction.end());
    return llvm::Error::success();
  }

  /// Imports stand between extensions and the memory model.
  void insertImport(std::vector<uint32_t> &body) {
    size_t at = 0;
    while (at < body.size() &&
           (uint16_t(body[at]) == OpCapability || uint16_t(body[at]) == OpExtension))
      at += body[at] >> 16;
    std::vector<uint32_t> operands{glslSet};
    appendString(operands, "GLSL.std.450");
    std::vector<uint32_t> import = encode(OpExtInstImport, operands);
    body.insert(body.begin() + at, import.begin(), import.end());
  }

  llvm::ArrayRef<uint32_t> words;
  std::vector<Instruction> list;
  uint32_t bound;
  uint32_t glslSet = 0;
  bool isSetNew = false;
  std::map<uint32_t, std::string> names;
  std::set<uint32_t> voidTypes;
};

//===----------------------------------------------------------------------===//
// Capabilities
//===----------------------------------------------------------------------===//

/// A capability's number, and the extension that brings it where SPIR-V 1.6 has it not.
struct Capability {
  uint32_t number;
  const char *extension = nullptr;
  bool operator<(const Capability &other) const { return number < other.number; }
};

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

/// The features that a module uses, from its types and instructions.
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
    // A narrow type that is computed in; what only moves to and from memory is storage's.
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

llvm::Error spirvbackend::checkPhis(llvm::ArrayRef<uint32_t> words) {
  llvm::Expected<std::vector<Instruction>> list = split(words);
  if (!list)
    return list.takeError();
  for (const Instruction &instruction : *list)
    if (instruction.opcode == OpPhi && llvm::is_contained(instruction.words.drop_front(), 0u))
      return makeError("the module has an OpPhi with id 0: a value was lost on the way to SPIR-V");
  return llvm::Error::success();
}

llvm::Expected<std::vector<uint32_t>> spirvbackend::fixUp(llvm::ArrayRef<uint32_t> words,
                                                          const Target &target) {
  llvm::Expected<std::vector<Instruction>> list = split(words);
  if (!list)
    return list.takeError();
  llvm::Expected<std::vector<uint32_t>> replaced = Replacer(words, std::move(*list)).run();
  if (!replaced)
    return replaced.takeError();
  llvm::Expected<std::vector<Instruction>> rest = split(*replaced);
  if (!rest)
    return rest.takeError();
  Capabilities capabilities(*rest);
  if (std::string lacking = capabilities.findLacking(target); !lacking.empty())
    return makeError("the kernel needs " + lacking + ", which " + kTargetName + " lacks here");
  std::vector<uint32_t> result(replaced->begin(), replaced->begin() + kHeaderWords);
  std::set<std::string> extensions;
  for (const Capability &capability : capabilities.used) {
    std::vector<uint32_t> instruction = encode(OpCapability, {capability.number});
    result.insert(result.end(), instruction.begin(), instruction.end());
    if (capability.extension)
      extensions.insert(capability.extension);
  }
  for (const std::string &extension : extensions) {
    std::vector<uint32_t> operands;
    appendString(operands, extension);
    std::vector<uint32_t> instruction = encode(OpExtension, operands);
    result.insert(result.end(), instruction.begin(), instruction.end());
  }
  for (const Instruction &instruction : *rest)
    if (instruction.opcode != OpCapability && instruction.opcode != OpExtension)
      result.insert(result.end(), instruction.words.begin(), instruction.words.end());
  if (llvm::Error error = checkPhis(result))
    return std::move(error);
  return result;
}
