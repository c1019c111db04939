// Python values as arguments of launches: numbers, strings, None, and whatever has memory.
#pragma once

#include "python/native/Python.h"

#include <optional>

namespace tilerun::python {

/// Where memory is, in DLPack's numbers.
enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kVulkan = 7, kRocm = 10 };

/// A tensor in the form that a kernel gets.
struct Tensor {
  uint64_t address = 0;
  uint16_t dtype = 0; ///< TILERUN_DTYPE_*
  int32_t deviceType = kCpu;
  int32_t deviceIndex = 0;
};

enum class Read { Failed, Value, Tensor, Other };

/// Reads one argument. `Other`: a launch does not take it as it is (a tuple, a function);
/// `Failed`: with an error. The argument's text lives as long as the object.
Read readArgument(PyObject *object, TilerunArgument &argument, Tensor &tensor);

/// The memory behind the pointers of a launch. It owns what the shapes point to.
class Ranges {
public:
  /// Of values and the arguments that were read from them. `dtypes`: those of the tensors, where
  /// the arguments have another type of elements. False with an error.
  bool read(PyObject *const *values, const TilerunArgument *arguments, size_t count,
            const uint16_t *dtypes = nullptr);
  const TilerunMemoryRange *get() const { return ranges.empty() ? nullptr : ranges.data(); }

private:
  bool readOne(PyObject *value, const TilerunArgument &argument, uint16_t dtype,
               TilerunMemoryRange &range);
  std::vector<TilerunMemoryRange> ranges;
  std::vector<int64_t> numbers; ///< Shapes and strides, one after the other.
};
/// Registers the function that describes the memory of a value: `describe_memory` of the package.
void registerMemory(PyObject *callable);

/// The native handle of torch's current stream on a device; none if no framework has such devices.
/// False with an error.
bool getCurrentStream(const Tensor &tensor, std::optional<uint64_t> &stream);

/// Registers a type whose objects are torch tensors; `dtypes` maps torch's dtypes to numbers, and
/// `cudaType` is the device type that torch means by "cuda".
bool registerTorch(PyObject *types, PyObject *dtypes, int32_t cudaType);
/// Registers the type of the language's dtypes, whose attribute `code` is the number.
bool registerDtypeType(PyObject *type);

} // namespace tilerun::python
