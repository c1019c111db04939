// Elements of vectors are forwarded from insertions to extractions, and nowhere else.
#include "backends/llvm/ForwardElements.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace {
class ForwardElements : public testing::Test {
protected:
  // The body of the first function after the pass.
  std::string run(const std::string &text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    if (!module) {
      ADD_FAILURE() << error.getMessage().str();
      return "";
    }
    FunctionAnalysisManager analyses;
    PassBuilder builder;
    builder.registerFunctionAnalyses(analyses);
    Function &function = *module->begin();
    tilerun::llvmbackend::ForwardElementsPass().run(function, analyses);
    std::string body;
    raw_string_ostream os(body);
    EXPECT_FALSE(verifyFunction(function, &os)) << body;
    body.clear();
    for (Instruction &instruction : instructions(function)) {
      instruction.print(os);
      os << "\n";
    }
    return body;
  }
  LLVMContext context;
  std::unique_ptr<Module> module;
};
} // namespace

TEST_F(ForwardElements, ChainsGo) {
  EXPECT_EQ(run(R"(
define float @f(float %a, float %b) {
  %first = insertelement <2 x float> poison, float %a, i64 0
  %second = insertelement <2 x float> %first, float %b, i64 1
  %x = extractelement <2 x float> %second, i64 0
  %y = extractelement <2 x float> %second, i64 1
  %sum = fadd float %x, %y
  ret float %sum
})"),
            "  %sum = fadd float %a, %b\n  ret float %sum\n");
}

TEST_F(ForwardElements, TheLastInsertionCounts) {
  EXPECT_EQ(run(R"(
define float @f(<2 x float> %v, float %a, float %b) {
  %first = insertelement <2 x float> %v, float %a, i32 0
  %early = extractelement <2 x float> %first, i32 0
  %second = insertelement <2 x float> %first, float %b, i32 0
  %late = extractelement <2 x float> %second, i32 0
  %difference = fsub float %early, %late
  ret float %difference
})"),
            "  %difference = fsub float %a, %b\n  ret float %difference\n");
}

// What a vector of another kind holds, and what an insertion at an unknown place may have replaced,
// is still read from the vector.
TEST_F(ForwardElements, UnknownElementsStay) {
  const std::string unknown = R"(
define float @f(<4 x float> %v, float %a, i32 %i) {
  %first = insertelement <4 x float> %v, float %a, i32 1
  %x = extractelement <4 x float> %first, i32 2
  %second = insertelement <4 x float> %first, float %x, i32 %i
  %y = extractelement <4 x float> %second, i32 1
  %z = extractelement <4 x float> %first, i32 %i
  %w = extractelement <4 x float> %first, i32 7
  %s = fadd float %y, %z
  %t = fadd float %s, %w
  ret float %t
})";
  const std::string body = run(unknown);
  for (const char *word : {"%x = extract", "%y = extract", "%z = extract", "%w = extract"})
    EXPECT_NE(body.find(word), std::string::npos) << word << " in\n" << body;
}

TEST_F(ForwardElements, VectorsThatAreUsedWholeStay) {
  EXPECT_EQ(run(R"(
define <2 x float> @f(float %a, float %b) {
  %first = insertelement <2 x float> poison, float %a, i64 0
  %second = insertelement <2 x float> %first, float %b, i64 1
  %x = extractelement <2 x float> %second, i64 0
  %y = fneg float %x
  %third = insertelement <2 x float> %second, float %y, i64 0
  ret <2 x float> %third
})"),
            "  %first = insertelement <2 x float> poison, float %a, i64 0\n"
            "  %second = insertelement <2 x float> %first, float %b, i64 1\n"
            "  %y = fneg float %a\n"
            "  %third = insertelement <2 x float> %second, float %y, i64 0\n"
            "  ret <2 x float> %third\n");
}

// Elements pass from chain to chain, also where a loop carries nothing but scalars.
TEST_F(ForwardElements, ChainsOfChains) {
  std::string text = "define float @f(float %a) {\n";
  std::string last = "%a";
  for (int chain = 0; chain < 40; ++chain) {
    const std::string name = "%v" + std::to_string(chain);
    std::string before = "poison";
    for (int i = 0; i < 64; ++i) {
      const std::string next = name + "_" + std::to_string(i);
      text += next + " = insertelement <64 x float> " + before + ", float " + last + ", i64 " +
              std::to_string(i) + "\n";
      before = next;
    }
    last = "%e" + std::to_string(chain);
    text += last + " = extractelement <64 x float> " + before + ", i64 63\n";
  }
  EXPECT_EQ(run(text + "ret float " + last + "\n}"), "  ret float %a\n");
}

TEST_F(ForwardElements, UnreachableCyclesStay) {
  const std::string body = run(R"(
define void @f(ptr %p) {
  ret void
never:
  %first = insertelement <2 x float> poison, float %x, i64 0
  %x = extractelement <2 x float> %first, i64 0
  store float %x, ptr %p
  br label %never
})");
  EXPECT_NE(body.find("%x = extractelement"), std::string::npos) << body;
}
