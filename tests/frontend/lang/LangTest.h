// A fixture for the language's functions: calls a row of the table, or an operator, on arguments of
// given types inside a function, and shows the IR or the error. Every test's IR must verify.
#pragma once

#include "frontend/lang/Builtin.h"
#include "frontend/lang/Emit.h"
#include "frontend/types/Promotion.h"
#include "ir/tile/TileOps.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace tilerun::lang {

class FakeServices : public SemaServices {
public:
  explicit FakeServices(mlir::MLIRContext &context) : context(context) {}

  using Function = std::function<Result(Emitter &, llvm::ArrayRef<Value>)>;

  mlir::FailureOr<Value> call(const Value &function, llvm::ArrayRef<Value> args,
                              SourceRange range) override {
    if (auto *jit = function.getIf<FunctionValue>())
      return functions.at(jit->function)(*emitter, args);
    auto *builtin = function.getIf<BuiltinValue>();
    auto bound = bindArguments(*emitter, *builtin->builtin, args, {}, {}, {});
    if (mlir::failed(bound))
      return mlir::failure();
    return builtin->builtin->emit(*emitter, *bound);
  }
  mlir::LogicalResult error(SourceRange range, const llvm::Twine &message) override {
    errors.push_back(message.str());
    errorRanges.push_back(range);
    return mlir::failure();
  }
  void warning(SourceRange, const llvm::Twine &message) override {
    warnings.push_back(message.str());
  }
  void beyondTriton(SourceRange, const llvm::Twine &what, llvm::StringRef rule,
                    const llvm::Twine &) override {
    beyond.push_back((what + " (" + rule + ")").str());
  }
  void print(const llvm::Twine &text) override { printed += text.str(); }
  mlir::Location getLocation(SourceRange) override { return mlir::UnknownLoc::get(&context); }
  int64_t getOption(llvm::StringRef name) override {
    auto it = options.find(name.str());
    return it == options.end() ? 0 : it->second;
  }
  llvm::StringRef getTarget() override { return target; }
  LoadedModule *getPrelude() override { return prelude; }

  mlir::MLIRContext &context;
  Emitter *emitter = nullptr;
  LoadedModule *prelude = nullptr;
  std::map<std::string, int64_t> options{{"num_warps", 4}};
  std::map<const JitFunction *, Function> functions;
  std::vector<std::string> errors, warnings, beyond;
  std::vector<SourceRange> errorRanges;
  std::string printed, target;
};

/// Deduces values from C++ literals in tests.
inline Value lit(int v) { return Value::integer(v); }
inline Value lit(long long v) { return Value::integer(v); }
inline Value lit(double v) { return Value(v); }
inline Value lit(bool v) { return Value(v); }
inline Value lit(const char *text) { return Value(std::string(text)); }
inline Value none() { return Value::none(); }
inline Value type(const char *text) { return Value(*parseDType(text)); }
inline Value list(std::initializer_list<int> items) {
  std::vector<Value> values;
  for (int item : items)
    values.push_back(Value::integer(item));
  return Value::tuple(std::move(values));
}

using Keywords = std::vector<std::pair<llvm::StringRef, Value>>;

class LangTest : public testing::Test {
protected:
  LangTest() : services(context), builder(&context), emitter(builder, services) {
    context.disableMultithreading();
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect>();
    services.emitter = &emitter;
    module = mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
    builder.setInsertionPointToEnd(module->getBody());
    function = mlir::func::FuncOp::create(builder, mlir::UnknownLoc::get(&context), "f",
                                          builder.getFunctionType({}, {}));
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  void TearDown() override {
    // The emitted IR must be valid.
    mlir::func::ReturnOp::create(builder, mlir::UnknownLoc::get(&context));
    mlir::Block &entry = function.getBody().front();
    function.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), {}));
    std::string diagnostics;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      diagnostics += d.str() + "\n";
      return mlir::success();
    });
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*module))) << diagnostics << dump();
  }

  /// A run-time value: "f32", "i32[64]", "*f16[8, 4]", "*kf32".
  Value arg(llvm::StringRef text) {
    auto [name, sizes] = text.split('[');
    TensorType t{*parseDType(name), {}};
    sizes.consume_back("]");
    while (!sizes.empty()) {
      auto [size, rest] = sizes.split(',');
      int64_t value = 0;
      EXPECT_FALSE(size.trim().getAsInteger(10, value));
      t.shape.push_back(value);
      sizes = rest;
    }
    mlir::Value v = function.getBody().front().addArgument(getMlirType(&context, t),
                                                           mlir::UnknownLoc::get(&context));
    return Value(TensorValue{v, t});
  }

  Value fn(llvm::StringRef name, llvm::StringRef path = "triton.language") {
    std::optional<Value> v = lookup(path, name, nullptr);
    EXPECT_TRUE(v.has_value()) << name.str();
    return v.value_or(Value());
  }

  Result tryCall(llvm::StringRef name, std::vector<Value> positional, Keywords keywords = {},
                 llvm::StringRef path = "triton.language") {
    const Builtin *builtin = fn(name, path).get<BuiltinValue>().builtin;
    auto bound = bindArguments(emitter, *builtin, positional, {}, keywords, {});
    if (mlir::failed(bound))
      return mlir::failure();
    return builtin->emit(emitter, *bound);
  }

  /// Calls and expects success.
  Value call(llvm::StringRef name, std::vector<Value> positional, Keywords keywords = {},
             llvm::StringRef path = "triton.language") {
    Result result = tryCall(name, std::move(positional), std::move(keywords), path);
    if (mlir::succeeded(result))
      return *result;
    ADD_FAILURE() << name.str() << " failed: " << lastError();
    return Value();
  }

  /// Calls and gives the error; "" if there was none.
  std::string errorOf(llvm::StringRef name, std::vector<Value> positional, Keywords keywords = {},
                      llvm::StringRef path = "triton.language") {
    services.errors.clear();
    Result result = tryCall(name, std::move(positional), std::move(keywords), path);
    EXPECT_EQ(mlir::failed(result), !services.errors.empty());
    EXPECT_LE(services.errors.size(), 1u);
    return lastError();
  }

  std::string lastError() { return services.errors.empty() ? "" : services.errors.back(); }

  /// "f32[64]"-like text of a value's language type.
  static std::string typeOf(const Value &v) {
    auto *t = v.getIf<TensorValue>();
    return t ? t->type.str() : v.isValid() ? v.repr() : "invalid";
  }

  std::string dump() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  }

  /// The emitted operations, one a line, without indentation.
  std::string ir() {
    std::string text;
    for (mlir::Operation &op : function.getBody().front()) {
      llvm::raw_string_ostream os(text);
      op.print(os, mlir::OpPrintingFlags().useLocalScope().assumeVerified());
      text += "\n";
    }
    return text;
  }
  unsigned countOps(llvm::StringRef name) {
    unsigned count = 0;
    function.walk([&](mlir::Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }
  /// The only operation of a name; null and a failure otherwise.
  mlir::Operation *onlyOp(llvm::StringRef name) {
    mlir::Operation *found = nullptr;
    unsigned count = 0;
    function.walk([&](mlir::Operation *op) {
      if (op->getName().getStringRef() == name) {
        found = op;
        ++count;
      }
    });
    EXPECT_EQ(count, 1u) << name.str() << " in\n" << ir();
    return count == 1 ? found : nullptr;
  }
  bool hasIr(llvm::StringRef text) { return llvm::StringRef(ir()).contains(text); }

  mlir::MLIRContext context;
  FakeServices services;
  mlir::OpBuilder builder;
  Emitter emitter;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

#define EXPECT_IR(text) EXPECT_TRUE(hasIr(text)) << "no '" << text << "' in\n" << ir()
#define EXPECT_NO_IR(text) EXPECT_FALSE(hasIr(text)) << "'" << text << "' in\n" << ir()

} // namespace tilerun::lang
