// Every kind of value in every operator, and in every argument of every function of the language's
// table: the compiler accepts it, or reports an error with a place in the source. Nothing crashes,
// fails an assertion or makes invalid IR. Functions are covered as soon as the table has them.
#include "frontend/Frontend.h"
#include "frontend/lang/Builtin.h"
#include "frontend/lang/Table.h"

#include "gtest/gtest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Signals.h"

#include <set>

using namespace tilerun;

namespace {
const char kPrelude[] = R"(import collections
import enum
import math
import os
import typing

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

UNKNOWN = os.cpu_count()


def host():
    pass


class Host:
    SIZE = 4


class Mode(enum.Enum):
    FAST = 1


class Bits(enum.Flag):
    ONE = 1


class Pair(typing.NamedTuple):
    first: int
    second: int


@triton.aggregate
class Record:
    value: tl.tensor

    def __init__(self, value):
        self.value = value


@triton.jit
def add2(a, b):
    return a + b


)";

/// Expressions of every kind of value, in a kernel of the parameters below.
const char *const kValues[] = {
    // Things
    "triton", "np", "math", "tl.math", "host", "Host", "Pair", "Record", "add2", "tl.load", "len",
    "tl.constexpr", "tl.tensor", "int", "tl.float32", "tl.pointer_type(tl.float32)",
    "tl.arange(0, 16).type", "UNKNOWN", "tl.arange(0, 16).sum", "Mode", "Mode.FAST", "Bits.ONE",
    // Compile-time values
    "None", "...", "True", "0", "1", "-7", "16", "1 << 100", "2.5", "float('nan')", "1e300", "''",
    "'text'", "()", "(1, 2)", "[16, n]", "(None, 'a')", "{'a': 1}", "Pair(1, n)", "Record(n)",
    "range(3)", "range(n)", "tl.static_range(2)",
    // Run-time values
    "n", "n.to(tl.uint64)", "f", "b", "f.to(tl.float8e5)", "p", "c",
    "p.to(tl.pointer_type(p.dtype))", "tl.arange(0, 16)", "tl.zeros((16, 16), tl.float32)",
    "tl.zeros((16, 16), tl.float16)", "tl.arange(0, 16) < n", "tl.zeros((16,), tl.float8e5)",
    "tl.zeros((1,), tl.int8)", "p + tl.arange(0, 16)",
    "q + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]",
    "tl.make_block_ptr(p, (n, 16), (16, 1), (0, 0), (16, 16), (1, 0))",
    "tl.make_tensor_descriptor(p, [n, 16], [16, 1], [16, 16])"};

const char *const kParameters = "p, q, c, n, f, b";
const char *const kSignature = "p=*fp32:16, q=*i32:16, c=*kfp32:16, n=i32, f=fp32, b=i1";

/// Compiles statements, each in a kernel of its own.
class Statements {
public:
  Statements() { llvm::sys::PrintStackTraceOnErrorSignal("sema_test"); }

  /// Whether each compiles. A statement that neither compiles nor has a located error fails the
  /// test.
  std::vector<bool> compile(llvm::ArrayRef<std::string> statements, bool debug = false) {
    constexpr size_t kMostOfAFile = 500;
    std::vector<bool> out;
    for (; !statements.empty();
         statements = statements.drop_front(std::min(statements.size(), kMostOfAFile)))
      compileFile(statements.take_front(kMostOfAFile), debug, out);
    return out;
  }

private:
  void compileFile(llvm::ArrayRef<std::string> statements, bool debug, std::vector<bool> &out) {
    std::string text = kPrelude;
    for (auto [i, statement] : llvm::enumerate(statements))
      text += "@triton.jit\ndef k" + std::to_string(i) + "(" + kParameters + "):\n    " +
              statement + "\n\n\n";
    Frontend frontend;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    DiagnosticEngine &diagnostics = frontend.getDiagnostics();
    LoadedModule *module = frontend.loadText("test.py", std::move(text));
    auto signature = parseSignature(kSignature);
    if (!module || !signature) {
      std::string reasons;
      llvm::raw_string_ostream os(reasons);
      diagnostics.print(os, /*color=*/false);
      ADD_FAILURE() << "the test's own text is wrong\n" << reasons;
      out.insert(out.end(), statements.size(), false);
      return;
    }
    signature->debug = debug;
    for (auto [i, statement] : llvm::enumerate(statements)) {
      llvm::PrettyStackTraceString trace(statement.c_str());
      diagnostics.clear();
      auto kernel = frontend.compile(*module, "k" + std::to_string(i), *signature, context);
      out.push_back(mlir::succeeded(kernel));
      if (!out.back())
        checkErrors(diagnostics, statement);
    }
  }

  /// Internal names of the compiler, which users do not know.
  static bool hasInternalWord(llvm::StringRef message) {
    static const llvm::Regex words(
        "mlir|llvm|scf\\.|arith\\.|func\\.|![a-z]+[.<]|tensor<|memref|std::|unrealized|__inner|0x["
        "0-9a-f]{6}|"
        "(^|[^a-z.])tile\\.|NamespaceValue|OpaqueValue|monostate|\\(null\\)");
    return words.match(message);
  }

  static void checkErrors(const DiagnosticEngine &diagnostics, const std::string &statement) {
    EXPECT_TRUE(diagnostics.hasErrors()) << statement;
    // One mistake is reported once. (A call may have several.)
    std::set<std::pair<uint32_t, std::string>> told;
    for (const Diagnostic &diagnostic : diagnostics.getDiagnostics()) {
      if (diagnostic.severity != Severity::Error)
        continue;
      EXPECT_TRUE(diagnostic.range.isValid() &&
                  diagnostics.getSources().getName(diagnostic.range.begin.file) == "test.py")
          << statement << ": " << diagnostic.message;
      EXPECT_TRUE(told.insert({diagnostic.range.begin.offset, diagnostic.message}).second)
          << statement << ": " << diagnostic.message;
      EXPECT_FALSE(llvm::StringRef(diagnostic.message).contains("internal error") ||
                   hasInternalWord(diagnostic.message))
          << statement << ": " << diagnostic.message;
      EXPECT_FALSE(diagnostic.message.empty() || llvm::StringRef(diagnostic.message).ends_with(","))
          << statement << ": " << diagnostic.message;
    }
  }
};

std::string with(const std::string &pattern, const std::string &a, const std::string &b = "") {
  std::string out;
  for (char c : pattern)
    out += c == '$' ? "(" + a + ")" : c == '%' ? "(" + b + ")" : std::string(1, c);
  return out;
}

/// A function of the language, as programs write it.
struct Callee {
  std::string name;
  bool isMember = false; ///< The first parameter stands in front of the name.
  bool isOfDescriptor = false;
  struct Parameter {
    std::string name;
    bool variadic = false, hasDefault = false;
  };
  std::vector<Parameter> parameters;
};

/// The rows of the table, and the functions that are written in the language itself.
std::vector<Callee> listCallees(Frontend &frontend) {
  std::vector<Callee> out;
  for (const lang::Builtin &row : lang::getBuiltins()) {
    Callee &callee = out.emplace_back();
    llvm::StringRef path = row.namespacePath;
    callee.isOfDescriptor = path == lang::kDescriptorMembers;
    callee.isMember = path == lang::kDTypeMembers || callee.isOfDescriptor;
    callee.name = row.name.str();
    if (path == lang::kLibdevice)
      callee.name = "libdevice." + callee.name;
    else if (callee.isMember)
      callee.name = "." + callee.name;
    else if (path.consume_front("triton.language"))
      callee.name = "tl" + path.str() + "." + callee.name;
    else if (path != lang::kPython)
      callee.name = path.str() + "." + callee.name;
    for (const lang::SignatureParameter &parameter : lang::getParameters(row))
      callee.parameters.push_back(
          {parameter.name, parameter.variadic, parameter.defaultValue.has_value()});
  }
  LoadedModule *prelude = frontend.loadText("prelude.py", lang::getPreludeText().str());
  for (const auto &function : prelude->functions) {
    if (llvm::StringRef(function->qualifiedName).starts_with("_"))
      continue;
    Callee &callee = out.emplace_back();
    callee.name = "tl." + function->qualifiedName;
    for (const ast::Parameter &parameter : function->def->parameters)
      callee.parameters.push_back({parameter.name.str(),
                                   parameter.kind == ast::ParameterKind::VarArgs,
                                   parameter.defaultValue != nullptr});
  }
  return out;
}

/// A call with these arguments; an empty one is left out.
std::string call(const Callee &callee, const std::vector<std::string> &arguments) {
  size_t first = callee.isMember;
  // Arguments before a `*args` are positional.
  size_t variadic = first;
  for (size_t i = first; i < callee.parameters.size(); ++i)
    if (callee.parameters[i].variadic)
      variadic = i + 1;
  std::string list;
  for (size_t i = first; i < callee.parameters.size(); ++i)
    if (!arguments[i].empty())
      list += (list.empty() ? "" : ", ") + (i < variadic ? "" : callee.parameters[i].name + "=") +
              arguments[i];
  return (callee.isMember ? "(" + arguments[0] + ")" : "") + callee.name + "(" + list + ")";
}

/// A plausible value for a parameter: by its name, else one of the tensors.
std::string guess(const Callee &callee, size_t i, const std::string &tensor,
                  const std::string &pointer) {
  llvm::StringRef name = callee.parameters[i].name;
  if (name == "desc" || (callee.isOfDescriptor && i == 0))
    return "tl.make_tensor_descriptor(" + pointer.substr(0, 1) + ", [n, 16], [16, 1], [16, 16])";
  if (callee.isMember && i == 0)
    return "tl.float32";
  return llvm::StringSwitch<std::string>(name)
      .Cases({"pointer", "ptr"}, pointer)
      .Case("base", "p")
      .Cases({"shape", "block_shape"}, "(16, 16)")
      .Case("strides", "(16, 1)")
      .Case("offsets", "(0, 0)")
      .Cases({"order", "dims"}, "(1, 0)")
      .Case("x_offsets", "tl.arange(0, 16)")
      .Cases({"axis", "dim", "start", "y_offset", "seed", "offset"}, "0")
      .Case("end", "16")
      .Cases({"dtype", "element_ty"}, "tl.float32")
      .Cases({"combine_fn", "fn", "scalar_fn", "func"}, "add2")
      .Cases({"prefix", "name", "asm", "constraints"}, "'text'")
      .Case("type", "int")
      .Default(tensor);
}
} // namespace

TEST(EveryValue, InOperators) {
  Statements statements;
  std::vector<std::string> batch;
  // Pairs of all for one operator of each kind, with few values for the others.
  const char *const few[] = {"triton",
                             "host",
                             "Host",
                             "UNKNOWN",
                             "add2",
                             "tl.load",
                             "range(3)",
                             "{'a': 1}",
                             "[16, n]",
                             "True",
                             "tl.float32",
                             "None",
                             "'text'",
                             "(1, 2)",
                             "Record(n)",
                             "-7",
                             "2.5",
                             "n",
                             "f",
                             "p",
                             "p + tl.arange(0, 16)",
                             "tl.make_tensor_descriptor(p, [n, 16], [16, 1], [16, 16])"};
  for (const char *pattern : {"_ = $ + %", "_ = $ == %", "_ = $ in %", "_ = $[%]"})
    for (const char *a : kValues)
      for (const char *b : kValues)
        batch.push_back(with(pattern, a, b));
  for (const char *pattern : {"_ = $ - %",
                              "_ = $ * %",
                              "_ = $ / %",
                              "_ = $ // %",
                              "_ = $ % %",
                              "_ = $ ** %",
                              "_ = $ @ %",
                              "_ = $ << %",
                              "_ = $ >> %",
                              "_ = $ & %",
                              "_ = $ | %",
                              "_ = $ ^ %",
                              "_ = $ != %",
                              "_ = $ < %",
                              "_ = $ > %",
                              "_ = $ <= %",
                              "_ = $ >= %",
                              "_ = $ is %",
                              "_ = $ is not %",
                              "_ = $ not in %",
                              "_ = $ and %",
                              "_ = $ or %",
                              "_ = $ if n > 0 else %",
                              "x = $\n    x += %",
                              "x = $\n    if n > 0:\n        x = %\n    y = x",
                              "x = $\n    for i in range(n):\n        x = %",
                              "_ = f\"{$!r:>9} {%}\"",
                              "_ = $[%:]",
                              "_ = $[%, None]"})
    for (const char *a : few)
      for (const char *b : few)
        batch.push_back(with(std::string(pattern) == "_ = $ % %" ? "_ = $ \1 %" : pattern, a, b));
  for (std::string &statement : batch)
    std::replace(statement.begin(), statement.end(), '\1', '%');
  for (const char *pattern : {"_ = -$",
                              "_ = +$",
                              "_ = ~$",
                              "_ = not $",
                              "_ = $ if $ else 0",
                              "if $:\n        pass",
                              "while $:\n        break",
                              "assert $, 'text'",
                              "assert False, $",
                              "for i in $:\n        _ = i",
                              "for i in range($):\n        _ = i",
                              "for i in range(0, n, $):\n        _ = i",
                              "for i in tl.static_range($):\n        _ = i",
                              "_ = [i for i in $]",
                              "_ = [i for i in (1, 2) if $]",
                              "a, b = $",
                              "a, *b = $",
                              "_ = $()",
                              "_ = $(1)",
                              "_ = $(x=1)",
                              "_ = add2(*$)",
                              "_ = add2(**$)",
                              "_ = $.shape",
                              "_ = $.dtype",
                              "_ = $.T",
                              "_ = $.value",
                              "_ = $.sum()",
                              "_ = $.to(tl.float32)",
                              "_ = $.nothing",
                              "_ = $.nothing()",
                              "$.x = 1",
                              "_ = $[0]",
                              "_ = $[:, None]",
                              "_ = $[...]",
                              "$[0] = 1",
                              "return $",
                              "raise $",
                              "_ = {'a': $}",
                              "_ = {$: 1}",
                              "_ = {**$}",
                              "_ = {'a': 1}.get($)",
                              "_ = 'a'.join($)",
                              "_ = 'abc'.split($)",
                              "_ = math.sqrt($)",
                              "_ = math.pow(2, $)",
                              "_ = Pair($, 1)",
                              "_ = Record($)",
                              "_ = Pair(1, 2)._replace(first=$)",
                              "_ = tl.float32($)",
                              "_ = np.finfo($)",
                              "_ = collections.namedtuple('A', $)",
                              "_ = n.__add__($)",
                              "x: tl.constexpr = $",
                              "x = (y := $)",
                              "n += $",
                              "p += $",
                              "x = tl.arange(0, 16) + $"})
    for (const char *a : kValues)
      batch.push_back(with(pattern, a));
  std::vector<bool> compiled = statements.compile(batch);
  // Not all is refused.
  EXPECT_GT(llvm::count(compiled, true), static_cast<ptrdiff_t>(batch.size() / 20));
}

TEST(EveryValue, InArgumentsOfEveryFunction) {
  Statements statements;
  Frontend frontend;
  std::vector<std::string> never;
  size_t next = 0;
  std::vector<Callee> callees = listCallees(frontend);
  for (const Callee &callee : callees) {
    const size_t count = callee.parameters.size();
    // Arguments that the function accepts, if there are any among these.
    std::vector<std::vector<std::string>> calls;
    for (auto [tensor, pointer] :
         {std::pair<std::string, std::string>{"tl.zeros((16, 16), tl.float32)", "p"},
          {"tl.zeros((16, 16), tl.int32)", "q + tl.zeros((16, 16), tl.int32)"},
          {"tl.zeros((16, 16), tl.uint32)", "q"},
          {"tl.zeros((16, 16), tl.float16)", "p"},
          {"tl.zeros((16, 16), tl.float64)", "p"},
          {"tl.zeros((16, 16), tl.int64)", "q"},
          {"tl.zeros((16, 16), tl.uint64)", "q"},
          {"tl.arange(0, 16)", "q + tl.arange(0, 16)"},
          {"tl.zeros((16, 2), tl.int32)", "q"},
          {"n", "q"},
          {"1", "p"}})
      for (bool all : {false, true}) {
        std::vector<std::string> &arguments = calls.emplace_back();
        for (size_t i = 0; i < count; ++i)
          arguments.push_back(
              all || !callee.parameters[i].hasDefault ? guess(callee, i, tensor, pointer) : "");
      }
    std::vector<std::string> batch;
    for (const auto &arguments : calls)
      batch.push_back("_ = " + call(callee, arguments));
    std::vector<bool> compiled = statements.compile(batch);
    auto found = llvm::find(compiled, true);
    if (found == compiled.end())
      never.push_back(callee.name);
    const auto &base = calls[found == compiled.end() ? 0 : found - compiled.begin()];
    batch.clear();
    // The 200 functions of libdevice have few ways to read arguments: each gets a share of values.
    const size_t stride = llvm::StringRef(callee.name).starts_with("libdevice.") ? 8 : 1;
    for (size_t v = stride == 1 ? 0 : next++ % stride; v < std::size(kValues); v += stride) {
      const std::string value = std::string("(") + kValues[v] + ")";
      for (size_t i = 0; i < count; ++i) {
        std::vector<std::string> arguments = base;
        arguments[i] = value;
        batch.push_back("_ = " + call(callee, arguments));
      }
      // One kind of value in all places as well.
      if (count > 1)
        batch.push_back("_ = " + call(callee, std::vector<std::string>(count, value)));
    }
    statements.compile(batch, /*debug=*/true);
  }
  // The arguments that the others are combined with are valid for nearly all functions.
  EXPECT_LT(never.size(), callees.size() / 12) << llvm::join(never, " ");
}
