// The `.npy` reader and writer: files as NumPy writes them, and malformed ones.
#include "tools/tilerun/host/Npy.h"

#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace tilerun;
using namespace tilerun::host;

namespace {

std::vector<uint8_t> makeFile(llvm::StringRef dict, llvm::StringRef data = "", int major = 1) {
  std::string text("\x93NUMPY");
  text += static_cast<char>(major);
  text += '\0';
  size_t length = dict.size();
  text += static_cast<char>(length & 255);
  text += static_cast<char>(length >> 8 & 255);
  if (major > 1)
    text += std::string(2, '\0');
  text += dict.str() + data.str();
  return std::vector<uint8_t>(text.begin(), text.end());
}

std::string getMessage(llvm::ArrayRef<uint8_t> bytes, std::optional<DType> as = std::nullopt) {
  llvm::Expected<Tensor> tensor = parseNpy(bytes, as);
  return tensor ? "no error" : llvm::toString(tensor.takeError());
}

#define EXPECT_MESSAGE(text, ...)                                                                  \
  EXPECT_NE(getMessage(__VA_ARGS__).find(text), std::string::npos) << getMessage(__VA_ARGS__)

TEST(Npy, ReadsAllVersions) {
  for (int major : {1, 2, 3}) {
    llvm::Expected<Tensor> tensor =
        parseNpy(makeFile("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n",
                          llvm::StringRef("\1\0\2\0", 4), major),
                 std::nullopt);
    ASSERT_TRUE(static_cast<bool>(tensor)) << llvm::toString(tensor.takeError());
    EXPECT_EQ(tensor->describe(), "int16[2]");
    EXPECT_EQ(tensor->get(1), 2);
  }
}

TEST(Npy, SwapsBigEndian) {
  llvm::Expected<Tensor> tensor =
      parseNpy(makeFile("{'descr': '>i4', 'fortran_order': False, 'shape': ()}",
                        llvm::StringRef("\0\0\1\2", 4)),
               std::nullopt);
  ASSERT_TRUE(static_cast<bool>(tensor)) << llvm::toString(tensor.takeError());
  EXPECT_EQ(tensor->get(0), 258);
}

TEST(Npy, TransposesFortranOrder) {
  llvm::Expected<Tensor> tensor =
      parseNpy(makeFile("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}",
                        llvm::StringRef("\0\1\2\3\4\5", 6)),
               std::nullopt);
  ASSERT_TRUE(static_cast<bool>(tensor)) << llvm::toString(tensor.takeError());
  llvm::Expected<Array> array = toArray(*tensor);
  ASSERT_TRUE(static_cast<bool>(array));
  EXPECT_EQ(array->data, (std::vector<double>{0, 2, 4, 1, 3, 5}));
}

TEST(Npy, EveryDtypeRoundTrips) {
  for (Scalar scalar : {Scalar::Int1, Scalar::Int8, Scalar::Int16, Scalar::Int32, Scalar::Int64,
                        Scalar::UInt8, Scalar::UInt16, Scalar::UInt32, Scalar::UInt64, Scalar::F16,
                        Scalar::F32, Scalar::F64, Scalar::BF16, Scalar::F8E5, Scalar::F8E4NV,
                        Scalar::F8E4B8, Scalar::F8E5B16, Scalar::F8E4B15}) {
    Tensor tensor = llvm::cantFail(Tensor::create(dtype(scalar), {2, 3}));
    for (int64_t i = 0; i < 6; ++i)
      tensor.set(i, static_cast<double>(i % 2));
    std::vector<uint8_t> bytes = formatNpy(tensor);
    EXPECT_EQ((bytes.size() - 6 * tensor.elementBytes()) % 64, 0u) << "alignment of the data";
    llvm::Expected<Tensor> again = parseNpy(bytes, dtype(scalar));
    ASSERT_TRUE(static_cast<bool>(again))
        << dtype(scalar).str() << llvm::toString(again.takeError());
    EXPECT_EQ(again->describe(), tensor.describe());
    EXPECT_TRUE(again->storage->bytes() == tensor.storage->bytes()) << dtype(scalar).str();
  }
}

TEST(Npy, WritesStridedTensorsInRowMajorOrder) {
  Tensor tensor = llvm::cantFail(Tensor::create(dtype(Scalar::Int8), {2, 2}, {1, 2}));
  for (int64_t i = 0; i < 4; ++i)
    tensor.set(i, static_cast<double>(i));
  std::vector<uint8_t> bytes = formatNpy(tensor);
  EXPECT_EQ(std::vector<uint8_t>(bytes.end() - 4, bytes.end()), (std::vector<uint8_t>{0, 1, 2, 3}));
}

TEST(Npy, HeaderTextIsNumpys) {
  Tensor tensor = llvm::cantFail(Tensor::create(dtype(Scalar::F32), {5}));
  std::vector<uint8_t> bytes = formatNpy(tensor);
  std::string text(bytes.begin(), bytes.end());
  EXPECT_NE(text.find("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"),
            std::string::npos);
  EXPECT_EQ(text[bytes.size() - 5 * 4 - 1], '\n');
}

TEST(Npy, RawTypesNeedADtype) {
  std::vector<uint8_t> file = makeFile("{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}",
                                       llvm::StringRef("\x80\x3f", 2));
  EXPECT_MESSAGE("say what they are", file);
  llvm::Expected<Tensor> tensor = parseNpy(file, dtype(Scalar::BF16));
  ASSERT_TRUE(static_cast<bool>(tensor));
  EXPECT_EQ(tensor->get(0), 1);
  EXPECT_MESSAGE("widths differ", file, dtype(Scalar::F8E5));
}

TEST(Npy, RefusesAnotherDtype) {
  EXPECT_MESSAGE("holds float32, not int32",
                 makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
                          llvm::StringRef("\0\0\0\0", 4)),
                 dtype(Scalar::Int32));
}

TEST(Npy, Truncated) {
  std::vector<uint8_t> file = formatNpy(llvm::cantFail(Tensor::create(dtype(Scalar::F64), {3, 3})));
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_MESSAGE("truncated", llvm::ArrayRef(file).take_front(size));
  file.push_back(0);
  EXPECT_MESSAGE("1 bytes too many", file);
}

TEST(Npy, NotNumpy) {
  EXPECT_MESSAGE("wrong magic", llvm::ArrayRef<uint8_t>(
                                    reinterpret_cast<const uint8_t *>("PK\3\4 a zip archive"), 18));
}

TEST(Npy, UnknownVersion) {
  std::vector<uint8_t> file = makeFile("{}");
  file[6] = 9;
  EXPECT_MESSAGE("version 9.0", file);
}

TEST(Npy, RefusedElementTypes) {
  auto with = [](llvm::StringRef descr) {
    return makeFile(("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}").str());
  };
  EXPECT_MESSAGE("Python objects", with("'|O'"));
  EXPECT_MESSAGE("complex", with("'<c16'"));
  EXPECT_MESSAGE("strings", with("'<U5'"));
  EXPECT_MESSAGE("structured", with("[('a', '<f4')]"));
  EXPECT_MESSAGE("not supported", with("'<f16'"));
  EXPECT_MESSAGE("not supported", with("''"));
}

TEST(Npy, HostileHeaders) {
  EXPECT_MESSAGE("lacks", makeFile("{}"));
  EXPECT_MESSAGE("expected '{'", makeFile("()"));
  EXPECT_MESSAGE("occurs twice", makeFile("{'shape': (), 'shape': ()}"));
  EXPECT_MESSAGE("unknown key", makeFile("{'__import__': 1}"));
  EXPECT_MESSAGE("expected True or False", makeFile("{'fortran_order': 1}"));
  EXPECT_MESSAGE("expected a dimension", makeFile("{'shape': (-1,)}"));
  EXPECT_MESSAGE("too large", makeFile("{'shape': (99999999999999999999,)}"));
  EXPECT_MESSAGE("more than 8", makeFile("{'shape': (1,1,1,1,1,1,1,1,1)}"));
  EXPECT_MESSAGE("limit", makeFile("{'descr': '<f8', 'fortran_order': False, "
                                   "'shape': (4611686018427387904, 4611686018427387904)}"));
  EXPECT_MESSAGE("limit", makeFile("{'descr': '<f8', 'fortran_order': True, "
                                   "'shape': (0, 4611686018427387904, 4)}"));
  EXPECT_MESSAGE("expected ',' or '}'", makeFile("{'descr': '<f4' 'shape': ()}"));
  EXPECT_MESSAGE("expected the end", makeFile("{'descr': '<f4', 'fortran_order': True, "
                                              "'shape': ()} garbage"));
  EXPECT_MESSAGE("a key in quotes", makeFile(std::string(1000, '{')));
}

TEST(Npy, HugeHeaderLengthIsRefusedBeforeReading) {
  std::vector<uint8_t> file = makeFile("{}", "", 2);
  file[11] = 0xff;
  EXPECT_MESSAGE("bytes; at most", file);
}

TEST(Npy, MissingFileNamesThePath) {
  std::string text = llvm::toString(readNpy("/nonexistent/x.npy", std::nullopt).takeError());
  EXPECT_NE(text.find("/nonexistent/x.npy"), std::string::npos);
}

} // namespace
