// Tensor specifications, contents and files on the command line.
#include "tests/tools/tilerun/ExpressionFixture.h"

#include "tools/tilerun/host/AtomicFile.h"
#include "tools/tilerun/host/Npy.h"
#include "tools/tilerun/host/Random.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace tilerun;
using namespace tilerun::host;

namespace {

class ArgumentTest : public ExpressionTest {
protected:
  std::string writeNpy(llvm::StringRef argumentText) {
    llvm::SmallString<128> path;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("argument", "npy", path));
    AtomicFile file = llvm::cantFail(AtomicFile::open(path));
    EXPECT_FALSE(
        static_cast<bool>(file.commit(formatNpy(*argument(argumentText)->getIf<Tensor>()))));
    paths.push_back(path.str().str());
    return paths.back();
  }
  void TearDown() override {
    for (const std::string &path : paths)
      (void)llvm::sys::fs::remove(path);
  }
  std::vector<std::string> paths;
};

TEST_F(ArgumentTest, PlainValues) {
  EXPECT_EQ(showArgument("7"), "7");
  EXPECT_EQ(showArgument("-0.5"), "-0.5f");
  EXPECT_EQ(showArgument("true"), "true");
  EXPECT_EQ(showArgument("False"), "false");
  EXPECT_EQ(showArgument("none"), "none");
  EXPECT_EQ(showArgument("\"gelu\""), "the string \"gelu\"");
  EXPECT_EQ(showArgument("tl.float16"), "the dtype float16");
  EXPECT_EQ(showArgument("(1, 2.5)"), "(1, 2.5f)");
  EXPECT_EQ(showArgument("1e-5"), "1e-05f");
}

TEST_F(ArgumentTest, ContentsInEveryForm) {
  EXPECT_EQ(showArgument("f32[3]:zeros"), "[3]: 0 0 0");
  EXPECT_EQ(showArgument("i8[2]:ones"), "[2]: 1 1");
  EXPECT_EQ(showArgument("f32[2]:full(-1.5)"), "[2]: -1.5 -1.5");
  EXPECT_EQ(showArgument("i64[3]:arange"), "[3]: 0 1 2");
  EXPECT_EQ(showArgument("f32[3]:arange(1, 0.5)"), "[3]: 1 1.5 2");
  EXPECT_EQ(showArgument("u8[]:full(255)"), "[]: 255");
  EXPECT_EQ(showArgument("f32[0]:zeros"), "[0]:");
  EXPECT_NE(showArgument("f32[1]:empty").find("nan"), std::string::npos);
  EXPECT_TRUE(argument("f32[1]:empty")->getIf<Tensor>()->poisoned);
}

TEST_F(ArgumentTest, RandomContentsFollowTheDocumentedStreams) {
  const Tensor normal = *argument("f64[3]:randn(7)")->getIf<Tensor>();
  const Tensor uniform = *argument("f64[3]:rand(7)")->getIf<Tensor>();
  const Tensor integers = *argument("i32[3]:randint(-5, 5, 7)")->getIf<Tensor>();
  for (int64_t i = 0; i < 3; ++i) {
    uint64_t n = static_cast<uint64_t>(i);
    EXPECT_EQ(normal.get(i), randomNormal(7, n));
    EXPECT_EQ(uniform.get(i), randomUniform(7, n));
    EXPECT_EQ(integers.get(i), static_cast<double>(randomInteger(7, n, -5, 5)));
  }
}

TEST_F(ArgumentTest, ContentsDoNotDependOnStrides) {
  EXPECT_EQ(showArgument("f32[4,5]{1,4}:randn(3)"), showArgument("f32[4,5]:randn(3)"));
}

TEST_F(ArgumentTest, ContextsShareWhatTheyFill) {
  FilledTensors filled;
  auto storage = [&](llvm::StringRef name, llvm::StringRef text) {
    mlir::FailureOr<Value> value = evaluateArgument(context, name, text);
    return mlir::succeeded(value) ? value->getIf<Tensor>()->storage : nullptr;
  };
  const auto alone = storage("x", "f32[3]:randn(1)");
  EXPECT_NE(storage("x", "f32[3]:randn(1)"), alone);
  context.filled = &filled;
  const auto first = storage("x", "f32[3]:randn(1)");
  EXPECT_EQ(storage("x", "f32[3]:randn(2 - 1)"), first);
  // Another argument, shape, layout, type, contents, or numbers that are not integers.
  for (auto [name, text] : {std::pair("y", "f32[3]:randn(1)"),
                            {"x", "f32[4]:randn(1)"},
                            {"x", "f32[3]{2}:randn(1)"},
                            {"x", "f16[3]:randn(1)"},
                            {"x", "f32[3]:randn(2)"},
                            {"x", "f32[3]:rand(1)"}})
    EXPECT_NE(storage(name, text), first) << text;
  EXPECT_NE(storage("x", "f32[3]:full(0.5)"), storage("x", "f32[3]:full(0.5)"));
  EXPECT_EQ(showValue(evaluateArgument(context, "x", "f32[3]:full(2)").value()),
            showValue(evaluateArgument(context, "x", "f32[3]:full(2)").value()));
}

TEST_F(ArgumentTest, ShapesAreExpressions) {
  define("M", "4");
  define("x", "f32[M, 2*M]:zeros");
  EXPECT_EQ(show("x.shape"), "(4, 8)");
  define("y", "bf16[x.shape[1], cdiv(M, 3)]{1, x.shape[1] + 1}:ones");
  EXPECT_EQ(show("y.shape + y.stride()"), "(8, 2, 1, 9)");
  define("z", "f32[x.shape]:zeros");
  EXPECT_EQ(show("z.shape"), "(4, 8)");
}

TEST_F(ArgumentTest, WhiteSpaceIsFree) {
  EXPECT_EQ(showArgument(" f32[ 2 ]{ 3 } : full( 1 ) "), "[2]: 1 1");
}

TEST_F(ArgumentTest, DtypeNames) {
  for (const char *name : {"f16", "fp16", "float16", "tl.float16", "bf16", "bfloat16", "f64", "i1",
                           "int8", "u64", "fp8e4nv", "float8e5", "fp8e4b15", "fp8e5b16"})
    EXPECT_TRUE(argument(std::string(name) + "[2]:zeros")) << name << takeMessages();
  expectArgumentError("f33[2]:zeros", "unknown element type 'f33'; did you mean 'f32'");
  expectArgumentError("*f32[2]:zeros", "tensor of pointers");
  expectArgumentError("void[2]:zeros", "unknown element type 'void'");
}

TEST_F(ArgumentTest, BadContents) {
  expectArgumentError("f32[2]:rnadn(1)", "did you mean ':randn'");
  expectArgumentError("f32[2]", "expected ':' and contents");
  expectArgumentError("f32[2]:", "expected contents");
  expectArgumentError("f32[2]:zeros junk", "unexpected text");
  expectArgumentError("f32[2]:full", "takes 1 arguments, found 0");
  expectArgumentError("f32[2]:randint(1)", "takes 2 to 3");
  expectArgumentError("i32[2]:randn(1)", "use :randint");
  expectArgumentError("f32[2]:randn(1.5)", "seed");
  expectArgumentError("i32[2]:randint(5, 5)", "high end is exclusive");
  expectArgumentError("i8[2]:randint(0, 1000)", "does not fit int8");
  expectArgumentError("i8[2]:full(200)", "does not fit int8");
  expectArgumentError("i32[2]:full(0.5)", "integer tensor");
  expectArgumentError("i8[200]:arange", "reaches 199");
  expectArgumentError("f32[2]:full(\"a\")", "takes a number");
}

TEST_F(ArgumentTest, BadShapes) {
  expectArgumentError("f32[-1]:zeros", "negative dimension");
  expectArgumentError("f32[1.5]:zeros", "a dimension must be an integer");
  expectArgumentError("f32[2]{1,1}:zeros", "2 strides for 1 dimensions");
  expectArgumentError("f32[2]{-1}:zeros", "negative stride");
  expectArgumentError("f32[2**40]:zeros", "limit on this machine");
  expectArgumentError("f32[2**62, 2**62]:zeros", "limit on this machine");
  expectArgumentError("f32[2]{2**60}:zeros", "limit on this machine");
  expectArgumentError("f32[2**64]:zeros", "does not fit 64 bits");
  expectArgumentError("f32[n]:zeros", "unknown name 'n'");
  expectArgumentError("f32[1,1,1,1,1,1,1,1,1]:zeros", "at most 8");
}

TEST_F(ArgumentTest, CaretsPointIntoTheSpecification) {
  std::string text = showArgument("f32[4, oops]:zeros");
  EXPECT_NE(text.find("test:1:8:"), std::string::npos) << text;
}

TEST_F(ArgumentTest, Files) {
  std::string path = writeNpy("f32[2,2]:arange");
  EXPECT_EQ(showArgument("@" + path), "[2, 2]: 0 1 2 3");
  EXPECT_EQ(showArgument("f32[2,2]{1,2}:@" + path), "[2, 2]: 0 1 2 3");
  expectArgumentError("f32[4]:@" + path, "has shape [2, 2], not [4]");
  expectArgumentError("i32[2,2]:@" + path, "holds float32, not int32");
  expectArgumentError("@/nonexistent.npy", "cannot read '/nonexistent.npy'");
  expectArgumentError("@", "expected the path");
}

TEST_F(ArgumentTest, RawFilesNeedADtype) {
  std::string path = writeNpy("bf16[2]:full(1.5)");
  expectArgumentError("@" + path, "say what they are");
  EXPECT_EQ(showArgument("bf16@" + path), "[2]: 1.5 1.5");
  expectArgumentError("f33@" + path, "unknown element type");
}

TEST_F(ArgumentTest, NamesShadowDtypesInSubscripts) {
  define("half", "(5, 6)");
  EXPECT_EQ(showArgument("half[1]"), "6");
}

} // namespace
