// The `.npy` reader. The header is a Python dictionary literal; only the three keys of the format
// are accepted, each once, in any order.
#include "tools/tilerun/host/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace tilerun;
using namespace tilerun::host;

namespace {

constexpr llvm::StringLiteral kMagic("\x93NUMPY");
/// NumPy pads headers to 64 bytes; a shape of rank 8 fits in far less than this.
constexpr uint64_t kMaxHeaderBytes = 64 << 10;

/// Reads the dictionary of a header.
class HeaderParser {
public:
  HeaderParser(llvm::StringRef text, NpyHeader &header) : rest(text), header(header) {}

  llvm::Error parse() {
    if (!take('{'))
      return fail("'{'");
    bool seenDescr = false, seenOrder = false, seenShape = false;
    while (!take('}')) {
      std::string key;
      if (!parseString(key))
        return fail("a key in quotes");
      if (!take(':'))
        return fail("':'");
      bool *seen = key == "descr"           ? &seenDescr
                   : key == "fortran_order" ? &seenOrder
                   : key == "shape"         ? &seenShape
                                            : nullptr;
      if (!seen)
        return makeError("unknown key '" + printable(key) + "' in the header");
      if (*seen)
        return makeError("key '" + key + "' occurs twice in the header");
      *seen = true;
      TILERUN_TRY_ERROR(seen == &seenDescr   ? parseDescr()
                        : seen == &seenOrder ? parseOrder()
                                             : parseShape());
      if (!take(',') && !peek('}'))
        return fail("',' or '}'");
    }
    skipSpace();
    if (!rest.empty())
      return fail("the end of the header");
    if (!seenDescr || !seenOrder || !seenShape)
      return makeError("the header lacks 'descr', 'fortran_order' or 'shape'");
    return llvm::Error::success();
  }

  static std::string printable(llvm::StringRef text) {
    std::string out;
    for (char c : text.take_front(40))
      out += llvm::isPrint(c) ? c : '?';
    return out;
  }

private:
  void skipSpace() { rest = rest.ltrim(" \t\n\r\f\v"); }
  bool peek(char c) {
    skipSpace();
    return rest.starts_with(llvm::StringRef(&c, 1));
  }
  bool take(char c) {
    if (!peek(c))
      return false;
    rest = rest.drop_front();
    return true;
  }
  llvm::Error fail(llvm::StringRef wanted) {
    return makeError("bad header: expected " + wanted +
                     (rest.empty() ? llvm::Twine(", found its end")
                                   : " at '" + llvm::Twine(printable(rest.take_front(12))) + "'"));
  }

  bool parseString(std::string &out) {
    skipSpace();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == llvm::StringRef::npos)
      return false;
    out = rest.substr(1, end - 1).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  llvm::Error parseDescr() {
    skipSpace();
    if (rest.starts_with("["))
      return makeError("a structured element type is not supported; save one field at a time");
    if (!parseString(header.descr))
      return fail("an element type in quotes");
    llvm::StringRef text = header.descr;
    if (!text.empty() && llvm::StringRef("<>=|").contains(text.front())) {
      header.bigEndian = text.front() == '>';
      text = text.drop_front();
    }
    struct Entry {
      llvm::StringRef code;
      unsigned bytes;
      Scalar scalar;
    };
    static constexpr Entry entries[] = {
        {"b1", 1, Scalar::Int1},   {"i1", 1, Scalar::Int8},   {"i2", 2, Scalar::Int16},
        {"i4", 4, Scalar::Int32},  {"i8", 8, Scalar::Int64},  {"u1", 1, Scalar::UInt8},
        {"u2", 2, Scalar::UInt16}, {"u4", 4, Scalar::UInt32}, {"u8", 8, Scalar::UInt64},
        {"f2", 2, Scalar::F16},    {"f4", 4, Scalar::F32},    {"f8", 8, Scalar::F64},
        {"V1", 1, Scalar::Void},   {"V2", 2, Scalar::Void}};
    for (const Entry &entry : entries)
      if (text == entry.code) {
        header.elementBytes = entry.bytes;
        if (entry.scalar != Scalar::Void)
          header.dtype = tilerun::dtype(entry.scalar);
        return llvm::Error::success();
      }
    llvm::StringRef what = text.starts_with("O")                            ? " (Python objects)"
                           : text.starts_with("c")                          ? " (complex numbers)"
                           : text.starts_with("U") || text.starts_with("S") ? " (strings)"
                                                                            : "";
    return makeError("element type '" + printable(header.descr) + "'" + what +
                     " is not supported; use a bool, integer or float type");
  }

  llvm::Error parseOrder() {
    skipSpace();
    for (bool value : {false, true})
      if (rest.consume_front(value ? "True" : "False")) {
        header.fortranOrder = value;
        return llvm::Error::success();
      }
    return fail("True or False");
  }

  llvm::Error parseShape() {
    if (!take('('))
      return fail("'('");
    while (!take(')')) {
      skipSpace();
      uint64_t dim;
      size_t digits = rest.find_first_not_of("0123456789");
      llvm::StringRef text = rest.take_front(digits);
      if (text.empty())
        return fail("a dimension");
      if (text.getAsInteger(10, dim) || dim > INT64_MAX)
        return makeError("a dimension of '" + printable(text) + "' is too large");
      rest = rest.drop_front(text.size());
      rest.consume_front("L"); // Python 2 wrote long integers so.
      header.shape.push_back(static_cast<int64_t>(dim));
      if (header.shape.size() > kMaxRank)
        return makeError("more than " + llvm::Twine(kMaxRank) + " dimensions");
      if (!take(',') && !peek(')'))
        return fail("',' or ')'");
    }
    return llvm::Error::success();
  }

  llvm::StringRef rest;
  NpyHeader &header;
};

} // namespace

llvm::Expected<NpyHeader> host::parseNpyHeader(llvm::ArrayRef<uint8_t> bytes) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic))
    return makeError(text.size() < kMagic.size() && kMagic.starts_with(text)
                         ? "truncated: it ends inside the magic string"
                         : "not a .npy file (wrong magic string)");
  if (bytes.size() < 10)
    return makeError("truncated: it ends inside the header");
  unsigned major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    return makeError("format version " + llvm::Twine(major) + "." + llvm::Twine(minor) +
                     " is not supported (1.0, 2.0 and 3.0 are)");
  uint64_t length = bytes[8] | bytes[9] << 8, start = 10;
  if (major > 1) {
    if (bytes.size() < 12)
      return makeError("truncated: it ends inside the header");
    length |= static_cast<uint64_t>(bytes[10]) << 16 | static_cast<uint64_t>(bytes[11]) << 24;
    start = 12;
  }
  if (length > kMaxHeaderBytes)
    return makeError("a header of " + llvm::Twine(length) + " bytes; at most " +
                     llvm::Twine(kMaxHeaderBytes) + " are read");
  if (bytes.size() - start < length)
    return makeError("truncated: it ends inside the header");
  NpyHeader header;
  header.dataOffset = start + length;
  TILERUN_TRY_ERROR(HeaderParser(text.substr(start, length), header).parse());
  TILERUN_TRY_ERROR(countElements(header.shape, header.elementBytes).takeError());
  return header;
}

llvm::Expected<Tensor> host::parseNpy(llvm::ArrayRef<uint8_t> bytes, std::optional<DType> as) {
  TILERUN_TRY_VALUE(header, parseNpyHeader(bytes));
  DType dtype = header.dtype.value_or(DType());
  if (as) {
    if (getElementBytes(*as) != header.elementBytes)
      return makeError("elements of type '" + header.descr + "' cannot be read as " + as->str() +
                       ": the widths differ");
    bool raw = !header.dtype || header.dtype->isUnsigned();
    if (!raw && !(*as == dtype))
      return makeError("holds " + dtype.str() + ", not " + as->str());
    dtype = *as;
  } else if (!header.dtype) {
    return makeError("elements of type '" + header.descr +
                     "' have no name; say what they are, as in 'bf16@FILE.npy'");
  }
  TILERUN_TRY_VALUE(count, countElements(header.shape, header.elementBytes));
  uint64_t dataBytes = static_cast<uint64_t>(count) * header.elementBytes;
  llvm::ArrayRef<uint8_t> data = bytes.drop_front(header.dataOffset);
  if (data.size() < dataBytes)
    return makeError("truncated: shape " + formatIndex(header.shape) + " of " + dtype.str() +
                     " needs " + llvm::Twine(dataBytes) + " bytes of data, the file has " +
                     llvm::Twine(data.size()));
  if (data.size() > dataBytes)
    return makeError(llvm::Twine(data.size() - dataBytes) +
                     " bytes too many after the data of shape " + formatIndex(header.shape));

  TILERUN_TRY_VALUE(tensor, Tensor::create(dtype, header.shape));
  // In Fortran order the file is the transpose of a C-ordered array: view it so, and copy.
  Tensor source = tensor;
  if (header.fortranOrder) {
    int64_t stride = 1;
    for (auto [dim, out] : llvm::zip_equal(source.shape, source.strides)) {
      out = stride;
      stride *= std::max<int64_t>(dim, 1);
    }
  }
  uint8_t *out = tensor.storage->bytes().data();
  unsigned width = header.elementBytes;
  source.forEach([&](int64_t position, uint64_t at) {
    uint8_t *to = out + static_cast<uint64_t>(position) * width;
    std::memcpy(to, data.data() + at, width);
    if (header.bigEndian)
      std::reverse(to, to + width);
  });
  return std::move(tensor);
}

llvm::Expected<Tensor> host::readNpy(llvm::StringRef path, std::optional<DType> as) {
  // Devices may have no end; pipes end where their writer ends them.
  if (llvm::sys::fs::file_status status; !llvm::sys::fs::status(path, status) &&
                                         status.type() == llvm::sys::fs::file_type::character_file)
    return makeError("cannot read '" + path + "': it is a device, not a file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("cannot read '" + path + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  llvm::Expected<Tensor> tensor =
      parseNpy(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()), as);
  if (!tensor)
    return makeError("'" + path + "': " + llvm::toString(tensor.takeError()));
  return tensor;
}

std::vector<uint8_t> host::formatNpy(const Tensor &tensor) {
  auto code = [&]() -> std::string {
    DType dtype = tensor.dtype;
    unsigned bytes = tensor.elementBytes();
    if (dtype.isBool())
      return "|b1";
    if (dtype.isFp8())
      return "|V1";
    if (dtype.scalar == Scalar::BF16)
      return "<V2";
    char kind = dtype.isFloat() ? 'f' : dtype.isUnsigned() ? 'u' : 'i';
    return std::string(bytes == 1 ? "|" : "<") + kind + std::to_string(bytes);
  }();
  std::string shape;
  for (int64_t dim : tensor.shape)
    shape += std::to_string(dim) + (tensor.shape.size() == 1 ? "," : ", ");
  if (tensor.shape.size() > 1)
    shape.resize(shape.size() - 2);
  std::string header =
      "{'descr': '" + code + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t total = llvm::alignTo(10 + header.size() + 1, 64);
  header.append(total - 10 - header.size() - 1, ' ');
  header += '\n';

  std::vector<uint8_t> out;
  uint64_t width = tensor.elementBytes();
  out.resize(total + static_cast<uint64_t>(tensor.numElements()) * width);
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  out[6] = 1;
  out[8] = header.size() & 255;
  out[9] = header.size() >> 8;
  std::memcpy(out.data() + 10, header.data(), header.size());
  const uint8_t *bytes = tensor.storage->bytes().data();
  tensor.forEach([&](int64_t position, uint64_t at) {
    std::memcpy(out.data() + total + static_cast<uint64_t>(position) * width, bytes + at, width);
  });
  return out;
}
