// Allocation, indexing and conversion of host tensors and float64 arrays.
#include "tools/tilerun/host/Tensor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <unistd.h>

using namespace tilerun;
using namespace tilerun::host;

llvm::Error host::makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

uint64_t host::getMaxTensorBytes() {
  static const uint64_t limit = [] {
    long pages = sysconf(_SC_PHYS_PAGES), pageBytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || pageBytes <= 0)
      return uint64_t{1} << 32;
    return static_cast<uint64_t>(pages) * static_cast<uint64_t>(pageBytes) / 4 * 3;
  }();
  return limit;
}

llvm::Expected<int64_t> host::countElements(llvm::ArrayRef<int64_t> shape, uint64_t elementBytes) {
  if (shape.size() > kMaxRank)
    return makeError("a tensor of rank " + llvm::Twine(shape.size()) + "; at most " +
                     llvm::Twine(kMaxRank) + " dimensions are supported");
  uint64_t limit = getMaxTensorBytes() / std::max<uint64_t>(elementBytes, 1);
  for (int64_t dim : shape)
    if (dim < 0)
      return makeError("a negative dimension in shape " + formatIndex(shape));
  // Zero dimensions count as one here, so that products of any dimensions stay in range.
  uint64_t count = 1;
  for (int64_t dim : shape)
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(std::max<int64_t>(dim, 1)), &count) ||
        count > limit)
      return makeError("shape " + formatIndex(shape) + " needs more than " +
                       llvm::Twine(getMaxTensorBytes() >> 20) + " MiB, the limit on this machine");
  return llvm::is_contained(shape, 0) ? 0 : static_cast<int64_t>(count);
}

std::string host::formatIndex(llvm::ArrayRef<int64_t> index) {
  return "[" +
         llvm::join(llvm::map_range(index, [](int64_t d) { return std::to_string(d); }), ", ") +
         "]";
}

Shape host::unravel(int64_t position, llvm::ArrayRef<int64_t> shape) {
  Shape index(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

Shape host::contiguousStrides(llvm::ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<int64_t>(shape[d], 1);
  return strides;
}

llvm::Expected<std::shared_ptr<Storage>> Storage::create(uint64_t bytes) {
  auto *data = static_cast<uint8_t *>(std::calloc(std::max<uint64_t>(bytes, 1), 1));
  if (!data)
    return makeError("out of memory: " + llvm::Twine(bytes) + " bytes for a tensor");
  return std::shared_ptr<Storage>(new Storage(data, bytes));
}

llvm::Expected<Tensor> Tensor::create(DType dtype, llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> strides) {
  uint64_t elementBytes = getElementBytes(dtype);
  TILERUN_TRY_VALUE(count, countElements(shape, elementBytes));
  uint64_t extent = count ? 1 : 0, limit = getMaxTensorBytes() / elementBytes;
  if (count)
    for (auto [dim, stride] : llvm::zip_equal(shape, strides)) {
      uint64_t step;
      if (stride < 0)
        return makeError("a negative stride in " + formatIndex(strides) +
                         "; strides of memory are 0 or more");
      if (__builtin_mul_overflow(static_cast<uint64_t>(dim - 1), static_cast<uint64_t>(stride),
                                 &step) ||
          __builtin_add_overflow(extent, step, &extent) || extent > limit)
        return makeError("shape " + formatIndex(shape) + " with strides " + formatIndex(strides) +
                         " spans more than " + llvm::Twine(getMaxTensorBytes() >> 20) +
                         " MiB, the limit on this machine");
    }
  TILERUN_TRY_VALUE(storage, Storage::create(extent * elementBytes));
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.strides.assign(strides.begin(), strides.end());
  tensor.storage = std::move(storage);
  return tensor;
}

llvm::Expected<Tensor> Tensor::create(DType dtype, llvm::ArrayRef<int64_t> shape) {
  TILERUN_TRY_ERROR(countElements(shape, getElementBytes(dtype)).takeError());
  return create(dtype, shape, contiguousStrides(shape));
}

int64_t Tensor::numElements() const {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

bool Tensor::isContiguous() const {
  if (numElements() == 0)
    return true;
  int64_t expected = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1 && strides[d] != expected)
      return false;
    expected *= shape[d];
  }
  return true;
}

std::pair<uint64_t, uint64_t> Tensor::getByteRange() const {
  if (numElements() == 0)
    return {offset, offset};
  uint64_t last = 0;
  for (auto [dim, stride] : llvm::zip_equal(shape, strides))
    last += static_cast<uint64_t>(dim - 1) * static_cast<uint64_t>(stride);
  return {offset, offset + (last + 1) * elementBytes()};
}

uint64_t Tensor::getByteOffset(int64_t position) const {
  uint64_t at = 0;
  for (auto [i, stride] : llvm::zip_equal(unravel(position, shape), strides))
    at += static_cast<uint64_t>(i) * static_cast<uint64_t>(stride);
  return offset + at * elementBytes();
}

double Tensor::get(int64_t position) const {
  return loadElement(storage->bytes().data() + getByteOffset(position), dtype.scalar);
}

void Tensor::set(int64_t position, double value) {
  storeElement(storage->bytes().data() + getByteOffset(position), dtype.scalar, value);
}

std::string Tensor::describe() const { return dtype.str() + formatIndex(shape); }

llvm::Expected<Array> Array::create(llvm::ArrayRef<int64_t> shape) {
  TILERUN_TRY_VALUE(count, countElements(shape, sizeof(double)));
  Array array;
  array.shape.assign(shape.begin(), shape.end());
  array.data.resize(count);
  return array;
}

llvm::Expected<Array> host::toArray(const Tensor &tensor) {
  TILERUN_TRY_VALUE(array, Array::create(tensor.shape));
  array.dtype = tensor.dtype;
  const uint8_t *bytes = tensor.storage->bytes().data();
  tensor.forEach([&](int64_t position, uint64_t at) {
    array.data[position] = loadElement(bytes + at, tensor.dtype.scalar);
  });
  return std::move(array);
}

llvm::Expected<Tensor> host::toTensor(const Array &array, DType dtype) {
  TILERUN_TRY_VALUE(tensor, Tensor::create(dtype, array.shape));
  uint8_t *bytes = tensor.storage->bytes().data();
  tensor.forEach([&](int64_t position, uint64_t at) {
    storeElement(bytes + at, dtype.scalar, array.data[position]);
  });
  return std::move(tensor);
}
