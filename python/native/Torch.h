// Torch's tensors and streams as launches read them: separate from other arguments, because a
// launch has no time to read attributes.
#pragma once

#include "python/native/Arguments.h"

#include <iterator>

namespace tilerun::python {

struct TorchExchange;

/// A type whose objects are torch tensors. Kept alive.
struct TorchType {
  PyTypeObject *type = nullptr;
  const TorchExchange *exchange = nullptr;
};
extern std::vector<TorchType> torchTypes;

/// Null if its objects are not tensors, or not known as such.
inline const TorchType *findTorchType(PyTypeObject *type) {
  for (const TorchType &known : torchTypes)
    if (known.type == type)
      return &known;
  return nullptr;
}

/// Torch's functions; all answer 0 for success, and none takes the interpreter's lock.
struct DirectTorch {
  size_t offset = 0; ///< Of the `at::Tensor` in the object; 0: not to be used.
  int32_t (*getDeviceType)(void *tensor, int32_t *type) = nullptr;
  int32_t (*getDeviceIndex)(void *tensor, int32_t *index) = nullptr;
  int32_t (*getDtype)(void *tensor, int32_t *dtype) = nullptr;
  int32_t (*getLayout)(void *tensor, int32_t *layout) = nullptr;
  int32_t (*getData)(void *tensor, void **data) = nullptr;
  int32_t (*getStream)(int32_t device, void **stream) = nullptr; ///< May be null.
  /// Of the memory behind a tensor; null where this torch lacks one of them.
  int32_t (*getStorageBytes)(void *tensor, int64_t *bytes) = nullptr;
  int32_t (*getStorageOffset)(void *tensor, int64_t *elements) = nullptr;
  int32_t (*getRank)(void *tensor, int64_t *rank) = nullptr;
  int32_t (*getSizes)(void *tensor, int64_t **sizes) = nullptr;
  int32_t (*getStrides)(void *tensor, int64_t **strides) = nullptr;
  int32_t cpu = 0, cuda = 0, strided = 0;
  uint16_t dtypes[64] = {}; ///< By torch's numbers.
  int32_t cudaType = kCuda; ///< What torch means by "cuda".
};
extern DirectTorch directTorch;

/// Reads a tensor by torch's own functions; false where these must not be used, or the tensor is
/// not a plain one, for which they would print a complaint.
inline bool readDirect(PyObject *object, Tensor &tensor) {
  if (!directTorch.offset)
    return false;
  void *place = reinterpret_cast<char *>(object) + directTorch.offset;
  int32_t device = 0, index = 0, layout = 0, dtype = 0;
  if (directTorch.getDeviceType(place, &device) || directTorch.getLayout(place, &layout) ||
      directTorch.getDtype(place, &dtype) || layout != directTorch.strided || dtype < 0 ||
      dtype >= static_cast<int32_t>(std::size(directTorch.dtypes)) || !directTorch.dtypes[dtype])
    return false;
  if (device == directTorch.cuda) {
    if (directTorch.getDeviceIndex(place, &index))
      return false;
    tensor.deviceType = directTorch.cudaType;
  } else if (device == directTorch.cpu) {
    tensor.deviceType = kCpu;
  } else {
    return false;
  }
  void *data = nullptr;
  if (directTorch.getData(place, &data) || !data)
    return false;
  tensor.deviceIndex = index;
  tensor.dtype = directTorch.dtypes[dtype];
  tensor.address = reinterpret_cast<uint64_t>(data);
  return true;
}

/// Torch's own number of a tensor's dtype. False where its functions must not be used, or it is
/// none of torch's tensors.
inline bool readTorchDtype(PyObject *object, int32_t &number) {
  return directTorch.offset && findTorchType(Py_TYPE(object)) &&
         !directTorch.getDtype(reinterpret_cast<char *>(object) + directTorch.offset, &number);
}

/// Of TILERUN_DTYPE_LIST.
uint64_t getItemBytes(uint16_t dtype);

/// Of a tensor that `readDirect` has read, with its own address and dtype: the storage, and the
/// shape. False where it is not known.
bool readStorage(PyObject *object, TilerunAddress address, uint16_t dtype,
                 TilerunMemoryRange &range);

/// Reads a tensor that `readDirect` does not. `Other` without an error where the package's code has
/// to say what it is.
Read readTorchSlowly(PyObject *object, const TorchType &type, Tensor &tensor);

} // namespace tilerun::python
