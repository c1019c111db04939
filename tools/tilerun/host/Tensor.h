// Host tensors: typed, strided views over shared storage (passed to kernels), and float64 arrays
// (for computing expectations).
#pragma once

#include "tools/tilerun/host/Element.h"
#include "tools/tilerun/host/Try.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace tilerun::host {

using Shape = llvm::SmallVector<int64_t, 4>;

constexpr unsigned kMaxRank = 8;

/// Bytes that one tensor or array may take: three quarters of the machine's memory.
uint64_t getMaxTensorBytes();

/// Product of the dimensions; an error that names the shape if it is too large for
/// getMaxTensorBytes() at `elementBytes` each, or if a dimension is negative.
llvm::Expected<int64_t> countElements(llvm::ArrayRef<int64_t> shape, uint64_t elementBytes);

/// "[3, 17]"
std::string formatIndex(llvm::ArrayRef<int64_t> index);

/// The multi-index of a row-major position.
Shape unravel(int64_t position, llvm::ArrayRef<int64_t> shape);

Shape contiguousStrides(llvm::ArrayRef<int64_t> shape);

/// Bytes that several tensors may view; zeroed at first.
class Storage {
public:
  /// Fails cleanly if memory is short.
  static llvm::Expected<std::shared_ptr<Storage>> create(uint64_t bytes);
  ~Storage() { std::free(data); }
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;

  llvm::MutableArrayRef<uint8_t> bytes() { return {data, size}; }
  llvm::ArrayRef<uint8_t> bytes() const { return {data, size}; }

private:
  Storage(uint8_t *data, uint64_t size) : data(data), size(size) {}
  uint8_t *data;
  uint64_t size;
};

/// A typed view: element i is at byte offset + sum(i[d] * strides[d]) * elementBytes.
struct Tensor {
  DType dtype;
  Shape shape;
  Shape strides; ///< In elements; never negative.
  uint64_t offset = 0;
  std::shared_ptr<Storage> storage;
  bool poisoned = false; ///< `:empty`: the device treats it as unwritten.

  /// Allocates; the strides may leave gaps or repeat elements.
  static llvm::Expected<Tensor> create(DType dtype, llvm::ArrayRef<int64_t> shape,
                                       llvm::ArrayRef<int64_t> strides);
  static llvm::Expected<Tensor> create(DType dtype, llvm::ArrayRef<int64_t> shape);

  int64_t numElements() const;
  unsigned elementBytes() const { return getElementBytes(dtype); }
  bool isContiguous() const;
  /// First byte and the byte after the last one, in the storage; equal for an empty tensor.
  std::pair<uint64_t, uint64_t> getByteRange() const;
  /// Byte offset of the element at a row-major position.
  uint64_t getByteOffset(int64_t position) const;
  double get(int64_t position) const;
  void set(int64_t position, double value);
  /// "float32[64, 32]"
  std::string describe() const;

  /// Calls fn(position, byte offset) for all elements in row-major order.
  template <typename Fn> void forEach(Fn fn) const {
    int64_t count = numElements();
    Shape index(shape.size(), 0);
    uint64_t at = offset;
    uint64_t bytes = elementBytes();
    for (int64_t position = 0; position < count; ++position) {
      fn(position, at);
      for (size_t d = shape.size(); d-- > 0;) {
        at += strides[d] * bytes;
        if (++index[d] < shape[d])
          break;
        at -= shape[d] * strides[d] * bytes;
        index[d] = 0;
      }
    }
  }
};

/// A dense row-major float64 array. `dtype` is the type that its values came from: a result that is
/// not converted explicitly is reported as that type.
struct Array {
  DType dtype = tilerun::dtype(Scalar::F64);
  Shape shape;
  std::vector<double> data;

  static llvm::Expected<Array> create(llvm::ArrayRef<int64_t> shape);
  int64_t numElements() const { return static_cast<int64_t>(data.size()); }
};

llvm::Expected<Array> toArray(const Tensor &tensor);
/// Rounds every element to `dtype`.
llvm::Expected<Tensor> toTensor(const Array &array, DType dtype);

/// A plain usage error with a message.
llvm::Error makeError(const llvm::Twine &message);

} // namespace tilerun::host
