// Signatures, specialization, and compile-time expressions of decorators.
#include "tests/frontend/sema/SemaTest.h"

using namespace tilerun;
using tilerun::test::compile;

static std::string failureOf(llvm::StringRef text) {
  auto signature = parseSignature(text);
  return signature ? "" : llvm::toString(signature.takeError());
}

TEST(Signature, TypesAndConstants) {
  auto s = parseSignature(
      " x=*fp32:16 , n=i32,BLOCK=1024, ACT=\"ge,lu\", D=none, T=fp16!, U=tl.int8, "
      "S=(1, 2.5, ('a',)), F=true, neg=-3, big=18446744073709551615, fn=relu, h=0x10");
  ASSERT_TRUE(bool(s)) << llvm::toString(s.takeError());
  auto &x = std::get<TypedArgument>(s->arguments.at("x"));
  EXPECT_EQ(x.type, dtype(Scalar::F32).getPointerTo());
  EXPECT_EQ(x.divisibility, 16);
  EXPECT_EQ(std::get<TypedArgument>(s->arguments.at("n")).divisibility, 1);
  auto constant = [&](const char *name) {
    return std::get<ConstantArgument>(s->arguments.at(name)).value;
  };
  EXPECT_EQ(std::get<int64_t>(constant("BLOCK")), 1024);
  EXPECT_EQ(std::get<std::string>(constant("ACT")), "ge,lu");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(constant("D")));
  EXPECT_EQ(std::get<DType>(constant("T")), dtype(Scalar::F16));
  EXPECT_EQ(std::get<DType>(constant("U")), dtype(Scalar::Int8));
  EXPECT_EQ(std::get<std::vector<ConstantArgument>>(constant("S")).size(), 3u);
  EXPECT_TRUE(std::get<bool>(constant("F")));
  EXPECT_EQ(std::get<int64_t>(constant("neg")), -3);
  EXPECT_EQ(std::get<uint64_t>(constant("big")), UINT64_MAX);
  EXPECT_EQ(std::get<ConstantArgument::FunctionName>(constant("fn")).name, "relu");
  EXPECT_EQ(std::get<int64_t>(constant("h")), 16);
}

TEST(Signature, PointersMayBeToSmallMemory) {
  auto s = parseSignature("x=*fp32:16:small, y=*i8:small, z=*i8:16, t=(*fp16:small, i32)");
  ASSERT_TRUE(bool(s)) << llvm::toString(s.takeError());
  auto of = [&](const char *name) {
    const auto &typed = std::get<TypedArgument>(s->arguments.at(name));
    return std::pair(typed.divisibility, typed.isSmall);
  };
  EXPECT_EQ(of("x"), std::pair(int64_t(16), true));
  EXPECT_EQ(of("y"), std::pair(int64_t(1), true));
  EXPECT_EQ(of("z"), std::pair(int64_t(16), false));
  EXPECT_EQ(of("t.0"), std::pair(int64_t(1), true));
  EXPECT_NE(failureOf("n=i32:16:small").find("only pointers are small, not int32"),
            std::string::npos)
      << failureOf("n=i32:16:small");
  for (const char *text : {"x=*i8:small:16", "x=*i8:16:large", "x=*i8:16:", "x=*i8:small:small"})
    EXPECT_NE(failureOf(text).find("neither a divisibility nor 'small', nor both"),
              std::string::npos)
        << text << ": " << failureOf(text);
  EXPECT_NE(failureOf("x=*i8:tiny").find("must be a positive integer, not 'tiny'"),
            std::string::npos);
  auto c = compile("@triton.jit\ndef kernel(x, y, n):\n    tl.store(x, tl.load(y) + n)\n",
                   "x=*i32:16:small, y=*i32, n=i32");
  EXPECT_NE(c.ir.find("tile.small"), std::string::npos) << c.ir;
  EXPECT_EQ(c.ir.find("tile.small"), c.ir.rfind("tile.small")) << c.ir;
}

TEST(Signature, TuplesWithRuntimeElements) {
  auto s = parseSignature("t=(*fp32:16, (i32, 3), \"a\"), u=(1, (2,)), v=[i64:16], w=()");
  ASSERT_TRUE(bool(s)) << llvm::toString(s.takeError());
  std::vector<std::string> names;
  for (const auto &[name, spec] : s->arguments)
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"t.0", "t.1.0", "t.1.1", "t.2", "u", "v.0", "w"}));
  EXPECT_EQ(std::get<TypedArgument>(s->arguments.at("t.0")).divisibility, 16);
  EXPECT_EQ(std::get<TypedArgument>(s->arguments.at("t.1.0")).type, dtype(Scalar::Int32));
  EXPECT_EQ(std::get<int64_t>(std::get<ConstantArgument>(s->arguments.at("t.1.1")).value), 3);
  EXPECT_EQ(std::get<std::vector<ConstantArgument>>(
                std::get<ConstantArgument>(s->arguments.at("u")).value)
                .size(),
            2u);
  EXPECT_NE(failureOf("t=(i32, i32), t=1").find("'t' is given twice"), std::string::npos);
  EXPECT_NE(failureOf("t=(i32, ").find("closing bracket"), std::string::npos);
}

TEST(Signature, ElementsOfTuplesAreParameters) {
  std::string signature = "t=(*i32";
  std::string body = "    s = 0\n    for i in tl.static_range(1, len(t)):\n        s += t[i]\n";
  for (unsigned i = 0; i < 11; ++i)
    signature += ", i32";
  auto c = compile("@triton.jit\ndef kernel(a, t, b):\n" + body + "    tl.store(t[0], s + a + b)\n",
                   signature + "), a=i32, b=i32");
  ASSERT_TRUE(c.ok) << c.diagnostics;
  // In the order of the source, and of positions.
  size_t at = 0;
  for (const char *name :
       {"\"a\"", "\"t.0\"", "\"t.1\"", "\"t.2\"", "\"t.9\"", "\"t.10\"", "\"t.11\"", "\"b\""}) {
    size_t next = c.ir.find(name);
    ASSERT_NE(next, std::string::npos) << name;
    EXPECT_GE(next, at) << name;
    at = next;
  }
  EXPECT_SAYS(compile("@triton.jit\ndef kernel(t: tl.constexpr):\n    pass\n", "t=(1, i32)"),
              "parameter 't' is a tl.constexpr and needs a value");
  EXPECT_SAYS(compile("@triton.jit\ndef kernel(tt):\n    pass\n", "t=(1, i32), tt=i32"),
              "kernel 'kernel' has no parameter 't'; did you mean 'tt'?");
  EXPECT_SAYS(compile("@triton.jit\ndef kernel(t):\n    pass\n", "t=(1, tensordesc<fp16[3]>)"),
              "the block shape of the tensor descriptor 't.1' is [3]");
}

TEST(Signature, Errors) {
  EXPECT_NE(failureOf("x").find("'=' is expected after 'x'"), std::string::npos);
  EXPECT_NE(failureOf("=3").find("a parameter name is expected"), std::string::npos);
  EXPECT_NE(failureOf("x=").find("is expected after '='"), std::string::npos);
  EXPECT_NE(failureOf("x=1, x=2").find("'x' is given twice"), std::string::npos);
  EXPECT_NE(failureOf("x=*fp32:a").find("divisibility"), std::string::npos);
  EXPECT_NE(failureOf("x=*fp32:0").find("divisibility"), std::string::npos);
  EXPECT_NE(failureOf("x=fp32:16").find("only integers and pointers"), std::string::npos);
  EXPECT_NE(failureOf("x=\"abc").find("no closing quote"), std::string::npos);
  EXPECT_NE(failureOf("x=(1, 2").find("closing bracket"), std::string::npos);
  EXPECT_NE(failureOf("x=1 y=2").find("',' is expected"), std::string::npos);
  EXPECT_NE(failureOf("x=tl.flot").find("is not a dtype"), std::string::npos);
  EXPECT_NE(failureOf("x=#").find("neither a type"), std::string::npos);
  EXPECT_NE(failureOf("x=" + std::string(1000, '(')).find("nest too deeply"), std::string::npos);
}

TEST(Signature, SpecializationOfIntegers) {
  auto typed = [](ArgumentSpec s) { return std::get<TypedArgument>(s); };
  EXPECT_TRUE(std::holds_alternative<ConstantArgument>(specializeInteger(int64_t(1), false)));
  EXPECT_EQ(typed(specializeInteger(int64_t(1), true)).type, dtype(Scalar::Int32));
  EXPECT_EQ(typed(specializeInteger(int64_t(0), false)).divisibility, 16);
  EXPECT_EQ(typed(specializeInteger(int64_t(48), false)).divisibility, 16);
  EXPECT_EQ(typed(specializeInteger(int64_t(48), true)).divisibility, 1);
  EXPECT_EQ(typed(specializeInteger(int64_t(8), false)).divisibility, 1);
  EXPECT_EQ(typed(specializeInteger(int64_t(INT32_MAX), false)).type, dtype(Scalar::Int32));
  EXPECT_EQ(typed(specializeInteger(int64_t(INT32_MAX) + 1, false)).type, dtype(Scalar::Int64));
  EXPECT_EQ(typed(specializeInteger(int64_t(INT32_MIN) - 1, false)).type, dtype(Scalar::Int64));
  EXPECT_EQ(typed(specializeInteger(int64_t(-16), false)).divisibility, 16);
  EXPECT_EQ(typed(specializeInteger(uint64_t(INT64_MAX) + 1, false)).type, dtype(Scalar::UInt64));
}

namespace {
/// Evaluates `X = <text>` of a module with some names.
std::optional<ConstantArgument> evaluate(const std::string &text,
                                         const std::map<std::string, ConstantArgument> &names,
                                         std::string *message = nullptr) {
  Frontend frontend;
  LoadedModule *module = frontend.loadText(
      "c.py", "import triton\nimport triton.language as tl\nK = 4\nX = " + text + "\n");
  if (!module || !module->lookup("X") || !module->lookup("X")->value)
    return std::nullopt;
  auto result = frontend.evaluateConstant(*module, *module->lookup("X")->value, names);
  if (message)
    frontend.getDiagnostics().print(*std::make_unique<llvm::raw_string_ostream>(*message), false);
  return result;
}
int64_t evaluateInt(const std::string &text, const std::map<std::string, ConstantArgument> &names) {
  auto result = evaluate(text, names);
  auto *value = result ? std::get_if<int64_t>(&result->value) : nullptr;
  return value ? *value : INT64_MIN;
}
bool evaluateBool(const std::string &text, const std::map<std::string, ConstantArgument> &names) {
  auto result = evaluate(text, names);
  EXPECT_TRUE(result && std::holds_alternative<bool>(result->value)) << text;
  return result && std::holds_alternative<bool>(result->value) && std::get<bool>(result->value);
}
} // namespace

static std::string canonical(llvm::StringRef text, int64_t numWarps = 4) {
  KernelSignature signature = llvm::cantFail(parseSignature(text));
  signature.numWarps = numWarps;
  return getCanonicalText(signature);
}

TEST(Signature, CanonicalTextTellsAllApart) {
  EXPECT_EQ(canonical("x=*fp32:16, n=i32"), canonical(" n=i32 ,x=*f32:16"));
  std::set<std::string> texts;
  for (const char *text : {"x=*fp32:16",
                           "x=*fp32",
                           "x=*fp32:small",
                           "x=*fp32:16:small",
                           "x=*kfp32",
                           "x=fp32",
                           "x=*fp16",
                           "x=i32",
                           "x=i32:16",
                           "y=i32",
                           "x=1",
                           "x=-1",
                           "x=1.0",
                           "x=true",
                           "x=none",
                           "x=\"1\"",
                           "x=\"\"",
                           "x=fp16!",
                           "x=(1,)",
                           "x=(1, 2)",
                           "x=((1,), 2)",
                           "x=((1, 2),)",
                           "x=(\"a\", \"b\")",
                           "x=(\"ab\",)",
                           "x=\"1 y1:c 1 2\"",
                           "x=1, y=2",
                           "x=12",
                           "x=f1",
                           "x=\"f1\"",
                           "x=0.0",
                           "x=-0.0",
                           "x=18446744073709551615"})
    EXPECT_TRUE(texts.insert(canonical(text)).second) << text;
  EXPECT_TRUE(texts.insert(canonical("x=1", 8)).second);
}

TEST(EvaluateConstant, Expressions) {
  std::map<std::string, ConstantArgument> names{{"N", {int64_t(100)}}, {"B", {int64_t(32)}}};
  EXPECT_EQ(evaluateInt("N // B + K", names), 7);
  EXPECT_EQ(evaluateInt("triton.cdiv(N, B)", names), 4);
  EXPECT_EQ(evaluateInt("triton.next_power_of_2(N)", names), 128);
  EXPECT_EQ(evaluateInt("64 if N > 50 else 32", names), 64);
  EXPECT_TRUE(evaluateBool("N % B == 4", names));
}

TEST(EvaluateConstant, HeuristicLambdas) {
  std::map<std::string, ConstantArgument> names{{"N", {int64_t(128)}}, {"BLOCK", {int64_t(32)}}};
  names["bias"].value = ConstantArgument::Tensor{};
  names["other"].value = std::monostate();
  EXPECT_TRUE(evaluateBool("lambda args: args['N'] % args['BLOCK'] == 0", names));
  EXPECT_TRUE(evaluateBool("lambda a: a['bias'] is not None", names));
  EXPECT_FALSE(evaluateBool("lambda a: a['other'] is not None", names));
  EXPECT_TRUE(evaluateBool("lambda a: 'N' in a and 'M' not in a", names));
  EXPECT_EQ(evaluateInt("lambda a: triton.next_power_of_2(a['N'] + 1)", names), 256);
}

TEST(EvaluateConstant, Errors) {
  std::string message;
  EXPECT_FALSE(evaluate("lambda args: args['M']", {}, &message));
  EXPECT_NE(message.find("no entry 'M'"), std::string::npos) << message;
  message.clear();
  EXPECT_FALSE(evaluate("lambda a, b: 1", {}, &message));
  EXPECT_NE(message.find("must take one parameter"), std::string::npos) << message;
  message.clear();
  EXPECT_FALSE(evaluate("unknown", {}, &message));
  EXPECT_NE(message.find("unknown name"), std::string::npos) << message;
}
