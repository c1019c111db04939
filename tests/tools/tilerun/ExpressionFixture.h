// A session of the expression evaluator for tests: evaluates texts and gives values or messages.
#pragma once

#include "tools/tilerun/host/Argument.h"
#include "tools/tilerun/host/Operators.h"

#include "gtest/gtest.h"

#include "llvm/Support/raw_ostream.h"

namespace tilerun::host {

class ExpressionTest : public testing::Test {
protected:
  ExpressionTest()
      : diagnostics(sources), evaluator(diagnostics),
        context{sources, diagnostics, arena, evaluator} {}

  std::optional<Value> evaluate(llvm::StringRef text) {
    mlir::FailureOr<Value> value = evaluateText(context, "test", text);
    if (mlir::succeeded(value))
      return *value;
    return std::nullopt;
  }
  std::optional<Value> argument(llvm::StringRef text) {
    mlir::FailureOr<Value> value = evaluateArgument(context, "test", text);
    if (mlir::succeeded(value))
      return *value;
    return std::nullopt;
  }
  void define(llvm::StringRef name, llvm::StringRef text) {
    std::optional<Value> value = argument(text);
    ASSERT_TRUE(value) << text.str() << "\n" << takeMessages();
    evaluator.define(name, *value);
  }
  /// The value as text: integers, floats, and tensors as "[2, 2]: 1 2 3 4".
  std::string show(llvm::StringRef text) { return showValue(evaluate(text)); }
  std::string showArgument(llvm::StringRef text) { return showValue(argument(text)); }
  std::string showValue(const std::optional<Value> &value) {
    if (!value)
      return "error: " + takeMessages();
    if (value->isTensorLike()) {
      Array array = llvm::cantFail(getArray(*value));
      std::string out = formatIndex(array.shape) + ":";
      for (double x : array.data)
        out += " " + number(x);
      return out;
    }
    if (auto *b = value->getIf<bool>())
      return *b ? "true" : "false";
    if (auto integer = value->asInteger())
      return formatInteger(*integer);
    if (auto *d = value->getIf<double>())
      return number(*d) + "f";
    if (const Tuple *tuple = value->asTuple()) {
      std::string out = "(";
      for (const Value &element : tuple->elements)
        out += (out.size() > 1 ? ", " : "") + showValue(element);
      return out + ")";
    }
    return value->describe();
  }
  std::string takeMessages() {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.print(os, /*color=*/false);
    diagnostics.clear();
    return text;
  }
  static std::string number(double x) {
    char buffer[64];
    snprintf(buffer, sizeof buffer, "%.10g", x);
    return buffer;
  }
  void expectError(llvm::StringRef text, llvm::StringRef part) {
    std::string got = show(text);
    EXPECT_NE(got.find(part.str()), std::string::npos) << text.str() << "\n" << got;
    EXPECT_EQ(got.substr(0, 6), "error:") << text.str() << "\n" << got;
  }
  void expectArgumentError(llvm::StringRef text, llvm::StringRef part) {
    std::string got = showArgument(text);
    EXPECT_NE(got.find(part.str()), std::string::npos) << text.str() << "\n" << got;
    EXPECT_EQ(got.substr(0, 6), "error:") << text.str() << "\n" << got;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics;
  ast::Context arena;
  Evaluator evaluator;
  ExpressionContext context;
};

} // namespace tilerun::host
