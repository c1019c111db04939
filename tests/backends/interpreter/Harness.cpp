// See Harness.h.
#include "tests/backends/interpreter/Harness.h"

#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>

using namespace tilerun;
using namespace tilerun::harness;

std::vector<uint8_t> harness::assemble(llvm::StringRef text) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context), "test.mlir");
  EXPECT_TRUE(module) << "does not parse:\n" << text.str();
  if (!module)
    return {};
  return tile::writeModule(*module);
}

std::pair<ErrorKind, std::string> harness::takeError(llvm::Error error) {
  std::pair<ErrorKind, std::string> result{ErrorKind::OutOfMemory, "no error"};
  llvm::handleAllErrors(std::move(error), [&](const interp::InterpreterError &e) {
    result = {e.getKind(), e.getMessage()};
  });
  return result;
}

std::string
harness::substitute(std::string text,
                    std::initializer_list<std::pair<llvm::StringRef, std::string>> values) {
  for (const auto &[name, value] : values) {
    const std::string pattern = "$" + name.str();
    for (size_t at = 0; (at = text.find(pattern, at)) != std::string::npos; at += value.size())
      text.replace(at, pattern.size(), value);
  }
  return text;
}

uint64_t Machine::allocate(uint64_t bytes, llvm::StringRef label) {
  auto address = heap.allocate(bytes, label);
  if (!address) {
    ADD_FAILURE() << llvm::toString(address.takeError());
    return 0;
  }
  return *address;
}

std::unique_ptr<Program> Machine::load(llvm::StringRef text, llvm::StringRef name) {
  auto kernel = interp::loadProgram(assemble(text), name);
  if (!kernel) {
    ADD_FAILURE() << llvm::toString(kernel.takeError()) << "\n" << text.str();
    return nullptr;
  }
  return std::move(*kernel);
}

LaunchResult Machine::launch(const Program &kernel, std::vector<LaunchArgument> arguments,
                             LaunchOptions options) {
  auto result = interp::launchProgram(kernel, heap, arguments, options);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  return std::move(*result);
}

LaunchResult Machine::run(llvm::StringRef text, std::vector<LaunchArgument> arguments,
                          LaunchOptions options) {
  auto kernel = load(text);
  return kernel ? launch(*kernel, std::move(arguments), options) : LaunchResult();
}

std::pair<ErrorKind, std::string> Machine::loadError(llvm::StringRef text, llvm::StringRef name) {
  auto kernel = interp::loadProgram(assemble(text), name);
  if (kernel)
    return {ErrorKind::OutOfMemory, "loaded"};
  return takeError(kernel.takeError());
}

std::pair<ErrorKind, std::string> Machine::launchError(llvm::StringRef text,
                                                       std::vector<LaunchArgument> arguments,
                                                       LaunchOptions options) {
  auto kernel = load(text);
  if (!kernel)
    return {ErrorKind::OutOfMemory, "did not load"};
  auto result = interp::launchProgram(*kernel, heap, arguments, options);
  if (result)
    return {ErrorKind::OutOfMemory, "ran"};
  return takeError(result.takeError());
}

LaunchOptions harness::grid(uint64_t x, uint64_t y, uint64_t z) {
  LaunchOptions options;
  options.grid = {x, y, z};
  return options;
}

LaunchOptions harness::checked(uint64_t x, CheckOptions checks) {
  LaunchOptions options;
  options.grid = {x, 1, 1};
  options.checks = checks;
  return options;
}

static uint64_t pickSeed() {
  if (const char *given = std::getenv("TILERUN_SEED"))
    return std::strtoull(given, nullptr, 10);
  return std::random_device()();
}

Random::Random()
    : seed(pickSeed()), engine(seed),
      trace(__FILE__, __LINE__, "TILERUN_SEED=" + std::to_string(seed)) {}

uint64_t Random::edgyBits(unsigned width) {
  const uint64_t any = bits();
  uint64_t value = any >> 8;
  switch (any % 16) {
  case 0:
    value = 0;
    break;
  case 1:
    value = 1;
    break;
  case 2:
    value = ~uint64_t(0);
    break;
  case 3:
    value = uint64_t(1) << (width - 1);
    break;
  case 4:
    value = (uint64_t(1) << (width - 1)) - 1;
    break;
  case 5:
  case 6:
    value = (any >> 8) % 64;
    break;
  case 7:
    value = 0 - (any >> 8) % 64;
    break;
  default:
    break;
  }
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}
