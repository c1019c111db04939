// Compatibility strings: "vulkan:1.3" and the code's requirements on a device, in the words of
// targets: limits with what is used, features that the module declares. Artifacts with the driver's
// own data have the device's binaryCompatibility instead.
#include "plugins/vulkan/Launch.h"

#include "llvm/ADT/STLExtras.h"

using namespace vulkan;
using tilerun::spirvbackend::Target;

namespace {

/// X(number in SPIR-V, word): capabilities that are features of a target.
#define VULKAN_CAPABILITIES(X)                                                                     \
  X(9, "f16")                                                                                      \
  X(10, "f64")                                                                                     \
  X(12, "atomic-i64")                                                                              \
  X(22, "i16")                                                                                     \
  X(39, "i8")                                                                                      \
  X(62, "vote")                                                                                    \
  X(63, "subgroup-arithmetic")                                                                     \
  X(64, "ballot")                                                                                  \
  X(65, "shuffle")                                                                                 \
  X(66, "shuffle-relative")                                                                        \
  X(4428, "explicit-layout")                                                                       \
  X(4429, "explicit-layout8")                                                                      \
  X(4430, "explicit-layout16")                                                                     \
  X(4433, "storage16")                                                                             \
  X(4448, "storage8")                                                                              \
  X(5055, "clock")                                                                                 \
  X(5116, "bf16")                                                                                  \
  X(5118, "bf16-cm")                                                                               \
  X(5345, "memory-model")                                                                          \
  X(5612, "atomic-f32-minmax")                                                                     \
  X(5613, "atomic-f64-minmax")                                                                     \
  X(5616, "atomic-f16-minmax")                                                                     \
  X(6033, "atomic-f32-add")                                                                        \
  X(6034, "atomic-f64-add")                                                                        \
  X(6095, "atomic-f16-add")

/// X(number in SPIR-V, word without its width): execution modes with a width of floats.
#define VULKAN_FLOAT_MODES(X)                                                                      \
  X(4459, "denorm-f")                                                                              \
  X(4461, "preserve-f")                                                                            \
  X(4462, "rte-f")

constexpr uint32_t kOpExecutionMode = 16, kOpCapability = 17, kFirstInstruction = 5;
constexpr uint32_t kCooperativeMatrix = 6022;
constexpr llvm::StringLiteral kPrefix("vulkan:1.3"), kFinalPrefix("vulkan:pipeline:");

/// Words for a module's declarations, in the module's order, each once.
std::vector<std::string> getDeclared(llvm::ArrayRef<uint32_t> code, bool &matrices) {
  std::vector<std::string> words;
  auto add = [&](std::string word) {
    if (!llvm::is_contained(words, word))
      words.push_back(std::move(word));
  };
  for (size_t at = kFirstInstruction; at < code.size() && (code[at] >> 16); at += code[at] >> 16) {
    uint32_t op = code[at] & 0xFFFF;
    if (code[at] >> 16 > code.size() - at)
      break;
    if (op == kOpCapability && code[at] >> 16 == 2) {
      matrices |= code[at + 1] == kCooperativeMatrix;
      switch (code[at + 1]) {
#define X(number, word)                                                                            \
  case number:                                                                                     \
    add(word);                                                                                     \
    break;
        VULKAN_CAPABILITIES(X)
#undef X
      }
    }
    if (op == kOpExecutionMode && code[at] >> 16 == 4) {
      std::string width = std::to_string(code[at + 3]);
      switch (code[at + 2]) {
#define X(number, word)                                                                            \
  case number:                                                                                     \
    add(word + width);                                                                             \
    break;
        VULKAN_FLOAT_MODES(X)
#undef X
      }
    }
  }
  return words;
}

} // namespace

std::string vulkan::describeNeeds(const ArtifactContent &content, const Target &target) {
  uint64_t subgroup = 0, threads = 0, shared = 0;
  for (const KernelCode &kernel : content.kernels) {
    subgroup = std::max<uint64_t>(subgroup, kernel.subgroupSize);
    threads = std::max<uint64_t>(threads, kernel.threads);
    shared = std::max<uint64_t>(shared, kernel.sharedBytes);
  }
  std::string text = kPrefix.str();
  if (subgroup)
    text += ",subgroup=" + std::to_string(subgroup);
  text += ",threads=" + std::to_string(threads);
  if (shared)
    text += ",shared=" + std::to_string(shared);
  if (subgroup && target.hasSubgroupControl)
    text += ",subgroup-control";
  bool matrices = false;
  std::vector<std::string> words = getDeclared(content.code, matrices);
  for (const std::string &word : words)
    text += "," + word;
  auto uses = [&](llvm::StringRef word) {
    return llvm::any_of(words, [&](llvm::StringRef each) { return each.starts_with(word); });
  };
  // No capability declares these; where they could matter, the device must have those that were
  // compiled for.
  if (target.hasSubgroupTypes && (uses("shuffle") || uses("subgroup-arithmetic")))
    text += ",subgroup-types";
  if (target.hasIndependentDenorms && uses("denorm-f"))
    text += ",denorm-independent";
  if (target.hasIndependentRounding && uses("rte-f"))
    text += ",rounding-independent";
  if (matrices) {
    Target shapes;
    shapes.cooperativeShapes = target.cooperativeShapes;
    text += llvm::StringRef(printTarget(shapes)).drop_front(kPrefix.size());
  }
  return text;
}

bool vulkan::isFinal(llvm::StringRef compatibility) {
  return compatibility.starts_with(kFinalPrefix);
}

std::string vulkan::findIncompatibility(const PhysicalDevice &device,
                                        llvm::StringRef compatibility) {
  if (isFinal(compatibility))
    return compatibility == device.binaryCompatibility
               ? ""
               : "this device and its driver take '" + device.binaryCompatibility + "'";
  llvm::SmallVector<llvm::StringRef> words;
  compatibility.split(words, ',');
  if (words.front() != kPrefix)
    return "this plugin takes 'vulkan:1.3,…' and 'vulkan:pipeline:…'";
  const Target &target = device.target;
  std::string missing;
  auto miss = [&](const llvm::Twine &what) {
    missing += (missing.empty() ? "" : "; ") + what.str();
  };
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    auto [name, value] = word.split('=');
    bool known = false;
    uint64_t wanted = 0;
#define X(member, itsName, otherwise, text)                                                        \
  if (!known && name == itsName) {                                                                 \
    known = true;                                                                                  \
    if (value.getAsInteger(10, wanted))                                                            \
      miss("'" + word + "' has no number");                                                        \
    else if (name == "subgroup" ? wanted != target.member : wanted > target.member)                \
      miss("it needs " + word + ", the device has " + llvm::Twine(target.member));                 \
  }
    TILERUN_SPIRV_LIMITS(X)
#undef X
#define X(member, itsWord, text)                                                                   \
  if (!known && word == itsWord) {                                                                 \
    known = true;                                                                                  \
    if (!target.member)                                                                            \
      miss("the device lacks " itsWord " (" text ")");                                             \
  }
    TILERUN_SPIRV_FEATURES(X)
#undef X
    if (word == "clock") {
      known = true;
      if (!device.shaderClock)
        miss("the device lacks a clock (VK_KHR_shader_clock)");
    }
    if (name == "cm") {
      known = true;
      llvm::Expected<Target> shapes =
          tilerun::spirvbackend::parseTarget((kPrefix + "," + word).str());
      if (!shapes)
        miss(llvm::toString(shapes.takeError()));
      else if (!llvm::is_contained(target.cooperativeShapes, shapes->cooperativeShapes.front()))
        miss("the device lacks the cooperative matrices " + value);
    }
    if (!known)
      miss("'" + word + "' is not known");
  }
  return missing;
}
