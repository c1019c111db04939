// The runtime's quick rules of specialization are the frontend's.
#include "frontend/Frontend.h"
#include "runtime/core/Arguments.h"

#include <gtest/gtest.h>

using namespace tilerun;

static std::string getFrontendText(const ArgumentSpec &spec) {
  if (auto *constant = std::get_if<ConstantArgument>(&spec))
    return std::to_string(std::get<int64_t>(constant->value));
  const auto &typed = std::get<TypedArgument>(spec);
  return typed.type.signature() + (typed.divisibility == 16 ? ":16" : "");
}

TEST(Specialization, IntegersAreAsInTheFrontend) {
  std::vector<uint64_t> values;
  for (uint64_t base :
       {uint64_t(0), uint64_t(INT32_MAX), uint64_t(UINT32_MAX), uint64_t(INT64_MAX),
        uint64_t(UINT64_MAX), uint64_t(1) << 40, uint64_t(INT64_MIN), uint64_t(int64_t(INT32_MIN))})
    for (uint64_t offset = 0; offset < 40; ++offset) {
      values.push_back(base + offset - 20);
      values.push_back(base - offset);
    }
  for (uint64_t bits : values)
    for (bool fixed : {false, true}) {
      core::SourceParameter parameter;
      parameter.specialize = !fixed;
      TilerunArgument argument = {TILERUN_ARGUMENT_INTEGER, TILERUN_DTYPE_AUTO, 0, {}};
      argument.value.natural = bits;
      EXPECT_EQ(core::getSpecText(parameter, argument),
                getFrontendText(specializeInteger(static_cast<int64_t>(bits), fixed)))
          << static_cast<int64_t>(bits) << " " << fixed;
      argument.kind = TILERUN_ARGUMENT_NATURAL;
      EXPECT_EQ(core::getSpecText(parameter, argument),
                getFrontendText(specializeInteger(bits, fixed)))
          << bits << " " << fixed;
    }
}

TEST(Specialization, TextsAreReadByTheFrontend) {
  core::SourceParameter constant;
  constant.isConstexpr = true;
  auto read = [&](TilerunArgument argument) {
    auto signature = llvm::cantFail(parseSignature("x=" + core::getSpecText(constant, argument)));
    return std::get<ConstantArgument>(signature.arguments.at("x"));
  };
  auto number = [&](double value) {
    TilerunArgument argument = {TILERUN_ARGUMENT_FLOAT, TILERUN_DTYPE_AUTO, 0, {}};
    argument.value.number = value;
    return std::get<double>(read(argument).value);
  };
  for (double value : {0.0, -0.0, 1.0, -2.5, 1e300, 1e-300, 3e22, 0.1})
    EXPECT_EQ(std::bit_cast<uint64_t>(number(value)), std::bit_cast<uint64_t>(value)) << value;
  EXPECT_TRUE(std::isinf(number(INFINITY)));
  EXPECT_TRUE(std::isnan(number(NAN)));
  TilerunArgument string = {TILERUN_ARGUMENT_STRING, 0, 0, {}};
  for (const char *text : {"", "relu", "a \"b\" \\c\\", "i32", "x=1, y"}) {
    string.value.text = text;
    EXPECT_EQ(std::get<std::string>(read(string).value), text);
  }
#define CHECK_TYPE(name, number, word, bits)                                                       \
  EXPECT_EQ(std::get<DType>(read({TILERUN_ARGUMENT_DTYPE, TILERUN_DTYPE_##name, 0, {}}).value)     \
                .signature(),                                                                      \
            word);
  TILERUN_DTYPE_LIST(CHECK_TYPE)
#undef CHECK_TYPE
}
