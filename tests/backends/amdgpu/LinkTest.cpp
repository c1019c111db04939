// The linker as a library: its errors, and that it leaves the process as it was.
#include "backends/amdgpu/Link.h"
#include "backends/amdgpu/Compile.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Parallel.h"
#include "gtest/gtest.h"

#include <csignal>

using namespace tilerun;

namespace {

const char *kStore = R"(
func.func @store(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %one = arith.constant 1 : i32
  tile.store %x, %one : !tile.ptr<i32>
  return
})";

/// The error of compiling and linking; "" if there is none.
std::string compileAndLink() {
  auto artifact = amdgpu::compile(kStore, {});
  if (!artifact)
    return llvm::toString(artifact.takeError());
  return llvm::StringRef(artifact->codeObject)
                 .starts_with("\x7f"
                              "ELF")
             ? ""
             : "not an ELF file";
}

std::string linkError(llvm::StringRef object) {
  auto linked = amdgpu::linkCodeObject(object);
  return linked ? "" : llvm::toString(linked.takeError());
}

TEST(Link, WhatIsNotAnObjectIsRefusedInTheLinkersWords) {
  EXPECT_EQ(linkError("nonsense").find("linking the code object failed: ld.lld: error: "), 0u);
}

TEST(Link, AFailureDoesNotSpoilTheNext) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(linkError(std::string(100, '\0')), "");
    EXPECT_EQ(compileAndLink(), "");
  }
}

// lld ends its process on a file that claims to be an object and is cut off. In a child, because
// the linker cannot be used afterwards.
TEST(Link, AFatalErrorIsOneOfTheFunction) {
  auto inChild = [] {
    std::string header(63, '\0'); // A byte less than a header has.
    header.replace(0, 7,
                   "\x7f"
                   "ELF\2\1\1");
    header[16] = 1; // A relocatable object.
    const std::string first = linkError(header);
    const std::string second = linkError("nonsense");
    llvm::errs() << first << "\n" << second << "\nstill there\n";
    // lld's memory is lost when it is interrupted, which LeakSanitizer would report at exit.
    std::_Exit(7);
  };
  EXPECT_EXIT(inChild(), testing::ExitedWithCode(7),
              "linking the code object failed: ld.lld: error: .*\n"
              "the linker failed earlier in this process and cannot be used again; start a new "
              "process\nstill there");
}

llvm::cl::opt<unsigned> option("link-test-option", llvm::cl::init(1));

TEST(Link, OptionsOfTheProcessStay) {
  option = 2;
  llvm::parallel::strategy.ThreadsRequested = 3;
  EXPECT_EQ(compileAndLink(), "");
  EXPECT_EQ(option, 2u);
  EXPECT_EQ(llvm::parallel::strategy.ThreadsRequested, 3u);
  llvm::parallel::strategy.ThreadsRequested = 0;
}

TEST(Link, SignalHandlersStay) {
  struct sigaction before = {}, after = {};
  before.sa_handler = [](int) { std::_Exit(1); };
  ASSERT_EQ(sigaction(SIGSEGV, &before, nullptr), 0);
  EXPECT_EQ(compileAndLink(), "");
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &after), 0);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  std::signal(SIGSEGV, SIG_DFL);
}

TEST(Link, NoOtherTargetIsRegistered) {
  EXPECT_EQ(compileAndLink(), "");
  for (const llvm::Target &target : llvm::TargetRegistry::targets())
    EXPECT_EQ(std::string(target.getBackendName()), "AMDGPU") << target.getName();
}

} // namespace
