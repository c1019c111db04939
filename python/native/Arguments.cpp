// Reading of arguments. Torch tensors come first and fast (Torch.cpp); everything else with memory
// goes through the package's Python code.
#include "python/native/Torch.h"

using namespace tilerun;
using namespace tilerun::python;

static PyTypeObject *dtypeType;
static PyObject *codeName;

bool python::registerDtypeType(PyObject *type) {
  if (!PyType_Check(type))
    return raise(PyExc_TypeError, "a type is expected"), false;
  dtypeType = reinterpret_cast<PyTypeObject *>(Py_NewRef(type));
  codeName = PyUnicode_InternFromString("code");
  return codeName != nullptr;
}

static Read readDtype(PyObject *object, TilerunArgument &argument) {
  Ref code(PyObject_GetAttr(object, codeName));
  if (!code)
    return Read::Failed;
  argument.kind = TILERUN_ARGUMENT_DTYPE;
  argument.dtype = static_cast<uint16_t>(PyLong_AsLong(code.get()));
  argument.value.natural = argument.dtype;
  return PyErr_Occurred() ? Read::Failed : Read::Value;
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
  if (const TorchType *torch = findTorchType(type)) {
    read = readDirect(object, tensor) ? Read::Tensor : readTorchSlowly(object, *torch, tensor);
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
    // A string that holds a NUL, or half of a surrogate pair, cannot be part of a signature.
    if (!argument.value.text)
      return PyErr_ExceptionMatches(PyExc_UnicodeError) ? (PyErr_Clear(), Read::Other)
                                                        : Read::Failed;
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

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static PyObject *describeMemory;

void python::registerMemory(PyObject *callable) {
  PyObject *old = std::exchange(describeMemory, Py_NewRef(callable));
  Py_XDECREF(old);
}

bool Ranges::readOne(PyObject *value, const TilerunArgument &argument, uint16_t dtype,
                     TilerunMemoryRange &range) {
  range = {};
  if (argument.kind != TILERUN_ARGUMENT_POINTER || !argument.value.address)
    return true;
  if (findTorchType(Py_TYPE(value)) && readStorage(value, argument.value.address, dtype, range)) {
    // Copied, as another thread may give the tensor a new shape meanwhile.
    numbers.insert(numbers.end(), range.shape, range.shape + range.rank);
    numbers.insert(numbers.end(), range.strides, range.strides + range.rank);
    return true;
  }
  if (!describeMemory)
    return true;
  Ref found(PyObject_CallFunctionObjArgs(describeMemory, value, nullptr));
  if (!found)
    return false;
  if (found.get() == Py_None)
    return true;
  unsigned long long begin = 0, bytes = 0;
  PyObject *shape = nullptr, *strides = nullptr;
  if (!PyArg_ParseTuple(found.get(), "KKO!O!", &begin, &bytes, &PyTuple_Type, &shape, &PyTuple_Type,
                        &strides))
    return false;
  range.begin = begin;
  range.num_bytes = bytes;
  range.rank = static_cast<uint32_t>(PyTuple_Size(shape));
  if (PyTuple_Size(strides) != PyTuple_Size(shape))
    return raise(PyExc_RuntimeError, "a shape needs as many strides"), false;
  for (PyObject *tuple : {shape, strides})
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
      numbers.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
  return !PyErr_Occurred();
}

bool Ranges::read(PyObject *const *values, const TilerunArgument *arguments, size_t count,
                  const uint16_t *dtypes) {
  ranges.resize(count);
  for (size_t i = 0; i < count; ++i)
    if (!readOne(values[i], arguments[i], dtypes ? dtypes[i] : arguments[i].dtype, ranges[i]))
      return false;
  const int64_t *next = numbers.data();
  for (size_t i = 0; i < count; ++i) {
    TilerunMemoryRange &range = ranges[i];
    range.shape = range.begin ? next : nullptr;
    range.strides = range.begin ? next + range.rank : nullptr;
    next += 2 * size_t(range.rank);
    // The shape is one of other elements than the kernel's.
    if (dtypes && getItemBytes(dtypes[i]) != getItemBytes(arguments[i].dtype))
      range.shape = range.strides = nullptr, range.rank = 0;
  }
  return true;
}
