// How tensors are read, the fastest way that this torch has:
// 1. By the C functions of torch's stable interface for compiled models (`aoti_torch_…`), which
// take the address of the `at::Tensor` inside the Python object. Torch does not say where that
// lies: it is found by searching for the tensor's `_cdata`, and used only if the values read there
// are right.
// 2. By DLPack's C exchange table (2.10 and later).
// 3. By attributes.
#include "python/native/Torch.h"

#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <type_traits>

using namespace tilerun;
using namespace tilerun::python;

namespace {
// DLPack's structures, as its specification (1.1 and later) lays them out.
struct DlDevice {
  int32_t type, index;
};
struct DlType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DlTensor {
  void *data;
  DlDevice device;
  int32_t ndim;
  DlType dtype;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

struct KnownDtype {
  PyObject *object;
  uint16_t dtype;
};

struct Names {
  PyObject *dataPtr, *dtype, *getDevice, *isCuda;
};
} // namespace

struct python::TorchExchange {
  uint32_t major, minor;
  TorchExchange *previous;
  void *allocator, *managedFromObject, *managedToObject;
  int (*tensorFromObject)(void *object, DlTensor *out);
  int (*currentStream)(int32_t deviceType, int32_t deviceIndex, void **stream);
};

std::vector<TorchType> python::torchTypes;
static std::vector<KnownDtype> torchDtypes;
static Names names;
DirectTorch python::directTorch;

// By kind and width; 0: DLPack has no such type, or it means several.
static uint16_t getDtype(DlType type) {
  constexpr uint8_t kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kBool = 6;
  constexpr uint8_t kFloat8e4m3fn = 10, kFloat8e4m3fnuz = 11, kFloat8e5m2 = 12,
                    kFloat8e5m2fnuz = 13;
  int width = type.bits == 8    ? 0
              : type.bits == 16 ? 1
              : type.bits == 32 ? 2
              : type.bits == 64 ? 3
                                : -1;
  if (width < 0 || type.lanes != 1)
    return 0;
  switch (type.code) {
  case kInt:
    return static_cast<uint16_t>(TILERUN_DTYPE_I8 + width);
  case kUInt:
    return static_cast<uint16_t>(TILERUN_DTYPE_U8 + width);
  case kFloat:
    return type.bits == 16   ? TILERUN_DTYPE_FP16
           : type.bits == 32 ? TILERUN_DTYPE_FP32
           : type.bits == 64 ? TILERUN_DTYPE_FP64
                             : 0;
  case kBfloat:
    return type.bits == 16 ? TILERUN_DTYPE_BF16 : 0;
  case kBool:
    return type.bits == 8 ? TILERUN_DTYPE_I1 : 0;
  case kFloat8e4m3fn:
    return TILERUN_DTYPE_FP8E4NV;
  case kFloat8e4m3fnuz:
    return TILERUN_DTYPE_FP8E4B8;
  case kFloat8e5m2:
    return TILERUN_DTYPE_FP8E5;
  case kFloat8e5m2fnuz:
    return TILERUN_DTYPE_FP8E5B16;
  default:
    return 0;
  }
}

static const TorchExchange *findExchange(PyObject *type) {
  Ref capsule(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  if (!capsule || !PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")) {
    PyErr_Clear();
    return nullptr;
  }
  // The table lives as long as the process. A newer one leads to older ones.
  auto *table = static_cast<const TorchExchange *>(
      PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (table && table->major > 1)
    table = table->previous;
  return table && table->major == 1 && table->tensorFromObject ? table : nullptr;
}

// For a tensor that raised: the package's code reports the error.
static Read failOrAsk() {
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    return Read::Failed;
  PyErr_Clear();
  return Read::Other;
}

// By attributes: three look-ups and calls.
static Read readAttributes(PyObject *object, Tensor &tensor) {
  Ref pointer(PyObject_CallMethodObjArgs(object, names.dataPtr, nullptr));
  Ref dtype(pointer ? PyObject_GetAttr(object, names.dtype) : nullptr);
  Ref index(dtype ? PyObject_CallMethodObjArgs(object, names.getDevice, nullptr) : nullptr);
  if (!index)
    return failOrAsk();
  tensor.address = PyLong_AsUnsignedLongLong(pointer.get());
  tensor.deviceIndex = static_cast<int32_t>(PyLong_AsLong(index.get()));
  if (PyErr_Occurred())
    return failOrAsk();
  if (!tensor.address)
    return Read::Other; // Empty, or without memory: meta, fake, …
  tensor.dtype = 0;
  for (const KnownDtype &known : torchDtypes)
    if (known.object == dtype.get())
      tensor.dtype = known.dtype;
  if (!tensor.dtype)
    return Read::Other; // The package's code says why.
  tensor.deviceType = kCpu;
  if (tensor.deviceIndex < 0) {
    tensor.deviceIndex = 0;
    return Read::Tensor;
  }
  Ref isCuda(PyObject_GetAttr(object, names.isCuda));
  if (!isCuda)
    return Read::Failed;
  if (isCuda.get() != Py_True)
    return Read::Other;
  tensor.deviceType = directTorch.cudaType;
  return Read::Tensor;
}

// By the exchange table. Properties that DLPack cannot express are read from attributes.
static Read readExchanged(PyObject *object, const TorchExchange &exchange, Tensor &tensor) {
  DlTensor out;
  if (exchange.tensorFromObject(object, &out) != 0) {
    PyErr_Clear(); // A tensor that requires a gradient, is lazy, …
    return readAttributes(object, tensor);
  }
  tensor.dtype = getDtype(out.dtype);
  if (!tensor.dtype)
    return readAttributes(object, tensor);
  if (!out.data)
    return Read::Other; // Empty, or without memory: meta, fake, …
  tensor.address = reinterpret_cast<uint64_t>(out.data) + out.byteOffset;
  tensor.deviceType = out.device.type == 3 /* pinned */ ? int32_t(kCpu) : out.device.type;
  tensor.deviceIndex = out.device.index;
  return Read::Tensor;
}

Read python::readTorchSlowly(PyObject *object, const TorchType &type, Tensor &tensor) {
  return type.exchange ? readExchanged(object, *type.exchange, tensor)
                       : readAttributes(object, tensor);
}

bool python::getCurrentStream(const Tensor &tensor, std::optional<uint64_t> &stream) {
  const bool isTorchs = tensor.deviceType == directTorch.cudaType;
  if (void *native = nullptr; directTorch.getStream && directTorch.offset && isTorchs &&
                              directTorch.getStream(tensor.deviceIndex, &native) == 0) [[likely]] {
    stream = reinterpret_cast<uint64_t>(native);
    return true;
  }
  for (const TorchType &known : torchTypes)
    if (isTorchs && known.exchange && known.exchange->currentStream) {
      void *native = nullptr;
      if (known.exchange->currentStream(tensor.deviceType, tensor.deviceIndex, &native) == 0) {
        stream = reinterpret_cast<uint64_t>(native);
        return true;
      }
      PyErr_Clear();
      break;
    }
  PyObject *callback = getCallback(Callback::GetStream);
  if (!callback)
    return false;
  Ref found(PyObject_CallFunction(callback, "ii", tensor.deviceType, tensor.deviceIndex));
  if (!found)
    return false;
  if (found.get() == Py_None)
    return true;
  stream = PyLong_AsUnsignedLongLong(found.get());
  return !PyErr_Occurred();
}

uint64_t python::getItemBytes(uint16_t dtype) {
  switch (dtype) {
  case TILERUN_DTYPE_I64:
  case TILERUN_DTYPE_U64:
  case TILERUN_DTYPE_FP64:
    return 8;
  case TILERUN_DTYPE_I32:
  case TILERUN_DTYPE_U32:
  case TILERUN_DTYPE_FP32:
    return 4;
  case TILERUN_DTYPE_I16:
  case TILERUN_DTYPE_U16:
  case TILERUN_DTYPE_FP16:
  case TILERUN_DTYPE_BF16:
    return 2;
  default:
    return 1;
  }
}

bool python::readStorage(PyObject *object, TilerunAddress address, uint16_t dtype,
                         TilerunMemoryRange &range) {
  if (!directTorch.offset || !directTorch.getStorageBytes)
    return false;
  void *place = reinterpret_cast<char *>(object) + directTorch.offset;
  int64_t bytes = 0, offset = 0, rank = 0, *sizes = nullptr, *strides = nullptr;
  if (directTorch.getStorageBytes(place, &bytes) || directTorch.getStorageOffset(place, &offset) ||
      directTorch.getRank(place, &rank) || directTorch.getSizes(place, &sizes) ||
      directTorch.getStrides(place, &strides))
    return false;
  range = {address - static_cast<uint64_t>(offset) * getItemBytes(dtype),
           static_cast<uint64_t>(bytes),
           sizes,
           strides,
           static_cast<uint32_t>(rank),
           0};
  return true;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

// The number that torch has for a dtype, "torch.float32"; -1: none.
static int32_t getTorchNumber(void *library, PyObject *dtype) {
  Ref text(PyObject_Str(dtype));
  std::string word;
  if (!text || !getText(text.get(), word))
    return PyErr_Clear(), -1;
  std::string symbol = "aoti_torch_dtype_" + word.substr(word.rfind('.') + 1);
  auto *get = reinterpret_cast<int32_t (*)()>(dlsym(library, symbol.c_str()));
  int32_t number = get ? get() : -1;
  return number < static_cast<int32_t>(std::size(directTorch.dtypes)) ? number : -1;
}

static bool findFunctions(void *library, DirectTorch &out) {
  auto find = [&](auto &function, const char *symbol) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    return function != nullptr;
  };
  int32_t (*getCpu)(), (*getCuda)(), (*getStrided)();
  if (!find(out.getDeviceType, "aoti_torch_get_device_type") ||
      !find(out.getDeviceIndex, "aoti_torch_get_device_index") ||
      !find(out.getDtype, "aoti_torch_get_dtype") ||
      !find(out.getLayout, "aoti_torch_get_layout") ||
      !find(out.getData, "aoti_torch_get_data_ptr") ||
      !find(getCpu, "aoti_torch_device_type_cpu") ||
      !find(getCuda, "aoti_torch_device_type_cuda") ||
      !find(getStrided, "aoti_torch_layout_strided"))
    return false;
  if (!find(out.getStorageOffset, "aoti_torch_get_storage_offset") ||
      !find(out.getRank, "aoti_torch_get_dim") || !find(out.getSizes, "aoti_torch_get_sizes") ||
      !find(out.getStrides, "aoti_torch_get_strides") ||
      !find(out.getStorageBytes, "aoti_torch_get_storage_size"))
    out.getStorageBytes = nullptr; // The last one: all are present, or none is used.
  out.cpu = getCpu();
  out.cuda = getCuda();
  out.strided = getStrided();
  return true;
}

// The offset of `_cdata`'s value in a tensor's object; 0: nowhere, or in several places.
static size_t findOffset(PyObject *type, PyObject *tensor) {
  Ref size(PyObject_GetAttrString(type, "__basicsize__"));
  Ref address(PyObject_GetAttrString(tensor, "_cdata"));
  size_t bytes = size ? PyLong_AsSize_t(size.get()) : 0;
  uint64_t wanted = address ? PyLong_AsUnsignedLongLong(address.get()) : 0;
  if (PyErr_Occurred() || !wanted)
    return PyErr_Clear(), 0;
  size_t found = 0;
  for (size_t at = sizeof(PyObject); at + sizeof(wanted) <= bytes; at += sizeof(wanted)) {
    uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const char *>(tensor) + at, sizeof(word));
    if (word == wanted && std::exchange(found, at))
      return 0;
  }
  return found;
}

// Sets `directTorch`, if what it reads from a tensor agrees with the attributes.
static void findDirect(PyObject *type) {
  void *library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  DirectTorch found;
  if (!library || !findFunctions(library, found))
    return;
  for (const KnownDtype &known : torchDtypes)
    if (int32_t number = getTorchNumber(library, known.object); number >= 0)
      found.dtypes[number] = known.dtype;
  Ref count(PyLong_FromLong(2));
  Ref sample(count ? PyObject_CallFunctionObjArgs(type, count.get(), nullptr) : nullptr);
  if (!sample)
    return PyErr_Clear();
  found.offset = findOffset(type, sample.get());
  if (!found.offset)
    return;
  void *cuda = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
  found.getStream = reinterpret_cast<decltype(found.getStream)>(
      dlsym(cuda ? cuda : library, "aoti_torch_get_current_cuda_stream"));
  Tensor slowly, fast;
  if (readAttributes(sample.get(), slowly) != Read::Tensor)
    return PyErr_Clear();
  found.cudaType = directTorch.cudaType;
  directTorch = found;
  if (!readDirect(sample.get(), fast) || fast.address != slowly.address ||
      fast.dtype != slowly.dtype || fast.deviceType != slowly.deviceType ||
      fast.deviceIndex != slowly.deviceIndex)
    directTorch.offset = 0;
}

bool python::registerTorch(PyObject *types, PyObject *dtypes, int32_t cudaType) {
  directTorch.cudaType = cudaType;
  const std::pair<PyObject **, const char *> wanted[] = {{&names.dataPtr, "data_ptr"},
                                                         {&names.dtype, "dtype"},
                                                         {&names.getDevice, "get_device"},
                                                         {&names.isCuda, "is_cuda"}};
  for (auto [slot, text] : wanted) {
    if (!*slot)
      *slot = PyUnicode_InternFromString(text);
    if (!*slot)
      return false;
  }
  for (Py_ssize_t i = 0, n = PyTuple_Size(types); i < n; ++i) {
    PyObject *type = PyTuple_GetItem(types, i);
    if (!type || !PyType_Check(type))
      return raise(PyExc_TypeError, "a type is expected"), false;
    torchTypes.push_back({reinterpret_cast<PyTypeObject *>(Py_NewRef(type)), findExchange(type)});
  }
  Py_ssize_t at = 0;
  PyObject *key = nullptr, *value = nullptr;
  while (PyDict_Next(dtypes, &at, &key, &value))
    torchDtypes.push_back({Py_NewRef(key), static_cast<uint16_t>(PyLong_AsLong(value))});
  if (PyErr_Occurred())
    return false;
  if (PyTuple_Size(types))
    findDirect(PyTuple_GetItem(types, 0));
  return true;
}
