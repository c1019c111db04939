// Mathematical functions: the language's fast forms, libdevice, and the prelude's functions.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

/// A function of floats with a bound, and the arguments over which the bound holds.
struct Function {
  const char *name;
  double low, high;
  const char *wide = nullptr; ///< The function to call in float64, if it has another name.
  double secondLow = 0, secondHigh = 0;
};

constexpr Function kLanguage[] = {
    {"exp", -20, 20},   {"exp2", -20, 20},    {"log", 1e-6, 1e6},  {"log2", 1e-6, 1e6},
    {"sin", -1e6, 1e6}, {"cos", -1e6, 1e6},   {"sqrt", 0.01, 100}, {"rsqrt", 0.01, 100},
    {"erf", -4, 4},     {"sigmoid", -20, 20},
};
constexpr Function kAccurate[] = {
    {"acos", -1, 1},
    {"acosh", 1, 50},
    {"asin", -1, 1},
    {"asinh", -50, 50},
    {"atan", -50, 50},
    {"atanh", -0.99, 0.99},
    {"cbrt", -50, 50},
    {"cos", -100, 100},
    {"cosh", -20, 20},
    {"cospi", -20, 20},
    {"erf", -4, 4},
    {"erfc", -4, 6},
    {"exp", -80, 80},
    {"exp10", -30, 30},
    {"exp2", -100, 100},
    {"expm1", -10, 10},
    {"log", 1e-6, 1e6},
    {"log10", 1e-6, 1e6},
    {"log1p", -0.9, 100},
    {"log2", 1e-6, 1e6},
    {"normcdf", -5, 5},
    {"rsqrt", 1e-6, 1e6},
    {"rsqrt_rn", 1e-6, 1e6},
    {"sin", -100, 100},
    {"erfinv", -0.999, 0.999},
    {"rcbrt", -50, 50},
    {"sinh", -20, 20},
    {"sinpi", -20, 20},
    {"tan", -1.5, 1.5},
    {"tanh", -8, 8},
    {"cyl_bessel_i0", -20, 20},
    {"cyl_bessel_i1", -20, 20},
    {"erfcinv", 0.001, 1.999},
    {"erfcx", -3, 20},
    {"j0", -20, 20},
    {"j1", -20, 20},
    {"lgamma", 0.1, 50},
    {"normcdfinv", 0.001, 0.999},
    {"tgamma", -5.5, 30},
    {"y0", 0.01, 20},
    {"y1", 0.01, 20},
};
constexpr Function kAccurateTwo[] = {
    {"atan2", -10, 10, nullptr, -10, 10},
    {"hypot", -100, 100, nullptr, -100, 100},
    {"rhypot", -100, 100, nullptr, -100, 100},
    {"pow", 0.1, 10, nullptr, -8, 8},
};
constexpr Function kFast[] = {
    {"fast_cosf", -3, 3, "cos"},          {"fast_exp10f", -8, 8, "exp10"},
    {"fast_expf", -20, 20, "exp"},        {"fast_log10f", 0.1, 100, "log10"},
    {"fast_log2f", 0.1, 100, "log2"},     {"fast_logf", 0.1, 100, "log"},
    {"fast_sinf", -3, 3, "sin"},          {"fast_tanf", -1.3, 1.3, "tan"},
    {"fast_tanhf", -8, 8, "tanh"},        {"fast_dividef", -60, 60, "div_rn", 0.25, 8},
    {"fast_powf", 0.1, 10, "pow", -4, 4},
};

struct Context : Family {
  void bounded(const Function &f, const std::string &op, const std::string &call,
               const std::string &wide, const std::string &boundName, const matrix::Types &types) {
    bool two = f.secondLow != f.secondHigh;
    std::string arguments = two ? "(x, y)" : "(x)";
    for (const std::string &t : types) {
      std::vector<ElementwiseInput> inputs{{t, {Kind::Range, f.low, f.high}}};
      if (two)
        inputs.push_back({t, {Kind::Range, f.secondLow, f.secondHigh}});
      add(op, t, getMathTolerance(boundName, t), call + arguments, t, inputs, wide + arguments);
    }
  }

  /// A libdevice function that is exact.
  void exact(const std::string &name, const std::string &result,
             const std::vector<ElementwiseInput> &inputs, Tolerance tolerance = kValue) {
    const char *arguments[] = {"", "(x)", "(x, y)", "(x, y, z)"};
    add("libdevice." + name, inputs[0].dtype, tolerance,
        "libdevice." + name + arguments[inputs.size()], result, inputs);
  }
};

void addBounded(Context c) {
  const matrix::Types wide{"fp32", "fp64"};
  for (const Function &f : kLanguage) {
    std::string call = "tl." + std::string(f.name);
    c.bounded(f, f.name, call, call, f.name, wide);
  }
  auto getBound = [](const Function &f) {
    std::string name = f.name;
    return "libdevice." + (name == "rsqrt_rn" ? "rsqrt" : name);
  };
  for (const Function &f : kAccurate) {
    std::string call = "libdevice." + std::string(f.name);
    c.bounded(f, call, call, call, getBound(f), wide);
  }
  for (const Function &f : kAccurateTwo) {
    std::string call = "libdevice." + std::string(f.name);
    c.bounded(f, call, call, call, getBound(f), wide);
  }
  for (const Function &f : kFast) {
    std::string call = "libdevice." + std::string(f.name);
    c.bounded(f, call, call, "libdevice." + std::string(f.wide), f.name, {"fp32"});
  }
  for (std::string t : wide)
    for (std::string name : {"norm3d", "rnorm3d", "norm4d", "rnorm4d"}) {
      std::string call = "libdevice." + name;
      ElementwiseInput input{t, {Kind::Range, -100, 100}};
      std::string whole =
          call + (name.find('4') != std::string::npos ? "(x, y, z, x)" : "(x, y, z)");
      c.add(call, t, getMathTolerance(call, t), whole, t, {input, input, input}, whole);
    }
  for (std::string t : wide)
    for (std::string name : {"jn", "yn"}) {
      std::string call = "libdevice." + name;
      c.add(call, t, getMathTolerance(call, t), call + "(y, x)", t,
            {{t, {Kind::Range, 1, 40}}, {"i32", {Kind::Index, 0, 20}}}, call + "(y, x)");
    }
  // Special values: results for zeros, infinities and NaN are exact.
  const char *special[] = {"exp", "log", "sqrt", "exp2", "log2"};
  for (const char *name : special)
    for (const std::string &t : wide) {
      std::string call = "tl." + std::string(name) + "(tl.where(x > 0, float(\"inf\"), x * 0))";
      c.add(std::string(name) + " (special)", t, kNumber, call, t, {{t, {}}});
    }
}

void addExact(Context c) {
  for (std::string t : {"fp32", "fp64"}) {
    for (const char *name : {"abs", "ceil", "floor", "nearbyint", "rint", "round", "trunc"})
      c.exact(name, t, {{t, {}}});
    // tl.sqrt's fast form, of any number.
    c.exact("sqrt", t, {{t, {}}}, t == "fp32" ? getMathTolerance("sqrt", t) : kValue);
    for (const char *name : {"sqrt_rn", "rcp_rn"})
      c.exact(name, t, {{t, {}}});
    for (const char *name : {"isinf", "isnan", t == "fp32" ? "finitef" : "isfinited"})
      c.exact(name, "i1", {{t, {}}}, kBits);
    c.exact("signbit", "i32", {{t, {}}}, kBits);
    for (const char *name : {"add_rn", "sub_rn", "mul_rn", "div_rn", "copysign", "fdim"})
      c.exact(name, t, {{t, {}}, {t, {}}});
    c.exact("fmod", t, {{t, {Kind::Range, -500, 500}}, {t, {Kind::Range, 0.5, 9}}});
    c.exact("remainder", t, {{t, {Kind::Range, -500, 500}}, {t, {Kind::Range, 0.5, 9}}});
    c.exact("nextafter", t, {{t, {}}, {t, {}}});
    c.exact("logb", t, {{t, {}}});
    c.exact("ilogb", "i32", {{t, {Kind::Range, 0.001, 1000}}}, kBits);
    for (const char *name : {"ldexp", "scalbn"})
      c.exact(name, t, {{t, {}}, {"i32", {Kind::Index, -200, 200}}});
    for (const char *name : {"fma", "fma_rn", "fma_rd", "fma_ru", "fma_rz"})
      c.exact(name, t, {{t, {}}, {t, {}}, {t, {}}});
    for (std::string suffix : {"_rd", "_ru", "_rz"}) {
      for (const char *name : {"add", "sub", "mul", "div"})
        c.exact(name + suffix, t, {{t, {}}, {t, {}}});
      for (const char *name : {"rcp", "sqrt"})
        c.exact(name + suffix, t, {{t, {}}});
    }
    Fill range{Kind::Range, -1e6, 1e6};
    c.exact("llrint", "i64", {{t, range}}, kBits);
    c.exact("llround", "i64", {{t, range}}, kBits);
  }
  c.exact("saturatef", "fp32", {{"fp32", {}}}, kNumber);
  for (std::string t : {"i32", "i64", "u32", "u64"}) {
    for (const char *name : {"clz", "popc", "ffs"})
      c.exact(name, "i32", {{t, {}}}, kBits);
    c.exact("mulhi", t, {{t, {}}, {t, {}}}, kBits);
  }
  for (std::string t : {"i32", "u32"}) {
    for (const char *name : {"hadd", "rhadd", "mul24"})
      c.exact(name, t, {{t, {}}, {t, {}}}, kBits);
    for (const char *name : {"sad", "byte_perm"})
      c.exact(name, t, {{t, {}}, {t, {}}, {t, {}}}, kBits);
  }
  for (std::string t : {"i32", "i64", "u32", "u64"})
    c.exact("brev", t, {{t, {}}}, kBits);
  for (const char *name : {"double2hiint", "double2loint"})
    c.exact(name, "i32", {{"fp64", {}}}, kBits);
  for (const char *name : {"double2float_rd", "double2float_ru"})
    c.exact(name, "fp32", {{"fp64", {}}});
  c.exact("rcp64h", "fp64", {{"fp64", {Kind::Range, -1e6, 1e6}}});
  c.exact("hiloint2double", "fp64", {{"i32", {}}, {"i32", {}}});
  c.exact("abs", "i32", {{"i32", {}}}, kBits);
  const struct {
    const char *name, *from, *to;
  } bits[] = {{"int_as_float", "i32", "fp32"},       {"uint_as_float", "u32", "fp32"},
              {"float_as_int", "fp32", "i32"},       {"float_as_uint", "fp32", "u32"},
              {"longlong_as_double", "i64", "fp64"}, {"double_as_longlong", "fp64", "i64"}};
  for (const auto &b : bits)
    c.exact(b.name, b.to, {{b.from, {}}}, kBits);
  const struct {
    const char *prefix, *from, *to;
    double low, high;
  } conversions[] = {
      {"float2int", "fp32", "i32", -2e9, 2e9},   {"float2uint", "fp32", "u32", 0, 4e9},
      {"float2ll", "fp32", "i64", -9e18, 9e18},  {"float2ull", "fp32", "u64", 0, 1.8e19},
      {"double2int", "fp64", "i32", -2e9, 2e9},  {"double2uint", "fp64", "u32", 0, 4e9},
      {"double2ll", "fp64", "i64", -9e18, 9e18}, {"double2ull", "fp64", "u64", 0, 1.8e19}};
  for (const auto &k : conversions)
    for (const char *suffix : {"_rn", "_rz", "_rd", "_ru"})
      c.exact(std::string(k.prefix) + suffix, k.to,
              {{k.from, {Kind::Range, k.low * (suffix[2] == 'n' ? 1e-6 : 1), k.high}}}, kBits);
  const struct {
    const char *name, *from, *to;
  } toFloat[] = {{"int2float_rn", "i32", "fp32"},     {"uint2float_rn", "u32", "fp32"},
                 {"ll2float_rn", "i64", "fp32"},      {"ull2float_rn", "u64", "fp32"},
                 {"int2double_rn", "i32", "fp64"},    {"uint2double_rn", "u32", "fp64"},
                 {"ll2double_rn", "i64", "fp64"},     {"ull2double_rn", "u64", "fp64"},
                 {"double2float_rn", "fp64", "fp32"}, {"double2float_rz", "fp64", "fp32"}};
  for (const auto &k : toFloat)
    c.exact(k.name, k.to, {{k.from, {}}});
  const struct {
    const char *prefix, *from, *to;
  } directed[] = {{"int2float", "i32", "fp32"}, {"uint2float", "u32", "fp32"},
                  {"ll2float", "i64", "fp32"},  {"ull2float", "u64", "fp32"},
                  {"ll2double", "i64", "fp64"}, {"ull2double", "u64", "fp64"}};
  for (const auto &k : directed)
    for (const char *suffix : {"_rd", "_ru", "_rz"})
      c.exact(std::string(k.prefix) + suffix, k.to, {{k.from, {}}});
}

} // namespace

void matrix::addMathematics(Cells &cells, unsigned variant) {
  Context context{{cells, variant, "mathematics"}};
  addBounded(context);
  addExact(context);
}
