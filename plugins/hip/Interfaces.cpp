// See Interfaces.h.
#include "plugins/hip/Interfaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilerun;

static std::string describe(const backend::KernelParameter &parameter) {
  const char *kinds[] = {"a pointer", "an integer", "a float"};
  return kinds[unsigned(parameter.kind)] + (" of " + std::to_string(parameter.bits)) + " bits";
}

std::string hip::findDifference(const amdgpu::AmdgpuArtifact &a, const amdgpu::AmdgpuArtifact &b) {
  auto say = [&](const llvm::Twine &what) {
    return ("for " + a.arch + " and " + b.arch + " the kernel differs in " + what +
            ", so that one file cannot have both: compile them as separate targets")
        .str();
  };
  if (a.kernel != b.kernel)
    return say("its name ('" + a.kernel + "', '" + b.kernel + "')");
  if (a.parameters.size() != b.parameters.size())
    return say("the number of its parameters (" + llvm::Twine(a.parameters.size()) + ", " +
               llvm::Twine(b.parameters.size()) + ")");
  for (const auto &[one, other] : llvm::zip_equal(a.parameters, b.parameters))
    if (one.name != other.name || one.kind != other.kind || one.bits != other.bits)
      return say("a parameter ('" + one.name + "', " + describe(one) + "; '" + other.name + "', " +
                 describe(other) + ")");
  if (a.hidden != b.hidden)
    return say("the arguments that a launch adds");
  auto isSame = [](const backend::DebugSite &one, const backend::DebugSite &other) {
    return one.kind == other.kind && one.text == other.text && one.arguments == other.arguments &&
           one.file == other.file && one.line == other.line && one.column == other.column;
  };
  if (!llvm::equal(a.debugSites, b.debugSites, isSame))
    return say("what it prints or asserts");
  return "";
}

// "sramecc" and "xnack" of "gfx942:sramecc+:xnack-".
static llvm::SmallVector<llvm::StringRef, 2> getFeatures(llvm::StringRef targetId) {
  llvm::SmallVector<llvm::StringRef, 2> features;
  for (llvm::StringRef feature : llvm::drop_begin(llvm::split(targetId, ':')))
    features.push_back(feature.drop_back());
  return features;
}

std::string hip::findAmbiguity(const amdgpu::Architecture &a, const amdgpu::Architecture &b) {
  if (a.name != b.name)
    return "";
  if (a.targetId == b.targetId)
    return "has " + a.targetId + " twice";
  const auto ours = getFeatures(a.targetId), others = getFeatures(b.targetId);
  for (llvm::StringRef feature : llvm::concat<const llvm::StringRef>(ours, others))
    if (!llvm::is_contained(ours, feature) || !llvm::is_contained(others, feature))
      return ("has " + a.targetId + " and " + b.targetId +
              ", which is ambiguous: code that does not say '" + feature +
              "' runs with any setting of it; give " + a.name +
              " that feature everywhere or nowhere")
          .str();
  return "";
}
