// Writes arguments and the results of the host-compiled expansions, as .npy files: a device
// that carries out the same IEEE operations must give the same bits.
// Usage: math_values FOLDER COUNT
#include "tests/ir/math/Compiled.h"
#include "tests/ir/math/Functions.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <bit>
#include <random>

using namespace tilerun::harness;

template <class F>
static llvm::Error writeArray(const std::string &path, const std::vector<F> &values) {
  std::error_code code;
  llvm::raw_fd_ostream out(path, code);
  if (code)
    return llvm::createStringError(code, "cannot write '%s'", path.c_str());
  std::string header = "{'descr': '<f" + std::to_string(sizeof(F)) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) +
                       ",), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  out << "\x93NUMPY" << '\x01' << '\x00' << char(header.size() & 255) << char(header.size() >> 8)
      << header;
  out.write(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(F));
  return llvm::Error::success();
}

/// In turn: any bits, numbers of moderate size, numbers in [-1, 1], numbers close to 1; special
/// values at the end.
template <class F> static std::vector<F> makeArguments(size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> moderate(-20, 20), small(-1, 1);
  std::vector<F> values;
  for (size_t i = 0; i < count; ++i) {
    switch (i % 4) {
    case 0:
      values.push_back(sizeof(F) == 4 ? F(std::bit_cast<float>(uint32_t(random())))
                                      : F(std::bit_cast<double>(random())));
      break;
    case 1:
      values.push_back(F(moderate(random)));
      break;
    case 2:
      values.push_back(F(small(random)));
      break;
    default:
      values.push_back(F(1 + small(random) / 2));
    }
  }
  const std::vector<F> special = specialValues<F>();
  for (size_t i = 0; i < special.size() && i < count; ++i)
    values[count - 1 - i] = special[(i * seed) % special.size()];
  return values;
}

template <class F>
static llvm::Error writeAll(const std::string &folder, const char *type, size_t count) {
  const std::vector<F> a = makeArguments<F>(count, 1), b = makeArguments<F>(count, 7);
  if (llvm::Error error = writeArray(folder + "/a." + type + ".npy", a))
    return error;
  if (llvm::Error error = writeArray(folder + "/b." + type + ".npy", b))
    return error;
  for (const MathFunction &function : mathFunctions()) {
    auto op = CompiledOp::compile(function.op, function.composed, type, function.operands, {});
    if (!op)
      return op.takeError();
    if (llvm::Error error =
            writeArray(folder + "/" + function.name + "." + type + ".npy", (*op)->run(a, b)))
      return error;
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  size_t count = 0;
  if (argc != 3 || llvm::StringRef(argv[2]).getAsInteger(10, count) || count % 16) {
    llvm::errs() << "usage: math_values FOLDER COUNT, a count of a multiple of 16\n";
    return 2;
  }
  if (std::error_code code = llvm::sys::fs::create_directories(argv[1])) {
    llvm::errs() << "error: cannot make '" << argv[1] << "': " << code.message() << "\n";
    return 1;
  }
  llvm::Error error = writeAll<float>(argv[1], "f32", count);
  if (!error)
    error = writeAll<double>(argv[1], "f64", count);
  if (!error)
    return 0;
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return 1;
}
