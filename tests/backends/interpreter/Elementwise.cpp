// See Elementwise.h.
#include "tests/backends/interpreter/Elementwise.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tilerun;
using namespace tilerun::harness;

unsigned harness::widthOf(llvm::StringRef type) {
  return llvm::StringSwitch<unsigned>(type)
      .Case("i1", 1)
      .Cases({"i16", "f16", "bf16"}, 16)
      .Cases({"i32", "f32"}, 32)
      .Cases({"i64", "f64"}, 64)
      .Default(8);
}

unsigned harness::bytesOf(llvm::StringRef type) { return std::max(1u, widthOf(type) / 8); }

std::vector<Bits> harness::runElementwise(Machine &machine, llvm::StringRef op,
                                          llvm::ArrayRef<std::string> operandTypes,
                                          llvm::ArrayRef<std::string> resultTypes,
                                          llvm::ArrayRef<Bits> operands) {
  const size_t count = operands[0].size();
  const std::string shape = "tensor<" + std::to_string(count) + "x";
  std::string parameters, loads, stores, text = op.str();
  std::vector<LaunchArgument> arguments;
  auto access = [&](const std::string &name, const std::string &type) {
    parameters += (parameters.empty() ? "%p" : ", %p") + name + ": !tile.ptr<" + type + ">";
    return "  %s" + name + " = tile.splat %p" + name + " : !tile.ptr<" + type + "> -> " + shape +
           "!tile.ptr<" + type + ">>\n  %q" + name + " = tile.addptr %s" + name +
           ", %range : " + shape + "!tile.ptr<" + type + ">>, " + shape + "i32>\n";
  };
  for (size_t k = 0; k < operands.size(); ++k) {
    const std::string name(1, char('a' + k));
    loads += access(name, operandTypes[k]);
    loads += "  %" + name + " = tile.load %q" + name + " : " + shape + "!tile.ptr<" +
             operandTypes[k] + ">>\n";
    text = substitute(text, {{"T" + std::to_string(k), shape + operandTypes[k] + ">"}});
    std::vector<uint8_t> bytes;
    for (uint64_t value : operands[k])
      bytes.insert(bytes.end(), reinterpret_cast<uint8_t *>(&value),
                   reinterpret_cast<uint8_t *>(&value) + bytesOf(operandTypes[k]));
    arguments.push_back(ptr(machine.put(bytes)));
  }
  std::vector<uint64_t> results;
  for (size_t k = 0; k < resultTypes.size(); ++k) {
    const std::string name(1, char('r' + k));
    stores += access(name, resultTypes[k]);
    stores += "  tile.store %q" + name + ", %" + name + " : " + shape + "!tile.ptr<" +
              resultTypes[k] + ">>\n";
    text = substitute(text, {{"R" + std::to_string(k), shape + resultTypes[k] + ">"}});
    results.push_back(machine.allocate(count * bytesOf(resultTypes[k])));
    arguments.push_back(ptr(results.back()));
  }
  machine.run("func.func @k(" + parameters + ") attributes {tile.kernel} {\n  %range = " +
                  "tile.make_range 0 to " + std::to_string(count) + " : " + shape + "i32>\n" +
                  loads + "  " + text + "\n" + stores + "  return\n}\n",
              arguments, grid(1));
  std::vector<Bits> all;
  for (size_t k = 0; k < resultTypes.size(); ++k) {
    const unsigned size = bytesOf(resultTypes[k]);
    const auto bytes = machine.get<uint8_t>(results[k], count * size);
    Bits values(count);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&values[i], bytes.data() + i * size, size);
    all.push_back(std::move(values));
  }
  for (const LaunchArgument &argument : arguments)
    llvm::cantFail(machine.heap.free(argument.bits));
  return all;
}

const llvm::fltSemantics &harness::semanticsOf(llvm::StringRef type) {
  return *llvm::StringSwitch<const llvm::fltSemantics *>(type)
              .Case("f8E5M2", &llvm::APFloat::Float8E5M2())
              .Case("f8E4M3FN", &llvm::APFloat::Float8E4M3FN())
              .Case("f8E5M2FNUZ", &llvm::APFloat::Float8E5M2FNUZ())
              .Case("f8E4M3FNUZ", &llvm::APFloat::Float8E4M3FNUZ())
              .Case("f16", &llvm::APFloat::IEEEhalf())
              .Case("bf16", &llvm::APFloat::BFloat())
              .Case("f32", &llvm::APFloat::IEEEsingle())
              .Default(&llvm::APFloat::IEEEdouble());
}

llvm::APFloat harness::toFloat(llvm::StringRef type, uint64_t bits) {
  return llvm::APFloat(semanticsOf(type), llvm::APInt(widthOf(type), bits));
}

double harness::toDouble(llvm::StringRef type, uint64_t bits) {
  llvm::APFloat value = toFloat(type, bits);
  bool lost;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

uint64_t harness::round(llvm::StringRef type, llvm::APFloat value,
                        llvm::APFloat::roundingMode mode) {
  bool lost;
  value.convert(semanticsOf(type), mode, &lost);
  return value.bitcastToAPInt().getZExtValue();
}

bool harness::sameFloat(llvm::StringRef type, uint64_t a, uint64_t b) {
  return a == b || (toFloat(type, a).isNaN() && toFloat(type, b).isNaN());
}

Bits harness::randomFloats(Random &random, llvm::StringRef type, size_t count) {
  const unsigned width = widthOf(type);
  Bits values(count);
  for (uint64_t &value : values) {
    switch (random.bits() % 4) {
    case 0:
      value = random.edgyBits(width);
      break;
    case 1:
      value = round(type, llvm::APFloat(random.uniform(-8, 8)));
      break;
    case 2:
      value = round(type, llvm::APFloat(double(int64_t(random.bits() % 9) - 4)));
      break;
    default:
      value = random.bits() & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
    }
  }
  return values;
}

Bits harness::uniformFloats(Random &random, llvm::StringRef type, size_t count, double low,
                            double high) {
  Bits values(count);
  for (uint64_t &value : values)
    value = round(type, llvm::APFloat(random.uniform(low, high)));
  return values;
}

Bits harness::randomIntegers(Random &random, llvm::StringRef type, size_t count) {
  Bits values(count);
  for (uint64_t &value : values)
    value = random.edgyBits(widthOf(type));
  return values;
}
