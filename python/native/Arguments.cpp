// Reading of arguments. Torch tensors come first and fast: by DLPack's C exchange table where torch
// has one (one C call, no Python object), else by their attributes; everything else with memory
// goes through the package's Python code.
#include "python/native/Arguments.h"

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
struct DlExchange {
  uint32_t major, minor;
  DlExchange *previous;
  void *allocator, *managedFromObject, *managedToObject;
  int (*tensorFromObject)(void *object, DlTensor *out);
  int (*currentStream)(int32_t deviceType, int32_t deviceIndex, void **stream);
};

// What is known of a type of objects; types that are asked for are kept alive.
struct KnownType {
  PyTypeObject *type = nullptr;
  const DlExchange *exchange = nullptr;
};
struct KnownDtype {
  PyObject *object;
  uint16_t dtype;
};

struct Names {
  PyObject *dataPtr, *dtype, *getDevice, *isCuda, *code;
};
} // namespace

static std::vector<KnownType> torchTypes;
static std::vector<KnownDtype> torchDtypes;
static PyTypeObject *dtypeType;
static int32_t torchCudaType = kCuda;
static Names names;

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

static const DlExchange *findExchange(PyObject *type) {
  Ref capsule(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  if (!capsule || !PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api")) {
    PyErr_Clear();
    return nullptr;
  }
  // The table lives as long as the process. A newer one leads to older ones.
  auto *table =
      static_cast<const DlExchange *>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (table && table->major > 1)
    table = table->previous;
  return table && table->major == 1 && table->tensorFromObject ? table : nullptr;
}

bool python::registerTorch(PyObject *types, PyObject *dtypes, int32_t cudaType) {
  torchCudaType = cudaType;
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
  return !PyErr_Occurred();
}

bool python::registerDtypeType(PyObject *type) {
  if (!PyType_Check(type))
    return raise(PyExc_TypeError, "a type is expected"), false;
  dtypeType = reinterpret_cast<PyTypeObject *>(Py_NewRef(type));
  names.code = PyUnicode_InternFromString("code");
  return names.code != nullptr;
}

static Read readDtype(PyObject *object, TilerunArgument &argument) {
  Ref code(PyObject_GetAttr(object, names.code));
  if (!code)
    return Read::Failed;
  argument.kind = TILERUN_ARGUMENT_DTYPE;
  argument.dtype = static_cast<uint16_t>(PyLong_AsLong(code.get()));
  argument.value.natural = argument.dtype;
  return PyErr_Occurred() ? Read::Failed : Read::Value;
}

static const KnownType *findTorchType(PyTypeObject *type) {
  for (const KnownType &known : torchTypes)
    if (known.type == type)
      return &known;
  return nullptr;
}

// Of a tensor that raised: the package's code says what is wrong with it.
static Read failOrAsk() {
  if (!PyErr_ExceptionMatches(PyExc_Exception))
    return Read::Failed;
  PyErr_Clear();
  return Read::Other;
}

// By attributes: three look-ups and calls.
static Read readTorch(PyObject *object, Tensor &tensor) {
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
  tensor.deviceType = torchCudaType;
  return Read::Tensor;
}

// By the exchange table. What DLPack cannot say goes by attributes.
static Read readExchanged(PyObject *object, const DlExchange &exchange, Tensor &tensor) {
  DlTensor out;
  if (exchange.tensorFromObject(object, &out) != 0) {
    PyErr_Clear(); // A tensor that requires a gradient, is lazy, …
    return readTorch(object, tensor);
  }
  tensor.dtype = getDtype(out.dtype);
  if (!tensor.dtype)
    return readTorch(object, tensor);
  if (!out.data)
    return Read::Other; // Empty, or without memory: meta, fake, …
  tensor.address = reinterpret_cast<uint64_t>(out.data) + out.byteOffset;
  tensor.deviceType = out.device.type == 3 /* pinned */ ? int32_t(kCpu) : out.device.type;
  tensor.deviceIndex = out.device.index;
  return Read::Tensor;
}

// (address, dtype, device type, device index) from the package, or None.
static Read readResolved(PyObject *object, Tensor &tensor) {
  PyObject *resolve = getCallback(Callback::ResolveTensor);
  if (!resolve)
    return Read::Failed;
  Ref found(PyObject_CallFunctionObjArgs(resolve, object, nullptr));
  if (!found)
    return Read::Failed;
  if (found.get() == Py_None)
    return Read::Other;
  unsigned long long address = 0;
  int dtype = 0;
  if (!PyArg_ParseTuple(found.get(), "Kiii", &address, &dtype, &tensor.deviceType,
                        &tensor.deviceIndex))
    return Read::Failed;
  tensor.address = address;
  tensor.dtype = static_cast<uint16_t>(dtype);
  return Read::Tensor;
}

static Read readInteger(PyObject *object, TilerunArgument &argument) {
  int overflow = 0;
  argument.value.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  argument.kind = TILERUN_ARGUMENT_INTEGER;
  if (!overflow)
    return PyErr_Occurred() ? Read::Failed : Read::Value;
  if (overflow > 0) {
    argument.value.natural = PyLong_AsUnsignedLongLong(object);
    argument.kind = TILERUN_ARGUMENT_NATURAL;
    if (!PyErr_Occurred())
      return Read::Value;
    PyErr_Clear();
  }
  return Read::Other;
}

Read python::readArgument(PyObject *object, TilerunArgument &argument, Tensor &tensor) {
  argument.dtype = 0;
  argument.reserved = 0;
  PyTypeObject *type = Py_TYPE(object);
  Read read = Read::Other;
  if (const KnownType *known = findTorchType(type)) {
    read = known->exchange ? readExchanged(object, *known->exchange, tensor)
                           : readTorch(object, tensor);
  } else if (type == &PyLong_Type) {
    return readInteger(object, argument);
  } else if (type == &PyFloat_Type) {
    argument.kind = TILERUN_ARGUMENT_FLOAT;
    argument.value.number = PyFloat_AsDouble(object);
    return Read::Value;
  } else if (type == &PyBool_Type) {
    argument.kind = TILERUN_ARGUMENT_BOOL;
    argument.value.integer = object == Py_True;
    return Read::Value;
  } else if (object == Py_None) {
    argument.kind = TILERUN_ARGUMENT_NONE;
    argument.value.natural = 0;
    return Read::Value;
  } else if (type == &PyUnicode_Type) {
    Py_ssize_t size = 0;
    argument.kind = TILERUN_ARGUMENT_STRING;
    argument.value.text = PyUnicode_AsUTF8AndSize(object, &size);
    if (!argument.value.text)
      return Read::Failed;
    // A string that holds a NUL is no text of a signature.
    return std::string_view(argument.value.text).size() == static_cast<size_t>(size) ? Read::Value
                                                                                     : Read::Other;
  } else if (dtypeType && type == dtypeType) {
    return readDtype(object, argument);
  }
  if (read == Read::Other)
    read = readResolved(object, tensor);
  if (read == Read::Tensor) {
    argument.kind = TILERUN_ARGUMENT_POINTER;
    argument.dtype = tensor.dtype;
    argument.value.address = tensor.address;
  }
  return read;
}

bool python::getCurrentStream(const Tensor &tensor, uint64_t &stream) {
  for (const KnownType &known : torchTypes)
    if (known.exchange && known.exchange->currentStream) {
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
  Ref index(PyLong_FromLong(tensor.deviceIndex));
  Ref found(index ? PyObject_CallFunctionObjArgs(callback, index.get(), nullptr) : nullptr);
  if (!found)
    return false;
  stream = PyLong_AsUnsignedLongLong(found.get());
  return !PyErr_Occurred();
}
