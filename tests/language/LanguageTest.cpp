// Runs the kernels of this folder: each quotes a rule of docs/language.md and is compared with
// results that were written by hand. By default on the interpreter, with and without the optimizer,
// and on the emulator of threads; with TILERUN_LANGUAGE_PLUGIN, a plugin's file, on its first
// device, or, with TILERUN_LANGUAGE_TARGET as well, only compiled for that. Also: each word of each
// rule is quoted, and no quote says anything else; strict mode refuses what goes beyond Triton, and
// nothing else.
#include "tests/language/RuleFile.h"

#include "frontend/Frontend.h"
#include "frontend/sema/Names.h"
#include "ir/tile/ModuleBytes.h"
#include "tests/matrix/Launch.h"
#include "tests/property/Threads.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include "gtest/gtest.h"

#include <bit>
#include <cstdlib>

using namespace tilerun;
using namespace tilerun::test;

namespace {

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

/// All that tests quote.
std::vector<Quote> loadQuotes() {
  std::vector<Quote> quotes;
  for (const std::string &path : getRuleFiles()) {
    llvm::Expected<RuleFile> file = readRuleFile(path);
    EXPECT_TRUE(bool(file)) << llvm::toString(file.takeError());
    if (file)
      llvm::append_range(quotes, file->quotes);
  }
  auto python = readQuotes(TILERUN_SOURCE_DIR "/python/tests/test_rules.py");
  EXPECT_TRUE(bool(python)) << llvm::toString(python.takeError());
  if (python)
    llvm::append_range(quotes, *python);
  return quotes;
}

TEST(Page, RulesHaveNumbersOfTheirOwn) {
  std::vector<Rule> rules = loadRules();
  EXPECT_GT(rules.size(), 80u);
  llvm::StringMap<unsigned> numbers;
  std::string last;
  for (const Rule &rule : rules) {
    EXPECT_EQ(numbers[rule.id]++, 0u) << rule.id << " is there twice";
    // Numbers of one letter begin with 1 and go up by 1.
    unsigned number = 0;
    llvm::StringRef(rule.id).drop_front().getAsInteger(10, number);
    EXPECT_TRUE(number == 1 || last == rule.id.substr(0, 1) + std::to_string(number - 1))
        << rule.id << " stands after " << last;
    last = rule.id;
  }
}

TEST(Page, QuotesAreVerbatim) {
  std::vector<Rule> rules = loadRules();
  for (const Quote &quote : loadQuotes()) {
    auto rule = llvm::find_if(rules, [&](const Rule &rule) { return rule.id == quote.id; });
    ASSERT_NE(rule, rules.end()) << quote.where << " quotes " << quote.id
                                 << ", which is not a rule";
    EXPECT_NE(rule->text.find(quote.text), std::string::npos)
        << quote.where << " quotes\n  " << quote.text << "\nbut " << quote.id << " says\n  "
        << rule->text;
  }
}

TEST(Page, EachWordIsQuoted) {
  std::vector<Quote> quotes = loadQuotes();
  for (const Rule &rule : loadRules()) {
    std::vector<bool> isQuoted(rule.text.size());
    for (const Quote &quote : quotes)
      if (size_t at = rule.text.find(quote.text); quote.id == rule.id && at != std::string::npos)
        std::fill_n(isQuoted.begin() + ptrdiff_t(at), quote.text.size(), true);
    std::string missing;
    for (size_t i = 0; i < rule.text.size(); ++i)
      if (!isQuoted[i] && (llvm::isAlnum(rule.text[i]) || !missing.empty()))
        missing += rule.text[i];
    EXPECT_EQ(missing, "") << rule.id << " is not tested whole";
  }
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

std::vector<RuleCase> loadCases() {
  std::vector<RuleCase> cases;
  for (const std::string &path : getRuleFiles()) {
    llvm::Expected<RuleFile> file = readRuleFile(path);
    if (file)
      llvm::append_range(cases, file->cases);
    else
      llvm::consumeError(file.takeError()); // Reported by the tests of the page.
  }
  return cases;
}

/// The plugin that the tests run on, if any.
const char *getPlugin() {
  const char *path = std::getenv("TILERUN_LANGUAGE_PLUGIN");
  return path && *path ? path : nullptr;
}

/// The plugin's device; without one every test is skipped, or fails where TILERUN_REQUIRE has it.
class Device : public testing::Environment {
public:
  void SetUp() override {
    const char *path = getPlugin();
    if (!path)
      return;
    std::string reason;
    if (const char *name = std::getenv("TILERUN_LANGUAGE_TARGET")) {
      matrix::CodeCheckers checkers;
      if (auto ptxas = llvm::sys::findProgramByName("ptxas"))
        checkers.ptxas = *ptxas;
      target = matrix::makeCompiler(path, name, checkers, reason);
      isCompiler = true;
      ASSERT_TRUE(target) << reason;
      return;
    }
    target = matrix::openPlugin(path, "", reason);
    if (target)
      return;
    // Another text than the one that makes CTest count the test as skipped.
    if (matrix::isRequired(path))
      FAIL() << "TILERUN_REQUIRE names " << path << ", which has no device: " << reason;
    GTEST_SKIP() << "no device of " << path << ": " << reason;
  }
  void TearDown() override { target.reset(); }
  static std::unique_ptr<matrix::Target> target;
  static bool isCompiler; ///< Of the target: it runs nothing.
};
std::unique_ptr<matrix::Target> Device::target;
bool Device::isCompiler = false;
[[maybe_unused]] testing::Environment *const kDevice =
    testing::AddGlobalTestEnvironment(new Device);

/// A launch of a case: compiled, with its arguments in order.
struct Launch {
  CompiledKernel kernel;
  std::vector<matrix::RunArgument> arguments;
};

/// A value's form in a launch: a constant for a tl.constexpr parameter, type and facts for a
/// number, anything else as in a signature.
llvm::Expected<ArgumentSpec> specialize(const JitFunction &function, llvm::StringRef name,
                                        llvm::StringRef text, matrix::RunArgument &argument) {
  bool isConstant = false;
  for (const ast::Parameter &parameter : function.def->parameters)
    isConstant |= parameter.name == name && sema::isConstexprAnnotation(parameter.annotation);
  int64_t integer = 0;
  uint64_t natural = 0;
  double number = 0;
  bool fixed = llvm::is_contained(function.doNotSpecialize, name);
  if (!isConstant) {
    if (!text.getAsInteger(10, integer)) {
      argument.bits = uint64_t(integer);
      return specializeInteger(integer, fixed);
    }
    if (!text.getAsInteger(10, natural)) {
      argument.bits = natural;
      return specializeInteger(natural, fixed);
    }
    if (text == "True" || text == "False") {
      argument.bits = text == "True";
      return TypedArgument{dtype(Scalar::Int1), 1};
    }
    if (!text.getAsDouble(number)) {
      argument.bits = std::bit_cast<uint64_t>(number);
      argument.isFloat = true;
      return TypedArgument{dtype(Scalar::F32), 1};
    }
  }
  llvm::Expected<KernelSignature> parsed = parseSignature(("v=" + text).str());
  if (!parsed)
    return parsed.takeError();
  return parsed->arguments["v"];
}

class Language : public testing::TestWithParam<RuleCase> {
protected:
  /// Compiles; the messages of a kernel that is refused are compared here.
  void compile(bool tf32) {
    const RuleCase &c = GetParam();
    llvm::StringMap<matrix::RunArgument> values;
    LoadedModule *module = nullptr;
    compile(tf32, values, module);
    if (HasFatalFailure())
      return;
    compareMessages(*module);
    if (c.isRefused || !isCompiled)
      return;
    std::vector<std::string> printed, lines;
    llvm::SmallVector<llvm::StringRef> split;
    llvm::StringRef(kernel.staticOutput).split(split, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef line : split)
      printed.push_back(line.str());
    for (const Expectation &line : c.prints)
      lines.push_back(line.text);
    EXPECT_EQ(printed, lines) << "what the kernel prints when it is compiled";
    std::string ir;
    llvm::raw_string_ostream(ir) << *kernel.module;
    for (const Expectation &part : c.parts)
      EXPECT_NE(ir.find(part.text), std::string::npos) << "no '" << part.text << "' in\n" << ir;
    for (const CompiledParameter &parameter : kernel.parameters)
      arguments.push_back(values[parameter.name]);
  }

  /// The errors of compiling, as they come.
  std::vector<std::string> getErrors() {
    llvm::StringMap<matrix::RunArgument> values;
    LoadedModule *module = nullptr;
    compile(GetParam().tf32, values, module);
    std::vector<std::string> errors;
    for (const Diagnostic &diagnostic : frontend.getDiagnostics().getDiagnostics())
      if (diagnostic.severity == Severity::Error)
        errors.push_back(diagnostic.message);
    return errors;
  }

  void compile(bool tf32, llvm::StringMap<matrix::RunArgument> &values, LoadedModule *&module) {
    const RuleCase &c = GetParam();
    KernelSignature signature;
    signature.numWarps = c.warps;
    signature.debug = c.debug;
    signature.target = tf32 ? "cuda:sm_90a" : "";
    module = frontend.loadFile(c.file);
    const JitFunction *function = module ? module->findFunction(c.kernel) : nullptr;
    ASSERT_TRUE(function) << print();
    for (const auto &[i, tensor] : llvm::enumerate(c.tensors)) {
      values[tensor.name].buffer = int(i);
      signature.arguments[tensor.name] = TypedArgument{tensor.type.getPointerTo(), 16};
    }
    for (const auto &[name, text] : c.values) {
      llvm::Expected<ArgumentSpec> spec = specialize(*function, name, text, values[name]);
      ASSERT_TRUE(bool(spec)) << llvm::toString(spec.takeError());
      signature.arguments[name] = *spec;
    }
    auto compiled = frontend.compile(*module, c.kernel, signature, context);
    isCompiled = mlir::succeeded(compiled);
    if (isCompiled)
      kernel = std::move(*compiled);
  }

  void compareMessages(const LoadedModule &module) {
    std::vector<std::string> got, expected;
    const DiagnosticEngine &engine = frontend.getDiagnostics();
    for (const Diagnostic &diagnostic : engine.getDiagnostics()) {
      if (diagnostic.severity != Severity::Error)
        continue;
      SourceRange range = diagnostic.range;
      unsigned line =
          range.begin.file == module.file ? engine.getSources().getLineColumn(range.begin).line : 0;
      got.push_back(std::to_string(line) + ": " + diagnostic.message);
    }
    for (const Expectation &error : GetParam().errors)
      expected.push_back(std::to_string(error.line) + ": " + error.text);
    EXPECT_EQ(got, expected) << print();
    EXPECT_EQ(isCompiled, !GetParam().isRefused) << "compiled?";
  }

  /// Runs on a target and compares memory.
  void run(matrix::Target &target, llvm::ArrayRef<uint8_t> bytecode) {
    const RuleCase &c = GetParam();
    SCOPED_TRACE(target.getName());
    std::vector<std::vector<uint8_t>> buffers;
    for (const RuleTensor &tensor : c.tensors)
      buffers.push_back(tensor.before);
    matrix::Request request{bytecode, kernel.name, c.warps, 2, c.debug};
    matrix::Outcome outcome = target.run(request, c.grid, arguments, buffers);
    std::string device = target.getName();
    llvm::StringRef kind = llvm::StringRef(device).split(':').first;
    bool isWithout = llvm::any_of(c.without, [&](llvm::StringRef name) {
      return name == kind || (name.contains(':') && name == target.getLanguageTarget());
    });
    // Which kind of GPU the emulator is follows from the module; some of them take the kernel.
    if (isWithout && (outcome || kind != "threads")) {
      ASSERT_TRUE(outcome) << "this kernel is marked without=" << kind.str() << ", but runs";
      EXPECT_EQ(outcome->kind, matrix::Failure::Kind::Compile) << outcome->message;
      return;
    }
    if (c.fails) {
      ASSERT_TRUE(outcome) << "nothing fails";
      ASSERT_EQ(c.failures.size(), 1u) << "one '# fails:' comment is expected";
      // After the place, FILE:LINE:COLUMN, of the line below the comment.
      std::string place = c.file + ":" + std::to_string(c.failures[0].line + 1) + ":";
      // The rest shows the line.
      llvm::StringRef message = llvm::StringRef(outcome->message).split('\n').first;
      EXPECT_TRUE(message.consume_front(place)) << outcome->message << "\nis not at " << place;
      EXPECT_EQ(message.split(": ").second, c.failures[0].text);
      return;
    }
    ASSERT_FALSE(outcome) << outcome->message;
    if (Device::isCompiler)
      return;
    for (const auto &[tensor, buffer] : llvm::zip(c.tensors, buffers))
      EXPECT_EQ(test::compare(tensor, buffer), "");
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream os(text);
    frontend.getDiagnostics().print(os, /*color=*/false);
    return text;
  }

  Frontend frontend;
  mlir::MLIRContext context{matrix::makeDialects(), mlir::MLIRContext::Threading::DISABLED};
  bool isCompiled = false;
  CompiledKernel kernel;
  std::vector<matrix::RunArgument> arguments;
};

TEST_P(Language, Holds) {
  const RuleCase &c = GetParam();
  compile(c.tf32);
  if (HasFatalFailure() || c.isRefused || !isCompiled)
    return;
  std::vector<uint8_t> plain = tile::writeModule(*kernel.module);
  ASSERT_EQ(matrix::optimize(*kernel.module), "");
  std::vector<uint8_t> optimized = tile::writeModule(*kernel.module);
  if (matrix::Target *device = Device::target.get()) {
    if (!c.fails) // The device's own tests cover this case.
      run(*device, plain);
    return;
  }
  static std::unique_ptr<matrix::Target> interpreter = matrix::makeInterpreter(),
                                         threads = property::makeThreads();
  run(*interpreter, plain);
  run(*interpreter, optimized);
  if (c.grid[1] * c.grid[2] == 1 && !c.fails) // Threads run grids of one axis.
    run(*threads, plain);
}

/// The rules that say "Beyond Triton".
std::vector<std::string> getRulesBeyondTriton() {
  std::vector<std::string> ids;
  for (const Rule &rule : loadRules())
    if (llvm::StringRef(rule.text).contains("Beyond Triton"))
      ids.push_back(rule.id);
  return ids;
}

TEST_P(Language, StrictModeRefusesWhatGoesBeyondTriton) {
  const RuleCase &c = GetParam();
  if (c.isRefused || getPlugin()) // Whose messages are compared, or which only runs kernels.
    return;
  static const std::vector<std::string> beyond = getRulesBeyondTriton();
  ASSERT_GE(beyond.size(), 6u);
  setenv(Frontend::kStrict, "1", 1);
  std::vector<std::string> errors = getErrors();
  unsetenv(Frontend::kStrict);
  if (HasFatalFailure())
    return;
  std::vector<std::string> named;
  for (llvm::StringRef error : errors) {
    auto [before, after] = error.split(" goes beyond Triton (rule ");
    EXPECT_FALSE(after.empty()) << error.str();
    named.push_back(after.split(')').first.str());
    EXPECT_TRUE(llvm::is_contained(beyond, named.back())) << error.str();
  }
  // The other kernels are those that compare_with_triton.py runs under Triton.
  if (!c.isBeyond)
    EXPECT_TRUE(errors.empty()) << llvm::join(errors, "\n");
  // Triton's descriptors do what its other atomics do not.
  const bool isOfDescriptors = c.kernel == "extrema_of_descriptors";
  for (const std::string &rule : c.rules)
    if (llvm::is_contained(beyond, rule) && !isOfDescriptors)
      EXPECT_TRUE(llvm::is_contained(named, rule)) << rule << " is quoted and not named";
  EXPECT_EQ(isCompiled, errors.empty());
}

INSTANTIATE_TEST_SUITE_P(Rules, Language, testing::ValuesIn(loadCases()),
                         [](const testing::TestParamInfo<RuleCase> &info) {
                           return info.param.getName();
                         });

} // namespace
