// The steps between a cell's text and its results.
#include "tests/matrix/Launch.h"

#include "frontend/Frontend.h"
#include "ir/tile/ModuleBytes.h"
#include "ir/tile/RegisterDialects.h"
#include "runtime/compiler/Backend.h"
#include "tests/matrix/Data.h"
#include "tests/matrix/Tolerance.h"
#include "tools/tilerun/host/Element.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <cmath>

using namespace tilerun;
using namespace tilerun::matrix;

static constexpr size_t kGuard = 256; ///< Bytes on each side of a tensor.

static uint8_t getGuardByte(size_t i) { return static_cast<uint8_t>(0xC3 ^ (i * 7)); }

mlir::DialectRegistry matrix::makeDialects() {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

std::string matrix::optimize(mlir::ModuleOp module) {
  core::Status status = compiler::optimize(module, "kernel", {});
  return status.isOk() ? "" : status.getMessage();
}

std::string matrix::optimize(const Request &request, std::vector<uint8_t> &out) {
  mlir::MLIRContext context(makeDialects(), mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      tile::readModule(llvm::toStringRef(request.bytecode), &context);
  if (!module)
    return "the module cannot be read";
  std::string error = optimize(*module);
  if (error.empty())
    out = tile::writeModule(*module);
  return error;
}

std::string matrix::compileModule(const Cell &cell, bool wide, llvm::StringRef languageTarget,
                                  mlir::MLIRContext &context, CompiledKernel &out) {
  Frontend frontend;
  auto fail = [&](const std::string &what) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << what << "\n";
    frontend.getDiagnostics().print(os, /*color=*/false);
    return text;
  };
  LoadedModule *module = frontend.loadText("matrix.py", wide ? cell.wideSource : cell.source);
  if (!module)
    return fail("the kernel cannot be parsed");
  KernelSignature signature;
  for (const TensorArgument &argument : cell.tensors) {
    DType element = wide && isWidened(argument.type) ? dtype(Scalar::F64) : argument.type;
    TypedArgument typed{element.getPointerTo(), cell.unaligned ? 1 : 16};
    if (argument.descriptor) {
      typed.block = argument.descriptor->block;
      typed.padsWithNan = argument.descriptor->padsWithNan;
    }
    signature.arguments[argument.name] = std::move(typed);
  }
  for (const ScalarArgument &argument : cell.scalars) {
    DType scalar = wide && argument.type.isFloat() ? dtype(Scalar::F64) : argument.type;
    bool isMultiple = scalar.isInt() && !scalar.isBool() && argument.integer % 16 == 0;
    signature.arguments[argument.name] = TypedArgument{scalar, isMultiple ? 16 : 1};
  }
  signature.numWarps = cell.numWarps;
  signature.numStages = cell.numStages;
  signature.debug = cell.debug;
  signature.target = languageTarget.str();
  mlir::FailureOr<CompiledKernel> compiled =
      frontend.compile(*module, "kernel", signature, context);
  if (mlir::failed(compiled))
    return fail("the frontend refuses the kernel");
  out = std::move(*compiled);
  return "";
}

std::string matrix::compileCell(const Cell &cell, bool wide, llvm::StringRef languageTarget,
                                mlir::MLIRContext &context, CompiledCell &out) {
  CompiledKernel compiled;
  std::string error = compileModule(cell, wide, languageTarget, context, compiled);
  if (!error.empty())
    return error;
  out = {tile::writeModule(*compiled.module), compiled.parameters, compiled.name};
  return "";
}

Memory matrix::makeMemory(const Cell &cell, uint64_t seed, bool wide) {
  Memory memory;
  for (const TensorArgument &argument : cell.tensors) {
    std::vector<uint8_t> contents = makeContents(cell, argument, seed);
    if (wide && isWidened(argument.type))
      contents = widen(argument, contents);
    // One element off, where alignment is not promised.
    size_t shift = cell.unaligned ? host::getElementBytes(argument.type) : 0;
    if (wide)
      shift = 0;
    std::vector<uint8_t> buffer(kGuard + shift + contents.size() + kGuard);
    for (size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = getGuardByte(i);
    std::copy(contents.begin(), contents.end(), buffer.begin() + ptrdiff_t(kGuard + shift));
    memory.offsets.push_back(kGuard + shift);
    memory.sizes.push_back(contents.size());
    memory.buffers.push_back(std::move(buffer));
  }
  return memory;
}

static bool isLikeFloat32(DType type) {
  return type == dtype(Scalar::F32) || type == dtype(Scalar::BF16);
}

bool matrix::mayTakeSubnormalsForZeros(const Cell &cell) {
  bool isMove = cell.tolerance.rule == Rule::Bits &&
                llvm::any_of(cell.tensors, [](const TensorArgument &argument) {
                  return argument.isOutput && argument.type.isFloat();
                });
  return !isMove && llvm::any_of(cell.tensors, [](const TensorArgument &argument) {
    return isLikeFloat32(argument.type);
  });
}

void matrix::flushSubnormals(const Cell &cell, Memory &memory, bool wide) {
  for (auto [i, argument] : llvm::enumerate(cell.tensors)) {
    if (!isLikeFloat32(argument.type))
      continue;
    Scalar scalar = wide ? Scalar::F64 : argument.type.scalar;
    size_t size = memory.sizes[i] / static_cast<size_t>(argument.count);
    uint8_t *bytes = memory.buffers[i].data() + memory.offsets[i];
    for (uint8_t *at = bytes; at != bytes + memory.sizes[i]; at += size) {
      double value = host::loadElement(at, scalar);
      if (std::fabs(value) < getSmallestNormal(argument.type))
        host::storeElement(at, scalar, std::copysign(0.0, value));
    }
  }
}

// The value that a launch passes for `name`, if that is a size or a stride of the tensor's
// descriptor.
static std::optional<int64_t> findDescriptorPart(const TensorArgument &tensor,
                                                 llvm::StringRef name) {
  unsigned dimension = 0;
  if (!tensor.descriptor || !name.consume_front(tensor.name))
    return std::nullopt;
  if (name.consume_front(".shape.") && !name.getAsInteger(10, dimension))
    return tensor.descriptor->shape[dimension];
  if (name.consume_front(".stride.") && !name.getAsInteger(10, dimension))
    return tensor.descriptor->strides[dimension];
  return std::nullopt;
}

std::vector<RunArgument> matrix::makeArguments(const Cell &cell, const CompiledCell &compiled,
                                               const Memory &memory) {
  std::vector<RunArgument> out;
  for (const CompiledParameter &parameter : compiled.parameters) {
    RunArgument argument;
    for (size_t i = 0; i < cell.tensors.size(); ++i) {
      if (cell.tensors[i].name == parameter.name) {
        argument.buffer = static_cast<int>(i);
        argument.offset = memory.offsets[i];
      } else if (auto part = findDescriptorPart(cell.tensors[i], parameter.name)) {
        argument.bits = static_cast<uint64_t>(*part);
      }
    }
    for (const ScalarArgument &scalar : cell.scalars)
      if (scalar.name == parameter.name) {
        argument.isFloat = scalar.type.isFloat();
        argument.bits = argument.isFloat ? std::bit_cast<uint64_t>(scalar.number)
                                         : static_cast<uint64_t>(scalar.integer);
      }
    out.push_back(argument);
  }
  return out;
}

std::string matrix::checkGuards(const Cell &cell, const Memory &before, const Memory &after) {
  for (size_t i = 0; i < cell.tensors.size(); ++i) {
    const TensorArgument &argument = cell.tensors[i];
    for (size_t at = 0; at < before.buffers[i].size(); ++at) {
      bool inside = at >= before.offsets[i] && at < before.offsets[i] + before.sizes[i];
      if (before.buffers[i][at] == after.buffers[i][at] || (inside && argument.isOutput))
        continue;
      int64_t byte = int64_t(at) - int64_t(before.offsets[i]);
      if (inside)
        return "'" + argument.name + "' is an input, but its byte " + std::to_string(byte) +
               " was written";
      return "a write outside of '" + argument.name + "', at byte " + std::to_string(byte) +
             " of " + std::to_string(before.sizes[i]);
    }
  }
  return "";
}
