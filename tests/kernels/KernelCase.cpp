// See KernelCase.h.
#include "tests/kernels/KernelCase.h"

#include "backends/interpreter/Interpreter.h"
#include "backends/nvptx/Compile.h"
#include "frontend/lang/Builtin.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/TileOps.h"
#include "ir/transforms/Passes.h"
#include "tests/kernels/EmulatorElementwise.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <ostream>
#include <random>

using namespace tilerun;
using namespace tilerun::test;
using llvm::StringRef;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

std::string KernelCase::name() const {
  return llvm::sys::path::stem(file).str() + "_" + kernel + "_" + std::to_string(number);
}

std::string KernelCase::line() const {
  std::string text = file + "::" + kernel;
  for (auto &[name, value] : values)
    text += " " + name + "=" + value;
  return text + " --grid " + std::to_string(grid) + " --num-warps " + std::to_string(numWarps) +
         " --num-stages " + std::to_string(numStages) + " --operands-across-k " +
         distribute::toString(acrossK).str() + " --num-ctas " + std::to_string(numCtas);
}

void test::PrintTo(const KernelCase &testCase, std::ostream *os) { *os << testCase.line(); }

//===----------------------------------------------------------------------===//
// Reading the files
//===----------------------------------------------------------------------===//

std::vector<KernelCase> test::loadKernelCases() {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(TILERUN_SOURCE_DIR "/tests/kernels", error), end;
       it != end && !error; it.increment(error))
    if (StringRef(it->path()).ends_with(".py"))
      files.push_back(it->path());
  llvm::sort(files);
  std::vector<KernelCase> cases;
  for (const std::string &file : files) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    if (!buffer)
      continue;
    llvm::SmallVector<StringRef> lines;
    (*buffer)->getBuffer().split(lines, '\n');
    size_t pending = cases.size();
    for (StringRef line : lines) {
      if (line.consume_front("#:")) {
        KernelCase next;
        next.file = file;
        llvm::SmallVector<StringRef> words;
        line.split(words, ' ', -1, /*KeepEmpty=*/false);
        for (size_t i = 0; i < words.size(); ++i) {
          if (words[i] == "--grid" && i + 1 < words.size())
            words[++i].getAsInteger(10, next.grid);
          else if (words[i] == "--num-warps" && i + 1 < words.size())
            words[++i].getAsInteger(10, next.numWarps);
          else if (words[i] == "--num-stages" && i + 1 < words.size())
            words[++i].getAsInteger(10, next.numStages);
          else if (words[i] == "--num-ctas" && i + 1 < words.size())
            words[++i].getAsInteger(10, next.numCtas);
          else if (words[i] == "--operands-across-k" && i + 1 < words.size())
            next.acrossK = distribute::parseAcrossK(words[++i]).value();
          else
            next.values.emplace_back(words[i].split('=').first.str(),
                                     words[i].split('=').second.str());
        }
        cases.push_back(std::move(next));
      } else if (line.consume_front("def ")) {
        for (unsigned number = 0; pending < cases.size(); ++pending) {
          cases[pending].kernel = line.split('(').first.str();
          cases[pending].number = number++;
        }
      }
    }
  }
  return cases;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static mlir::Type floatType(DType type) {
  static mlir::MLIRContext *context = [] {
    auto *result = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    result->loadDialect<tile::TileDialect>();
    return result;
  }();
  return lang::getMlirType(context, type);
}

unsigned TensorArgument::elementBytes() const { return std::max(1u, element.getBits() / 8); }

double TensorArgument::at(size_t i) const {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + i * elementBytes(), elementBytes());
  if (element.isFloat())
    return toDouble(word, floatType(element));
  if (element.isSigned()) {
    unsigned shift = 64 - 8 * elementBytes();
    return double(int64_t(word << shift) >> shift);
  }
  return double(word);
}

static llvm::Expected<TensorArgument> makeTensor(StringRef name, StringRef text) {
  TensorArgument tensor;
  tensor.name = name.str();
  auto [head, contents] = text.split(':');
  auto [type, sizes] = head.split('[');
  std::optional<DType> element = parseDType(type);
  if (!element && type.starts_with("f8"))
    element = parseDType("fp" + type.drop_front().str());
  if (!element)
    return makeError("unknown element type '" + type + "'");
  tensor.element = *element;
  size_t count = 1;
  llvm::SmallVector<StringRef> dims;
  sizes.rtrim(']').split(dims, ',');
  for (StringRef dim : dims) {
    size_t size = 0;
    if (dim.getAsInteger(10, size))
      return makeError("bad size '" + dim + "'");
    count *= size;
  }
  unsigned bytes = tensor.elementBytes();
  tensor.bytes.assign(count * bytes, 0);
  auto [kind, rest] = contents.split('(');
  llvm::SmallVector<StringRef> words;
  rest.rtrim(')').split(words, ',');
  llvm::SmallVector<double> numbers;
  for (StringRef word : words) {
    double number = 0;
    word.getAsDouble(number);
    numbers.push_back(number);
  }
  numbers.resize(3);
  std::mt19937_64 engine(uint64_t(kind == "randint" ? numbers[2] : numbers[0]));
  std::normal_distribution<double> normal;
  for (size_t i = 0; i < count; ++i) {
    double value = 0;
    if (kind == "randn")
      value = normal(engine);
    else if (kind == "randint")
      value = numbers[0] + double(engine() % uint64_t(numbers[1] - numbers[0]));
    else if (kind == "arange")
      value = double(i);
    else if (kind == "full")
      value = numbers[0];
    else if (kind != "zeros" && kind != "empty")
      return makeError("unknown contents '" + kind + "'");
    uint64_t word = element->isFloat()                ? fromDouble(value, floatType(*element))
                    : element->scalar == Scalar::Int1 ? uint64_t(value != 0)
                                                      : uint64_t(int64_t(value));
    std::memcpy(tensor.bytes.data() + i * bytes, &word, bytes);
  }
  return tensor;
}

llvm::Expected<PreparedCase> test::prepare(const KernelCase &testCase) {
  PreparedCase prepared;
  KernelSignature signature;
  signature.numWarps = testCase.numWarps;
  std::map<std::string, PreparedCase::Argument> byName;
  // Capital names of numbers are meta-parameters, as everywhere in these files.
  for (auto &[name, value] : testCase.values) {
    PreparedCase::Argument argument;
    if (StringRef(value).contains('[')) {
      llvm::Expected<TensorArgument> tensor = makeTensor(name, value);
      if (!tensor)
        return tensor.takeError();
      argument.tensor = int(prepared.tensors.size());
      signature.arguments[name] = TypedArgument{tensor->element.getPointerTo(), 16};
      prepared.tensors.push_back(std::move(*tensor));
    } else if (int64_t integer; !StringRef(value).getAsInteger(10, integer)) {
      argument.bits = uint64_t(integer);
      bool isMeta = llvm::all_of(name, [](char c) { return !llvm::isLower(c); });
      signature.arguments[name] =
          isMeta ? ArgumentSpec(ConstantArgument{integer}) : specializeInteger(integer, false);
    } else if (double number; !StringRef(value).getAsDouble(number)) {
      argument.number = number;
      argument.isFloat = true;
      signature.arguments[name] = TypedArgument{*parseDType("fp32"), 1};
    } else if (std::optional<DType> type = parseDType(value)) {
      signature.arguments[name] = ConstantArgument{*type};
    } else {
      return makeError("cannot read '" + name + "=" + value + "'");
    }
    byName[name] = argument;
  }
  Frontend frontend;
  prepared.context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  nvptx::registerDialects(registry);
  prepared.context->appendDialectRegistry(registry);
  prepared.context->loadAllAvailableDialects();
  LoadedModule *module = frontend.loadFile(testCase.file);
  auto compiled = module ? frontend.compile(*module, testCase.kernel, signature, *prepared.context)
                         : mlir::FailureOr<CompiledKernel>(mlir::failure());
  if (mlir::failed(compiled)) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    frontend.getDiagnostics().print(stream, false);
    return makeError(out);
  }
  prepared.kernel = std::move(*compiled);
  for (const CompiledParameter &parameter : prepared.kernel.parameters)
    prepared.arguments.push_back(byName[parameter.name]);
  mlir::PassManager passes(prepared.context.get());
  buildOptimizePipeline(passes);
  if (mlir::failed(passes.run(*prepared.kernel.module)))
    return makeError("the optimizer fails");
  return prepared;
}

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<TensorArgument>> test::interpret(PreparedCase &prepared, uint64_t grid) {
  auto program =
      interp::loadProgram(tile::writeModule(*prepared.kernel.module), prepared.kernel.name);
  if (!program)
    return program.takeError();
  interp::Heap heap(uint64_t(1) << 30);
  std::vector<uint64_t> addresses;
  for (const TensorArgument &tensor : prepared.tensors) {
    auto address = heap.allocate(tensor.bytes.size(), tensor.name);
    if (!address)
      return address.takeError();
    if (llvm::Error error = heap.copyIn(*address, tensor.bytes))
      return error;
    addresses.push_back(*address);
  }
  std::vector<interp::LaunchArgument> arguments;
  using Kind = interp::LaunchArgument::Kind;
  for (const PreparedCase::Argument &argument : prepared.arguments)
    arguments.push_back(
        argument.tensor >= 0 ? interp::LaunchArgument{Kind::Pointer, addresses[argument.tensor]}
        : argument.isFloat
            ? interp::LaunchArgument{Kind::Float, std::bit_cast<uint64_t>(argument.number)}
            : interp::LaunchArgument{Kind::Integer, argument.bits});
  interp::LaunchOptions options;
  options.grid = {grid, 1, 1};
  options.numThreads = 1;
  auto result = interp::launchProgram(**program, heap, arguments, options);
  if (!result)
    return result.takeError();
  std::vector<TensorArgument> tensors = prepared.tensors;
  for (auto [tensor, address] : llvm::zip(tensors, addresses))
    if (llvm::Error error = heap.copyOut(tensor.bytes, address))
      return error;
  return tensors;
}

std::string test::compare(const std::vector<TensorArgument> &expected,
                          const std::vector<TensorArgument> &got) {
  for (auto [want, have] : llvm::zip(expected, got)) {
    double tolerance = 0;
    if (want.element.isFloat()) {
      unsigned bits = want.element.getBits();
      tolerance = want.element.scalar == Scalar::BF16 ? 2e-2
                  : bits == 64                        ? 1e-12
                  : bits == 32                        ? 3e-5
                  : bits == 16                        ? 4e-3
                                                      : 0;
    }
    for (size_t i = 0; i < want.size(); ++i) {
      double x = want.at(i), y = have.at(i);
      if (x == y || (std::isnan(x) && std::isnan(y)) ||
          std::fabs(x - y) <= tolerance * std::max(1.0, std::fabs(x)))
        continue;
      return "element " + std::to_string(i) + " of " + want.name + " is " + std::to_string(y) +
             " instead of " + std::to_string(x);
    }
  }
  return "";
}
