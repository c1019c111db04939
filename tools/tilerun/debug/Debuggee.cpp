// See Debuggee.h.
#include "tools/tilerun/debug/Debuggee.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cstring>

using namespace tilerun;
using namespace tilerun::debug;
using interp::LaunchArgument;

llvm::Expected<uint64_t> Debuggee::upload(const host::Tensor &tensor) {
  const host::Storage *storage = tensor.storage.get();
  if (auto known = addresses.find(storage); known != addresses.end())
    return known->second;
  llvm::ArrayRef<uint8_t> bytes = storage->bytes();
  TILERUN_TRY_VALUE(address, heap.allocate(std::max<size_t>(1, bytes.size()), "argument"));
  // All bits set are a NaN in every format: what was never written is seen where it is used.
  if (tensor.poisoned) {
    const uint8_t unwritten = 0xFF;
    TILERUN_TRY_ERROR(heap.fill(address, unwritten, bytes.size()));
  } else {
    TILERUN_TRY_ERROR(heap.copyIn(address, bytes));
  }
  addresses[storage] = address;
  return address;
}

llvm::Expected<std::unique_ptr<Debuggee>> Debuggee::create(llvm::ArrayRef<uint8_t> bytecode,
                                                           llvm::StringRef kernel,
                                                           const ArgumentValues &values,
                                                           const DebuggeeOptions &options) {
  std::unique_ptr<Debuggee> made(new Debuggee(options));
  TILERUN_TRY_VALUE(loaded, interp::loadProgram(bytecode, kernel));
  made->program = std::move(loaded);
  std::vector<LaunchArgument> launch;
  for (const interp::ArgumentInfo &info : made->program->arguments) {
    auto it = values.find(info.name);
    if (it == values.end())
      return host::makeError("the compiled kernel needs a run-time value for '" + info.name + "'");
    const host::Value &value = it->second;
    if (auto *tensor = value.getIf<host::Tensor>()) {
      TILERUN_TRY_VALUE(base, made->upload(*tensor));
      LaunchArgument &argument =
          launch.emplace_back(LaunchArgument{LaunchArgument::Kind::Pointer, base + tensor->offset});
      argument.memory.hasShape = true;
      argument.memory.shape.assign(tensor->shape.begin(), tensor->shape.end());
      argument.memory.strides.assign(tensor->strides.begin(), tensor->strides.end());
      made->arguments.push_back({info.name, *tensor, base});
    } else if (interp::isFloat(info.type)) {
      launch.push_back(
          {LaunchArgument::Kind::Float, std::bit_cast<uint64_t>(value.asDouble().value_or(0))});
    } else {
      const auto integer = value.isNone() ? host::Integer(0) : value.asInteger().value_or(0);
      launch.push_back({info.type == interp::Dtype::Ptr ? LaunchArgument::Kind::Pointer
                                                        : LaunchArgument::Kind::Integer,
                        static_cast<uint64_t>(integer)});
    }
  }
  std::vector<interp::Execution::Region> regions;
  for (const auto &[storage, address] : made->addresses)
    regions.push_back({address, storage->bytes().size()});
  interp::LaunchOptions settings;
  settings.grid = options.grid;
  settings.debug = options.assertions;
  made->execution = std::make_unique<interp::Execution>(*made->program, made->heap,
                                                        std::move(launch), settings, regions);
  return std::move(made);
}

std::string Debuggee::describeProgram(uint64_t linear) const {
  const auto position = execution->getPosition(linear);
  return llvm::formatv("program ({0}, {1}, {2})", position[0], position[1], position[2]).str();
}

llvm::Expected<interp::Recording> Debuggee::record(uint64_t linear) {
  return execution->record(linear, options.record);
}

llvm::Expected<interp::LaunchResult> Debuggee::observe(interp::StepObserver &observer,
                                                       const interp::CheckOptions &checks) {
  return execution->observe(observer, checks);
}

const Debuggee::Argument *Debuggee::findArgument(llvm::StringRef name) const {
  auto it = llvm::find_if(arguments, [&](const Argument &a) { return a.name == name; });
  return it == arguments.end() ? nullptr : &*it;
}

llvm::Expected<host::Tensor>
Debuggee::read(const Argument &argument, const interp::Recording *recording, size_t moment) const {
  host::Tensor tensor = argument.tensor;
  const size_t bytes = argument.tensor.storage->bytes().size();
  TILERUN_TRY_VALUE(storage, host::Storage::create(bytes));
  static const interp::Recording kNothing;
  execution->read(recording ? *recording : kNothing, moment, argument.base, storage->bytes());
  tensor.storage = std::move(storage);
  tensor.poisoned = false;
  return tensor;
}

bool Debuggee::wasGiven(uint64_t address, interp::Dtype type) const {
  std::array<uint8_t, 8> first{}, now{};
  const size_t bytes = interp::sizeOf(type);
  execution->readFirst(address, llvm::MutableArrayRef(first).take_front(bytes));
  std::memcpy(now.data(), reinterpret_cast<const void *>(address), bytes);
  return first == now;
}

std::string Debuggee::describeAddress(uint64_t address) const {
  for (const Argument &argument : arguments) {
    const uint64_t begin = argument.base + argument.tensor.offset;
    const unsigned size = argument.tensor.elementBytes();
    const auto [first, end] = argument.tensor.getByteRange();
    if (address < argument.base + first || address >= argument.base + end)
      continue;
    const uint64_t distance = address - begin;
    if (argument.tensor.isContiguous() && distance % size == 0)
      return argument.name + host::formatIndex(host::unravel(static_cast<int64_t>(distance / size),
                                                             argument.tensor.shape));
    return argument.name + " + " + std::to_string(distance) + " bytes";
  }
  return llvm::formatv("{0:x}", address).str();
}

/// A compile-time value as Python writes it.
static host::Value parseConstant(llvm::StringRef text) {
  int64_t integer = 0;
  double number = 0;
  if (text == "None")
    return host::Value();
  if (text == "True" || text == "False")
    return host::Value(text == "True");
  if (!text.getAsInteger(10, integer))
    return host::Value::integer(integer);
  if (!text.getAsDouble(number))
    return host::Value(number);
  return host::Value(text.str());
}

llvm::Expected<host::Value> Debuggee::toValue(const interp::Assignment &assignment) {
  if (!assignment.bytes)
    return parseConstant(assignment.getText());
  std::optional<DType> dtype = parseDType(assignment.getText());
  if (!dtype)
    return host::makeError("the type '" + assignment.getText() + "' cannot be shown");
  if (dtype->isPointer())
    dtype = tilerun::dtype(Scalar::UInt64);
  const auto *bytes = reinterpret_cast<const uint8_t *>(assignment.bytes->data());
  if (assignment.step->shape.empty()) {
    if (dtype->isBool())
      return host::Value(*bytes != 0);
    if (dtype->isInt())
      return host::Value::integer(host::loadInteger(bytes, dtype->scalar));
    return host::Value(host::loadElement(bytes, dtype->scalar));
  }
  TILERUN_TRY_VALUE(tensor, host::Tensor::create(*dtype, assignment.step->shape));
  std::memcpy(tensor.storage->bytes().data(), bytes, assignment.bytes->size());
  return host::Value(tensor);
}

llvm::Expected<uint64_t> debug::parseProgram(llvm::StringRef text,
                                             const std::array<uint64_t, 3> &grid) {
  const uint64_t programs = grid[0] * grid[1] * grid[2];
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, ',');
  std::array<uint64_t, 3> position{};
  bool isNumber = parts.size() <= 3;
  for (size_t axis = 0; axis < parts.size() && isNumber; ++axis)
    isNumber = !parts[axis].trim().getAsInteger(10, position[axis]);
  if (!isNumber)
    return host::makeError("'" + text +
                           "' does not name a program; write its number, such as 2, "
                           "or its position, such as 2,0,1");
  bool isInside = position[0] < (parts.size() == 1 ? programs : grid[0]);
  for (size_t axis = 1; axis < parts.size(); ++axis)
    isInside &= position[axis] < grid[axis];
  if (!isInside)
    return host::makeError("program " + text + " does not exist; the grid is " +
                           llvm::Twine(grid[0]) + "x" + llvm::Twine(grid[1]) + "x" +
                           llvm::Twine(grid[2]) + ", numbered from 0");
  return position[0] + grid[0] * (position[1] + grid[1] * position[2]);
}
