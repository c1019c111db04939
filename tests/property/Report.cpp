// A kernel, its arguments and the commands that run it.
#include "tests/property/Report.h"

#include "tests/matrix/Data.h"
#include "tools/tilerun/host/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilerun;
using namespace tilerun::property;

static std::string write(const std::string &path, llvm::StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return "cannot write '" + path + "': " + error.message();
  os << bytes;
  return "";
}

std::string property::writeReproducer(const Kernel &kernel, const matrix::Result &result,
                                      const std::string &folder, uint64_t dataSeed,
                                      std::string &reason) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder)) {
    reason = "cannot make '" + folder + "': " + error.message();
    return "";
  }
  matrix::Cell cell = makeCell(kernel);
  std::string stem = folder + "/kernel-" + std::to_string(kernel.seed), path = stem + ".py";
  std::string arguments, saved, expected;
  for (const matrix::TensorArgument &argument : cell.tensors) {
    std::string count = std::to_string(argument.count), name = argument.name;
    std::string type = argument.type.signature();
    arguments += " " + name + "=" + type;
    std::vector<uint8_t> bytes = matrix::makeContents(cell, argument, dataSeed);
    auto tensor = host::Tensor::create(argument.type, {argument.count});
    if (!tensor) {
      reason = llvm::toString(tensor.takeError());
      return "";
    }
    // Bools that nothing wrote hold any byte, which a file cannot express.
    if (argument.type.isBool() && argument.isOutput) {
      arguments += "[" + count + "]:zeros";
    } else {
      llvm::copy(bytes, tensor->storage->bytes().begin() + ptrdiff_t(tensor->offset));
      std::string file = stem + "." + name + ".npy";
      std::vector<uint8_t> npy = host::formatNpy(*tensor);
      reason = write(file, llvm::StringRef(reinterpret_cast<const char *>(npy.data()), npy.size()));
      if (!reason.empty())
        return "";
      arguments += "@" + file;
    }
    if (argument.isOutput) {
      saved += " --save " + name + "=" + stem + "." + name + ".expected.npy";
      expected += " --expect " + name + "=" + stem + "." + name + ".expected.npy";
    }
  }
  for (const matrix::ScalarArgument &scalar : cell.scalars)
    arguments +=
        " " + scalar.name + "=" +
        (scalar.type.isFloat() ? std::to_string(scalar.number) : std::to_string(scalar.integer));
  arguments +=
      " --grid " + std::to_string(kernel.grid) + " --num-warps " + std::to_string(kernel.numWarps);

  llvm::StringRef first = llvm::StringRef(result.text).split(' ').first;
  first.consume_back(":");
  bool isDevice = first.contains(':');
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(result.text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef each : lines)
    os << "# " << each << "\n";
  os << "#\n# What it should give, and what it gives:\n"
     << "# tilerun run " << path << "::kernel" << arguments << " --no-optimize" << saved << "\n"
     << "# tilerun run " << path << "::kernel" << arguments
     << (isDevice ? " --device " + first.str() : "") << expected << "\n";
  if (kernel.unaligned)
    os << "# (It was run with arguments that are aligned to one element alone.)\n";
  os << "\n" << cell.source;
  reason = write(path, text);
  return reason.empty() ? path : "";
}
