// What keeps code for several architectures from being one artifact.
#include "plugins/hip/Interfaces.h"

#include <gtest/gtest.h>

using namespace tilerun;
using amdgpu::AmdgpuArtifact;
using amdgpu::HiddenArgument;

namespace {

AmdgpuArtifact makeArtifact(const char *arch) {
  AmdgpuArtifact artifact;
  artifact.kernel = "add";
  artifact.arch = arch;
  artifact.parameters = {{"x", backend::KernelParameter::Kind::Pointer, 64},
                         {"n", backend::KernelParameter::Kind::Integer, 32}};
  artifact.hidden = {HiddenArgument::NumProgramsX};
  artifact.debugSites = {{backend::DebugSite::Kind::Print, "n: %d\n", "i", "add.py", 3, 5}};
  return artifact;
}

TEST(Interfaces, WhatALaunchDoesMustBeTheSame) {
  const AmdgpuArtifact first = makeArtifact("gfx942");
  EXPECT_EQ(hip::findDifference(first, makeArtifact("gfx1100")), "");
  const struct {
    void (*change)(AmdgpuArtifact &);
    const char *text;
  } cases[] = {
      {[](AmdgpuArtifact &a) { a.kernel = "sub"; }, "its name ('add', 'sub')"},
      {[](AmdgpuArtifact &a) { a.parameters.pop_back(); }, "the number of its parameters (2, 1)"},
      {[](AmdgpuArtifact &a) { a.parameters[1].bits = 64; },
       "a parameter ('n', an integer of 32 bits; 'n', an integer of 64 bits)"},
      {[](AmdgpuArtifact &a) { a.parameters[1].name = "m"; }, "a parameter ('n'"},
      {[](AmdgpuArtifact &a) { a.parameters[0].kind = backend::KernelParameter::Kind::Float; },
       "a parameter ('x'"},
      {[](AmdgpuArtifact &a) { a.hidden.clear(); }, "the arguments that a launch adds"},
      {[](AmdgpuArtifact &a) { a.hidden = {HiddenArgument::NumProgramsY}; },
       "the arguments that a launch adds"},
      {[](AmdgpuArtifact &a) { a.debugSites.clear(); }, "what it prints or asserts"},
      {[](AmdgpuArtifact &a) { a.debugSites[0].line = 4; }, "what it prints or asserts"},
  };
  for (const auto &[change, text] : cases) {
    AmdgpuArtifact other = makeArtifact("gfx1100");
    change(other);
    const std::string said = hip::findDifference(first, other);
    EXPECT_EQ(said.find("for gfx942 and gfx1100 the kernel differs in " + std::string(text)), 0u)
        << said;
    EXPECT_NE(said.find("compile them as separate targets"), std::string::npos) << said;
  }
}

} // namespace
