// The table: binding of arguments, look-up, Python's builtins, types, the prelude's text.
#include "tests/frontend/lang/LangTest.h"

#include "frontend/lang/Table.h"

#include <set>

using namespace tilerun;
using namespace tilerun::lang;

namespace {
using Binding = LangTest;

TEST_F(Binding, ByPositionAndName) {
  const Builtin *load = findBuiltin("triton.language", "load");
  ASSERT_TRUE(load);
  Value mask = lit(true);
  std::pair<llvm::StringRef, Value> keyword{"mask", mask};
  auto args = bindArguments(emitter, *load, {lit(1)}, {}, {keyword}, {});
  ASSERT_TRUE(mlir::succeeded(args));
  EXPECT_TRUE(args->given[0] && args->given[1]);
  EXPECT_FALSE(args->given[2]);
  EXPECT_TRUE((*args)[1].get<bool>());
  EXPECT_TRUE((*args)[2].isNone());
  EXPECT_EQ((*args)[5].get<std::string>(), "");
  EXPECT_EQ((*args)[7].get<bool>(), false);
  EXPECT_EQ(args->builtin, load);
}
TEST_F(Binding, UnknownNameSuggests) {
  EXPECT_EQ(errorOf("load", {arg("*fp32")}, {{"maks", none()}}),
            "tl.load has no parameter 'maks'; did you mean 'mask'?");
  EXPECT_NE(errorOf("program_id", {}, {{"zzzzzzzz", lit(0)}}).find("its parameters are (axis)"),
            std::string::npos);
}
TEST_F(Binding, TooMany) {
  EXPECT_EQ(errorOf("program_id", {lit(0), lit(1)}),
            "tl.program_id takes at most 1 positional argument, but got 2; its parameters are "
            "(axis)");
  EXPECT_NE(errorOf("debug_barrier", {lit(0)}).find("takes no positional arguments"),
            std::string::npos);
}
TEST_F(Binding, Missing) {
  EXPECT_EQ(errorOf("arange", {lit(0)}),
            "tl.arange needs an argument for 'end'; its parameters are (start, end)");
}
TEST_F(Binding, Twice) {
  EXPECT_EQ(errorOf("arange", {lit(0), lit(8)}, {{"end", lit(8)}}),
            "tl.arange got 'end' twice; pass it once, by position or by name");
}
TEST_F(Binding, ErrorsPointAtTheArgument) {
  const Builtin *load = findBuiltin("triton.language", "load");
  SourceRange range{{1, 10}, 15}, keywordRange{{1, 20}, 25};
  std::pair<llvm::StringRef, Value> keyword{"bogus", none()};
  EXPECT_TRUE(
      mlir::failed(bindArguments(emitter, *load, {lit(1)}, {range}, {keyword}, {keywordRange})));
  EXPECT_EQ(services.errorRanges.back().begin.offset, 20u);
  auto args = bindArguments(emitter, *load, {lit(1)}, {range}, {}, {});
  ASSERT_TRUE(mlir::succeeded(args));
  EXPECT_TRUE(mlir::failed(load->emit(emitter, *args)));
  EXPECT_EQ(services.errorRanges.back().begin.offset, 10u);
}
TEST_F(Binding, EverySignatureParses) {
  for (const Builtin &row : getBuiltins()) {
    std::set<std::string> names;
    for (const SignatureParameter &p : getParameters(row)) {
      EXPECT_FALSE(p.name.empty()) << row.name.str();
      EXPECT_TRUE(names.insert(p.name).second) << row.name.str() << ": " << p.name;
    }
    EXPECT_TRUE(row.documentation.ends_with(".")) << row.name.str();
    EXPECT_TRUE(row.emit != nullptr);
  }
}
TEST_F(Binding, EveryRowSurvivesBadArguments) {
  // No combination of arguments may crash: each row gets each kind of value in each place.
  std::vector<Value> values = {none(),
                               lit(0),
                               lit(-1),
                               lit(1e300),
                               Value(PyInt(1) << 100),
                               lit("text"),
                               type("fp8e5"),
                               type("*fp32"),
                               Value::tuple({}),
                               list({0, 0, 0}),
                               arg("fp32"),
                               arg("i1[8]"),
                               arg("fp8e4b15[8, 2]"),
                               arg("*fp16[8]"),
                               arg("u64[2, 2, 2]"),
                               Value(NamespaceValue{"triton"}),
                               fn("load"),
                               fn("add"),
                               Value(TensorType{dtype(Scalar::F32), {4}})};
  size_t calls = 0;
  for (const Builtin &row : getBuiltins()) {
    size_t count = getParameters(row).size();
    for (size_t i = 0; i < values.size(); ++i)
      for (size_t step = 0; step < 5; ++step) {
        std::vector<Value> args;
        for (size_t p = 0; p < count && !getParameters(row)[p].keywordOnly && p < 4; ++p)
          args.push_back(values[(i + p * step) % values.size()]);
        auto bound = bindArguments(emitter, row, args, {}, {}, {});
        size_t before = services.errors.size();
        if (mlir::succeeded(bound)) {
          Result result = row.emit(emitter, *bound);
          EXPECT_EQ(mlir::failed(result), services.errors.size() > before) << row.name.str();
        }
        ++calls;
      }
  }
  EXPECT_GT(calls, 10000u);
  // All emitted IR must still verify (see TearDown), so drop nothing.
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

TEST(Lookup, Namespaces) {
  auto path = [](const char *parent, const char *name) {
    std::optional<Value> v = lookup(parent, name, nullptr);
    return v && v->is<NamespaceValue>() ? v->get<NamespaceValue>().path : "";
  };
  EXPECT_EQ(path("triton", "language"), "triton.language");
  EXPECT_EQ(path("triton.language", "math"), "triton.language.math");
  EXPECT_EQ(path("triton.language", "extra"), "triton.language.extra");
  EXPECT_EQ(path("triton.language.extra", "cuda"), "triton.language.extra.cuda");
  EXPECT_EQ(path("triton.language.extra.cuda", "libdevice"), "triton.language.extra.libdevice");
  EXPECT_EQ(path("triton.language", "nothing"), "");
}
TEST(Lookup, DTypesAndConstants) {
  for (const char *name : {"int1", "int8", "uint64", "float8e4nv", "float8e4b15", "bfloat16",
                           "float32", "float64", "void"}) {
    std::optional<Value> v = lookup("triton.language", name, nullptr);
    ASSERT_TRUE(v && v->is<DType>()) << name;
    EXPECT_EQ(v->get<DType>().str(), name);
  }
  EXPECT_FALSE(lookup("triton.language", "fp32", nullptr));
  EXPECT_FALSE(lookup("triton.language", "half", nullptr));
  EXPECT_TRUE(lookup("triton.language", "TRITON_MAX_TENSOR_NUMEL", nullptr)->get<PyInt>() ==
              1 << 20);
  EXPECT_TRUE(lookup("triton.language.PropagateNan", "ALL", nullptr)->get<PyInt>() == 0xffff);
}
TEST(Lookup, ImplementationModulesMeanTheLanguage) {
  EXPECT_TRUE(lookup("triton.language.core", "load", nullptr));
  EXPECT_TRUE(lookup("triton.language.standard", "sum", nullptr));
}
TEST(Lookup, MathHasNoMemory) { EXPECT_FALSE(lookup("triton.language.math", "load", nullptr)); }
TEST(Lookup, EveryPublicNameIsKnown) {
  // The language's public names, apart from those that the prelude defines.
  const char *names =
      "PropagateNan TRITON_MAX_TENSOR_NUMEL load_tensor_descriptor store_tensor_descriptor "
      "make_tensor_descriptor tensor_descriptor abs add advance arange argmax argmin "
      "associative_scan assume atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or "
      "atomic_xchg atomic_xor bfloat16 bitonic_merge block_type broadcast broadcast_to cat cast "
      "ceil clamp condition const constexpr constexpr_type cos cumprod cumsum debug_barrier "
      "device_assert device_print div_rn dot dtype erf exp exp2 expand_dims extra fdiv "
      "flip float16 float32 float64 float8e4b15 float8e4nv float8e4b8 float8e5 float8e5b16 floor "
      "fma full gather histogram inline_asm_elementwise int1 int16 int32 int64 int8 join load log "
      "log2 make_block_ptr map_elementwise math max max_constancy max_contiguous maximum min "
      "minimum mul multiple_of num_programs permute pi32_t pointer_type program_id range reduce "
      "reduce_or reshape rsqrt slice sin sort split sqrt sqrt_rn static_assert static_print "
      "static_range store sub sum target_info tensor topk trans tuple uint16 uint32 uint64 uint8 "
      "umulhi view void where xor_sum zeros";
  llvm::SmallVector<llvm::StringRef> split;
  llvm::StringRef(names).split(split, ' ');
  for (llvm::StringRef name : split)
    EXPECT_TRUE(lookup("triton.language", name, nullptr)) << name.str();
}
TEST(Lookup, ListedNamesResolve) {
  for (const char *path :
       {"triton", "triton.language", "triton.language.math", "triton.language.extra",
        "triton.language.extra.libdevice", "triton.language.PropagateNan", "builtins"}) {
    auto names = listNames(path, nullptr);
    EXPECT_FALSE(names.empty());
    EXPECT_TRUE(llvm::is_sorted(names));
    for (llvm::StringRef name : names)
      if (!(llvm::StringRef(path) == "triton" && name != "language")) // of the prelude
        EXPECT_TRUE(lookup(path, name, nullptr)) << path << "." << name.str();
  }
}
//===----------------------------------------------------------------------===//
// Python's builtins and types
//===----------------------------------------------------------------------===//

class Python : public LangTest {
protected:
  Value py(llvm::StringRef name, std::vector<Value> args) {
    return call(name, std::move(args), {}, "builtins");
  }
  std::string pyError(llvm::StringRef name, std::vector<Value> args) {
    return errorOf(name, std::move(args), {}, "builtins");
  }
};

TEST_F(Python, MinAndMax) {
  EXPECT_TRUE(py("min", {lit(3), lit(2), lit(5)}).get<PyInt>() == 2);
  EXPECT_TRUE(py("max", {list({3, 7, 5})}).get<PyInt>() == 7);
  EXPECT_EQ(py("max", {lit(1), lit(1.5)}).get<double>(), 1.5);
  EXPECT_EQ(typeOf(py("min", {arg("i32[8]"), lit(4)})), "int32[8]");
  EXPECT_EQ(countOps("arith.minsi"), 1u);
  EXPECT_NE(pyError("max", {}).find("at least one value"), std::string::npos);
  EXPECT_NE(pyError("max", {lit("a"), lit(1)}).find("needs numbers"), std::string::npos);
}
TEST_F(Python, Numbers) {
  EXPECT_TRUE(py("abs", {lit(-3)}).get<PyInt>() == 3);
  EXPECT_EQ(typeOf(py("abs", {arg("fp32[8]")})), "float32[8]");
  EXPECT_TRUE(py("int", {lit(2.9)}).get<PyInt>() == 2);
  EXPECT_TRUE(py("int", {lit(-2.9)}).get<PyInt>() == -2);
  EXPECT_EQ(py("float", {lit(3)}).get<double>(), 3.0);
  EXPECT_EQ(py("float", {lit("-inf")}).get<double>(), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(py("float", {lit("nan")}).get<double>()));
  EXPECT_EQ(py("float", {lit("2.5")}).get<double>(), 2.5);
  EXPECT_NE(pyError("float", {lit("abc")}).find("which is not a number"), std::string::npos);
  EXPECT_NE(pyError("int", {lit(1e300)}).find("no integer can hold"), std::string::npos);
  EXPECT_NE(pyError("int", {arg("fp32")}).find("use .to(tl.int32)"), std::string::npos);
  EXPECT_EQ(py("bool", {lit(2)}).get<bool>(), true);
  EXPECT_EQ(py("bool", {none()}).get<bool>(), false);
}
TEST_F(Python, Len) {
  EXPECT_TRUE(py("len", {list({1, 2, 3})}).get<PyInt>() == 3);
  EXPECT_TRUE(py("len", {arg("fp32[8, 4]")}).get<PyInt>() == 8);
  EXPECT_NE(pyError("len", {lit(1)}).find("has no length"), std::string::npos);
}
TEST_F(Python, Isinstance) {
  auto is = [&](const Value &v, const Value &t) { return py("isinstance", {v, t}).get<bool>(); };
  EXPECT_TRUE(is(lit(1), fn("int", "builtins")));
  EXPECT_FALSE(is(lit(1.0), fn("int", "builtins")));
  EXPECT_TRUE(is(arg("fp32"), fn("tensor")));
  EXPECT_FALSE(is(arg("fp32"), fn("constexpr")));
  EXPECT_TRUE(is(lit(1), fn("constexpr")));
  EXPECT_TRUE(is(type("fp32"), fn("dtype")));
  EXPECT_TRUE(is(list({1}), fn("tuple", "builtins")));
  EXPECT_FALSE(is(arg("fp32"), fn("slice")));
  EXPECT_FALSE(is(arg("fp32"), fn("constexpr_type")));
  EXPECT_TRUE(is(lit("a"), Value::tuple({fn("int", "builtins"), fn("str", "builtins")})));
  EXPECT_NE(pyError("isinstance", {lit(1), lit(2)}).find("must be a type"), std::string::npos);
}
TEST_F(Python, GetattrAndHasattr) {
  EXPECT_EQ(py("getattr", {arg("fp16[8]"), lit("dtype")}).get<DType>(), dtype(Scalar::F16));
  EXPECT_TRUE(py("getattr", {arg("fp16[8]"), lit("nope"), lit(5)}).get<PyInt>() == 5);
  EXPECT_TRUE(py("hasattr", {arg("fp16[8]"), lit("shape")}).get<bool>());
  EXPECT_FALSE(py("hasattr", {arg("fp16[8]"), lit("nope")}).get<bool>());
  EXPECT_NE(pyError("getattr", {arg("fp16[8]"), lit("nope")}).find("has no attribute"),
            std::string::npos);
}
TEST_F(Python, Ranges) {
  Value r = py("range", {arg("i32")});
  const RangeValue &range = *r.get<std::shared_ptr<RangeValue>>();
  EXPECT_EQ(range.kind, RangeValue::Kind::Range);
  EXPECT_TRUE(range.lower->get<PyInt>() == 0 && range.step->get<PyInt>() == 1);
  Value t =
      call("range", {lit(0), arg("i64"), lit(2)}, {{"num_stages", lit(3)}, {"flatten", lit(true)}});
  const RangeValue &tlRange = *t.get<std::shared_ptr<RangeValue>>();
  EXPECT_EQ(tlRange.kind, RangeValue::Kind::TlRange);
  ASSERT_EQ(tlRange.hints.size(), 2u);
  EXPECT_EQ(tlRange.hints[0], (std::pair<std::string, int64_t>{"num_stages", 3}));
  EXPECT_TRUE(call("static_range", {lit(4)}).is<std::shared_ptr<RangeValue>>());
  EXPECT_NE(errorOf("static_range", {arg("i32")}).find("known at compile time"), std::string::npos);
  EXPECT_NE(pyError("range", {arg("fp32")}).find("must be an integer"), std::string::npos);
  EXPECT_NE(pyError("range", {lit(0), lit(4), lit(0)}).find("must not be 0"), std::string::npos);
  EXPECT_NE(pyError("range", {}).find("takes 1 to 3 bounds"), std::string::npos);
}
TEST_F(Python, Types) {
  EXPECT_EQ(call("pointer_type", {type("fp32")}).get<DType>(), dtype(Scalar::F32).getPointerTo());
  EXPECT_EQ(call("dtype", {lit("fp16")}).get<DType>(), dtype(Scalar::F16));
  EXPECT_EQ(call("block_type", {type("fp32"), list({8})}).get<TensorType>().str(), "float32[8]");
  EXPECT_TRUE(call("constexpr", {lit(3)}).get<PyInt>() == 3);
  EXPECT_EQ(typeOf(call("constexpr", {arg("i32")})), "int32");
}
} // namespace
