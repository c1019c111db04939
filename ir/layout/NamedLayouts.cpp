// See NamedLayouts.h.
#include "ir/layout/NamedLayouts.h"

#include "ir/layout/Fragments.h"
#include "ir/layout/MatrixTile.h"
#include "ir/layout/TensorLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilerun::layout;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

bool tilerun::layout::isMemoryLayout(const LinearLayout &layout) {
  return layout.getIns().size() == 1 && layout.hasIn(kOffset);
}

namespace {

using Sizes = llvm::SmallVector<int64_t, 4>;

/// "NAME:SHAPE,WORD=VALUE,…", taken apart. Each form reads the words that it knows.
class Form {
public:
  explicit Form(StringRef text) {
    auto [head, tail] = text.split(',');
    std::tie(name, shapeText) = head.split(':');
    name = name.trim();
    hasTail = head.size() < text.size();
    tail.split(words, ',');
  }

  /// "64x32": numbers from `least`.
  static llvm::Expected<Sizes> parseSizes(StringRef text, StringRef what, int64_t least) {
    llvm::SmallVector<StringRef, 4> parts;
    text.trim().split(parts, 'x');
    Sizes sizes;
    for (StringRef part : parts)
      if (part.getAsInteger(10, sizes.emplace_back()) || sizes.back() < least)
        return makeError("the " + what + " '" + text.trim() +
                         "' is not a list of numbers such as 64x32");
    return sizes;
  }

  llvm::Expected<Sizes> getShape() const {
    if (shapeText.trim().empty())
      return makeError("layout '" + name + "' needs a shape, such as '" + name + ":64x64'");
    llvm::Expected<Sizes> shape = parseSizes(shapeText, "shape", 1);
    if (!shape)
      return shape;
    for (int64_t size : *shape)
      if (!std::has_single_bit(uint64_t(size)))
        return makeError("the size " + Twine(size) + " is not a power of two");
    return shape;
  }

  /// The value of a word, or `otherwise`; the word counts as known.
  llvm::Expected<Sizes> get(StringRef word, Sizes otherwise, size_t count, int64_t least = 1) {
    known.push_back(word);
    for (StringRef given : words) {
      auto [key, value] = given.split('=');
      if (key.trim() != word)
        continue;
      llvm::Expected<Sizes> sizes = parseSizes(value, word, least);
      if (sizes && sizes->size() != count)
        return makeError("'" + given.trim() + "' needs " +
                         (count == 1 ? Twine("one number") : Twine(count) + " numbers"));
      return sizes;
    }
    return otherwise;
  }
  /// A power of two that fits 32 bits.
  llvm::Expected<Sizes> getCounts(StringRef word, Sizes otherwise, size_t count = 1) {
    llvm::Expected<Sizes> sizes = get(word, std::move(otherwise), count);
    if (sizes)
      for (int64_t size : *sizes)
        if (!std::has_single_bit(uint64_t(size)) || size > int64_t(1) << 20)
          return makeError("'" + word + "=" + Twine(size) +
                           "' is not a power of two up to 1048576");
    return sizes;
  }
  /// A permutation of the dimensions, the fastest first; by default the last dimension is.
  llvm::Expected<llvm::SmallVector<unsigned, 4>> getOrder(size_t rank) {
    Sizes backwards;
    for (size_t d = rank; d-- > 0;)
      backwards.push_back(int64_t(d));
    llvm::Expected<Sizes> order = get("order", backwards, rank, 0);
    if (!order)
      return order.takeError();
    if (!std::is_permutation(order->begin(), order->end(), backwards.begin()))
      return makeError("'order' does not list each of the " + Twine(rank) +
                       " dimensions once, from 0");
    return llvm::SmallVector<unsigned, 4>(order->begin(), order->end());
  }
  /// After all words that the form has were read.
  llvm::Error finish() const {
    if (!hasTail)
      return llvm::Error::success();
    for (StringRef given : words)
      if (auto [key, value] = given.split('=');
          !llvm::is_contained(known, key.trim()) || !given.contains('='))
        return makeError("layout '" + name + "' has no word '" + given.trim() + "'; it has " +
                         llvm::join(known, ", "));
    return llvm::Error::success();
  }

  StringRef name, shapeText;

private:
  llvm::SmallVector<StringRef, 4> words;
  llvm::SmallVector<StringRef, 4> known;
  bool hasTail = false;
};

llvm::Expected<LinearLayout> makeBlocked(Form &form, const LayoutDefaults &defaults) {
  llvm::Expected<Sizes> shape = form.getShape();
  if (!shape)
    return shape.takeError();
  llvm::Expected<Sizes> vector = form.getCounts("vector", {1});
  if (!vector)
    return vector.takeError();
  llvm::Expected<Sizes> lanes = form.getCounts("lanes", {defaults.lanes});
  if (!lanes)
    return lanes.takeError();
  llvm::Expected<Sizes> warps = form.getCounts("warps", {defaults.warps});
  if (!warps)
    return warps.takeError();
  llvm::Expected<llvm::SmallVector<unsigned, 4>> order = form.getOrder(shape->size());
  if (!order)
    return order.takeError();
  if (llvm::Error error = form.finish())
    return error;
  return coalescedLayout(*shape, unsigned((*vector)[0]), unsigned((*lanes)[0]),
                         unsigned((*warps)[0]), *order);
}

/// Dimensions of a tensor whose offset is one dimension of a layout.
llvm::Expected<DimList> getMemoryDims(llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<DimList> dims = tensorDims(shape);
  if (dims && LinearLayout::totalBits(*dims) >= kMaxBits)
    return makeError("the tensor has more than 2^63 elements");
  return dims;
}

llvm::Expected<LinearLayout> makeStrided(Form &form) {
  llvm::Expected<Sizes> shape = form.getShape();
  if (!shape)
    return shape.takeError();
  llvm::Expected<llvm::SmallVector<unsigned, 4>> order = form.getOrder(shape->size());
  if (!order)
    return order.takeError();
  if (llvm::Error error = form.finish())
    return error;
  llvm::Expected<DimList> dims = getMemoryDims(*shape);
  if (!dims)
    return dims.takeError();
  BitVectors bases;
  for (unsigned d : *order) {
    unsigned shift = LinearLayout::totalBits(llvm::ArrayRef(*dims).take_front(d));
    for (unsigned bit = 0; bit < (*dims)[d].bits; ++bit)
      bases.push_back(uint64_t(1) << (shift + bit));
  }
  return LinearLayout({Dim(kOffset, unsigned(bases.size()))}, *dims, bases);
}

llvm::Expected<LinearLayout> makeSwizzled(Form &form, unsigned elementBytes, bool isCrossed) {
  llvm::Expected<Sizes> shape = form.getShape();
  if (!shape)
    return shape.takeError();
  if (shape->size() != 2)
    return makeError("layout '" + form.name + "' is of matrices: its shape has two sizes");
  if (llvm::Expected<DimList> dims = getMemoryDims(*shape); !dims)
    return dims.takeError();
  llvm::Expected<Sizes> inner = form.get("inner", {1}, 1, 0);
  if (!inner)
    return inner.takeError();
  if ((*inner)[0] > 1)
    return makeError("'inner' is the contiguous dimension, 0 or 1");
  if (llvm::Error error = form.finish())
    return error;
  return (isCrossed ? crossedTile : swizzledTile)(*shape, unsigned((*inner)[0]), elementBytes);
}

llvm::Expected<LinearLayout> makeFragment(Form &form, FragmentKind kind) {
  LinearLayout fragment = fragmentLayout(kind);
  llvm::Expected<Sizes> warps = form.getCounts("warps", {1, 1}, 2);
  if (!warps)
    return warps.takeError();
  if (llvm::Error error = form.finish())
    return error;
  auto log = [](int64_t size) { return unsigned(std::countr_zero(uint64_t(size))); };
  unsigned warpRows = log((*warps)[0]), warpColumns = log((*warps)[1]);
  unsigned rows = fragment.outBits(dimName(0)) + warpRows,
           columns = fragment.outBits(dimName(1)) + warpColumns;
  if (!form.shapeText.trim().empty()) {
    llvm::Expected<Sizes> shape = form.getShape();
    if (!shape)
      return shape.takeError();
    if (shape->size() != 2)
      return makeError("fragment '" + form.name + "' is of matrices: its shape has two sizes");
    if (llvm::Expected<DimList> dims = tensorDims(*shape); !dims)
      return dims.takeError();
    std::tie(rows, columns) = std::pair(log((*shape)[0]), log((*shape)[1]));
  }
  // Where the tensor is larger than what the warps have, registers continue.
  auto excess = [&](unsigned bits, unsigned dim, unsigned warpBits) {
    unsigned have = fragment.outBits(dimName(dim)) + warpBits;
    return bits > have ? bits - have : 0;
  };
  if (fragment.totalInBits() + warpRows + warpColumns + excess(rows, 0, warpRows) +
          excess(columns, 1, warpColumns) >
      kMaxBits)
    return makeError("the layout has more than 2^64 positions");
  return tileFragment(fragment, rows, columns, warpRows, warpColumns);
}

} // namespace

/// The text inside of `#layout = #distribute.layout<"…">`, or the text.
static StringRef stripAttribute(StringRef text) {
  constexpr StringRef begin = "#distribute.layout<\"", end = "\">";
  size_t at = text.find(begin);
  if (at == StringRef::npos)
    return text;
  StringRef inside = text.drop_front(at + begin.size()).trim();
  return inside.consume_back(end) ? inside : text;
}

llvm::Expected<LinearLayout> tilerun::layout::parseNamedLayout(StringRef text,
                                                               const LayoutDefaults &defaults) {
  text = stripAttribute(text.trim());
  if (text.starts_with("{"))
    return LinearLayout::parse(text);
  Form form(text);
  if (form.name == "blocked")
    return makeBlocked(form, defaults);
  if (form.name == "strided")
    return makeStrided(form);
  if (form.name == "swizzled" || form.name == "crossed")
    return makeSwizzled(form, defaults.elementBytes, form.name == "crossed");
  const auto *fragment = llvm::find_if(
      allFragments(), [&](const FragmentInfo &info) { return info.name == form.name; });
  if (fragment != allFragments().end())
    return makeFragment(form, fragment->kind);
  std::string near;
  for (const FragmentInfo &info : allFragments())
    if (!form.name.empty() && info.name.starts_with(form.name.split('.').first))
      near += (near.empty() ? "; fragments that begin so are " : ", ") + info.name.str();
  return makeError("'" + form.name +
                   "' is not a layout: it is a text '{…} -> (…)', blocked, strided, swizzled, "
                   "crossed, or the name of a matrix instruction's fragment, such as mma.m16n8.d" +
                   near);
}
