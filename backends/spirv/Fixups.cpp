// See Fixups.h. Works on words alone: nothing here depends on how the module came to be.
#include "backends/spirv/Fixups.h"

#include "backends/spirv/Capabilities.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <set>

using namespace tilerun;
using namespace tilerun::spirvbackend;
using namespace tilerun::spirvbackend::serialized;

namespace {

/// Turns calls that stand for instructions into these.
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
      return makeError("'" + name + "' is not the name of an instruction");
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
  llvm::Expected<std::set<Capability>> capabilities = findCapabilities(*rest, target);
  if (!capabilities)
    return capabilities.takeError();
  std::vector<uint32_t> result(replaced->begin(), replaced->begin() + kHeaderWords);
  std::set<std::string> extensions;
  for (const Capability &capability : *capabilities) {
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
