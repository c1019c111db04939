// Python values as arguments of launches: numbers, strings, None, and whatever has memory.
#pragma once

#include "python/native/Python.h"

namespace tilerun::python {

/// Where memory is, in DLPack's numbers.
enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kVulkan = 7, kRocm = 10 };

/// A tensor as a kernel gets it.
struct Tensor {
  uint64_t address = 0;
  uint16_t dtype = 0; ///< TILERUN_DTYPE_*
  int32_t deviceType = kCpu;
  int32_t deviceIndex = 0;
};

enum class Read { Failed, Value, Tensor, Other };

/// Reads one argument. `Other`: it is nothing that a launch takes as it is (a tuple, a function);
/// `Failed`: with an error. The argument's text lives as long as the object.
Read readArgument(PyObject *object, TilerunArgument &argument, Tensor &tensor);

/// The memory behind the pointers of a launch. What a shape points to lives as long as it.
class Ranges {
public:
  /// Of values and the arguments that were read of them. False with an error.
  bool read(PyObject *const *values, const TilerunArgument *arguments, size_t count);
  const TilerunMemoryRange *get() const { return ranges.empty() ? nullptr : ranges.data(); }

private:
  bool readOne(PyObject *value, const TilerunArgument &argument, TilerunMemoryRange &range);
  std::vector<TilerunMemoryRange> ranges;
  std::vector<int64_t> numbers; ///< Shapes and strides, one after the other.
};
/// Registers what tells the memory of a value: see `describe_memory` of the package.
void registerMemory(PyObject *callable);

/// How torch tells its current stream: the native handle for a device. False with an error.
bool getCurrentStream(const Tensor &tensor, uint64_t &stream);

/// Tells that a type's objects are torch tensors; `dtypes` maps torch's dtypes to numbers, and
/// `cudaType` is what torch means by "cuda".
bool registerTorch(PyObject *types, PyObject *dtypes, int32_t cudaType);
/// Tells the type of the language's dtypes, whose attribute `code` is the number.
bool registerDtypeType(PyObject *type);

} // namespace tilerun::python
