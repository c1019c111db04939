// Comparison and printing of tensors.
#include "tools/tilerun/host/Compare.h"

#include "tools/tilerun/host/Value.h"

#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace tilerun;
using namespace tilerun::host;

Tolerance host::getDefaultTolerance(DType dtype) {
  if (!dtype.isFloat())
    return {};
  switch (dtype.scalar) {
  case Scalar::F64:
    return {1e-10, 1e-12};
  case Scalar::F32:
    return {1e-4, 1e-5};
  case Scalar::F16:
    return {1e-2, 1e-3};
  case Scalar::BF16:
    return {2e-2, 1e-2};
  case Scalar::F8E5:
  case Scalar::F8E5B16:
    return {0.25, 0.03};
  default:
    return {0.125, 0.02};
  }
}

std::string host::formatElement(double value, DType dtype) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  // Every float format but float64 is exact in float32, whose shortest text is what users expect.
  auto end = dtype.scalar == Scalar::F64 || dtype.isInt()
                 ? std::to_chars(buffer, buffer + sizeof buffer, value)
                 : std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value));
  return std::string(buffer, end.ptr);
}

static std::string formatAt(const Tensor &tensor, uint64_t byteOffset) {
  const uint8_t *bytes = tensor.storage->bytes().data() + byteOffset;
  if (tensor.dtype.isInt())
    return formatInteger(loadInteger(bytes, tensor.dtype.scalar));
  return formatElement(loadElement(bytes, tensor.dtype.scalar), tensor.dtype);
}

static std::string formatExact(double value) { return formatElement(value, dtype(Scalar::F64)); }

void host::forEachError(const Tensor &got, const Array &expected, Tolerance tolerance,
                        llvm::function_ref<void(const ElementError &)> each) {
  const uint8_t *bytes = got.storage->bytes().data();
  got.forEach([&](int64_t i, uint64_t at) {
    const double g = loadElement(bytes + at, got.dtype.scalar), e = expected.data[i];
    if (std::isfinite(g) && std::isfinite(e)) {
      const double error = std::fabs(g - e);
      each({i, at, error, error <= tolerance.atol + tolerance.rtol * std::fabs(e)});
    } else {
      const bool matches = (std::isnan(g) && std::isnan(e)) || g == e;
      each({i, at, matches ? 0 : std::numeric_limits<double>::infinity(), matches});
    }
  });
}

void host::forEachError(const Tensor &got, const Tensor &expected,
                        llvm::function_ref<void(const ElementError &)> each) {
  for (int64_t i = 0, count = got.numElements(); i < count; ++i) {
    const uint64_t at = got.getByteOffset(i), expectedAt = expected.getByteOffset(i);
    const Integer g = loadInteger(got.storage->bytes().data() + at, got.dtype.scalar);
    const Integer e =
        loadInteger(expected.storage->bytes().data() + expectedAt, expected.dtype.scalar);
    each({i, at, std::fabs(static_cast<double>(g - e)), g == e});
  }
}

Comparison host::compareTensor(const Tensor &got, const Array &expected, Tolerance tolerance) {
  Comparison out;
  out.count = expected.numElements();
  double squares = 0;
  int64_t finite = 0;
  for (double e : expected.data)
    if (std::isfinite(e)) {
      squares += e * e;
      ++finite;
    }
  double scale = finite ? std::sqrt(squares / static_cast<double>(finite)) : 0;
  const uint8_t *bytes = got.storage->bytes().data();
  forEachError(got, expected, tolerance, [&](const ElementError &element) {
    const double e = expected.data[element.position];
    if (std::isfinite(element.error)) {
      out.maxAbsError = std::max(out.maxAbsError, element.error);
      if (element.error != 0)
        out.maxRelError = std::max(out.maxRelError, element.error / std::max(std::fabs(e), scale));
    }
    if (element.matches)
      return;
    const double g = loadElement(bytes + element.at, got.dtype.scalar);
    const bool isNan = std::isnan(g) || std::isnan(e);
    out.nans += isNan;
    out.infinities += !isNan && (std::isinf(g) || std::isinf(e));
    if (!out.mismatches++) {
      out.first = element.position;
      out.got = formatAt(got, element.at);
      out.expected = formatExact(e);
    }
  });
  return out;
}

Comparison host::compareIntegers(const Tensor &got, const Tensor &expected) {
  Comparison out;
  out.count = got.numElements();
  forEachError(got, expected, [&](const ElementError &element) {
    if (element.matches)
      return;
    const Integer e =
        loadInteger(expected.storage->bytes().data() + expected.getByteOffset(element.position),
                    expected.dtype.scalar);
    out.maxAbsError = std::max(out.maxAbsError, element.error);
    out.maxRelError =
        std::max(out.maxRelError, element.error / std::max(1.0, std::fabs(static_cast<double>(e))));
    if (!out.mismatches++) {
      out.first = element.position;
      out.got = formatAt(got, element.at);
      out.expected = formatInteger(e);
    }
  });
  return out;
}

/// Prints one dimension; `at` is the byte offset of its first element.
static void printDimension(llvm::raw_ostream &os, const Tensor &tensor, size_t dim, uint64_t at) {
  constexpr int64_t kEdge = 3, kMost = 12;
  if (dim == tensor.shape.size()) {
    os << formatAt(tensor, at);
    return;
  }
  int64_t size = tensor.shape[dim];
  bool innermost = dim + 1 == tensor.shape.size();
  os << '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i) {
      if (innermost)
        os << ", ";
      else
        (os << ",\n").indent(static_cast<unsigned>(dim) + 1);
    }
    if (size > kMost && i == kEdge) {
      os << "...";
      i = size - kEdge - 1;
      continue;
    }
    printDimension(os, tensor, dim + 1,
                   at + static_cast<uint64_t>(i * tensor.strides[dim]) * tensor.elementBytes());
  }
  os << ']';
}

std::string host::formatCsv(const Tensor &tensor) {
  const int64_t columns = tensor.shape.size() == 2 ? tensor.shape[1] : 1;
  std::string text;
  tensor.forEach([&](int64_t position, uint64_t at) {
    text += formatAt(tensor, at);
    text += (position + 1) % columns ? ',' : '\n';
  });
  return text;
}

void host::printTensor(llvm::raw_ostream &os, const Tensor &tensor) {
  printDimension(os, tensor, 0, tensor.offset);
}
