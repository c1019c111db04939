// See Target.h.
#include "backends/spirv/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilerun;
using namespace tilerun::spirvbackend;
using target::MatrixElement;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

/// "16x16x16:f16:f16:f32".
static std::optional<CooperativeShape> parseShape(llvm::StringRef text) {
  CooperativeShape shape;
  llvm::SmallVector<llvm::StringRef> parts, sizes;
  text.split(parts, ':');
  parts.front().split(sizes, 'x');
  if (parts.size() != 4 || sizes.size() != 3)
    return std::nullopt;
  unsigned *numbers[] = {&shape.m, &shape.n, &shape.k};
  for (int i = 0; i < 3; ++i)
    if (sizes[i].getAsInteger(10, *numbers[i]) || !llvm::isPowerOf2_32(*numbers[i]) ||
        *numbers[i] > 1024)
      return std::nullopt;
  MatrixElement *elements[] = {&shape.a, &shape.b, &shape.acc};
  for (int i = 0; i < 3; ++i) {
    auto element = target::parseElement(parts[i + 1]);
    if (!element || element == MatrixElement::TF32) // no Vulkan device computes with it
      return std::nullopt;
    *elements[i] = *element;
  }
  return shape;
}

llvm::Expected<Target> spirvbackend::parseTarget(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef rest = text;
  rest.consume_front("vulkan:");
  rest.split(words, ',');
  if (words.front() != "1.3")
    return makeError("'" + text + "' is not a Vulkan target; targets begin with 'vulkan:1.3'");
  Target target;
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    auto [name, value] = word.split('=');
    bool known = false;
#define X(member, itsName, otherwise, text_)                                                       \
  if (!known && name == itsName) {                                                                 \
    known = true;                                                                                  \
    if (value.getAsInteger(10, target.member))                                                     \
      return makeError("'" + word + "' of a Vulkan target needs a number after '='");              \
  }
    TILERUN_SPIRV_LIMITS(X)
#undef X
#define X(member, itsWord, text_)                                                                  \
  if (!known && word == itsWord)                                                                   \
    known = target.member = true;
    TILERUN_SPIRV_FEATURES(X)
#undef X
    if (!known && name == "cm") {
      std::optional<CooperativeShape> shape = parseShape(value);
      if (!shape)
        return makeError("'" + word +
                         "' of a Vulkan target is not a cooperative matrix; write "
                         "cm=ROWSxCOLUMNSxDEPTH:A:B:ACCUMULATOR, as cm=16x16x16:f16:f16:f32");
      target.cooperativeShapes.push_back(*shape);
      known = true;
    }
    if (!known) {
      std::string list;
#define X(member, itsName, otherwise, text_) list += itsName "=…, ";
      TILERUN_SPIRV_LIMITS(X)
#undef X
      list += "cm=…";
#define X(member, itsWord, text_) list += ", " itsWord;
      TILERUN_SPIRV_FEATURES(X)
#undef X
      return makeError("'" + word + "' is not a word of a Vulkan target; words are " + list);
    }
  }
  if (!llvm::isPowerOf2_64(target.subgroupSize) || target.subgroupSize < 4 ||
      target.subgroupSize > 128)
    return makeError("subgroup=" + llvm::Twine(target.subgroupSize) +
                     " of a Vulkan target is not 4, 8, 16, 32, 64 or 128");
  if (target.maxThreads < target.subgroupSize || target.maxThreads > 65536)
    return makeError("threads=" + llvm::Twine(target.maxThreads) +
                     " of a Vulkan target is not between the subgroup's size and 65536");
  if (target.pushBytes < 128 || target.pushBytes > 65536)
    return makeError(
        "push=" + llvm::Twine(target.pushBytes) +
        " of a Vulkan target is not from 128, the least that Vulkan guarantees, to 65536");
  if (target.sharedBytes > (uint64_t(1) << 30))
    return makeError("shared=" + llvm::Twine(target.sharedBytes) +
                     " of a Vulkan target is more than any device has");
  return target;
}

std::string spirvbackend::printTarget(const Target &target) {
  std::string text = kTargetName.str();
  const Target baseline;
#define X(member, word, otherwise, text_)                                                          \
  if (target.member != baseline.member)                                                            \
    text += "," word "=" + std::to_string(target.member);
  TILERUN_SPIRV_LIMITS(X)
#undef X
#define X(member, word, text_)                                                                     \
  if (target.member)                                                                               \
    text += "," word;
  TILERUN_SPIRV_FEATURES(X)
#undef X
  for (const CooperativeShape &shape : target.cooperativeShapes)
    text += ",cm=" + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
            std::to_string(shape.k) + ":" + target::nameOf(shape.a).str() + ":" +
            target::nameOf(shape.b).str() + ":" + target::nameOf(shape.acc).str();
  return text;
}
