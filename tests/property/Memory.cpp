// Loads of blocks: through block pointers and tensor descriptors, inside a tensor or over its
// edges.
#include "tests/property/Builder.h"

using namespace tilerun;
using namespace tilerun::property;

namespace {

std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// A tensor in memory of which a block is read. It has few enough elements for any input.
struct Parent {
  std::vector<std::string> sizes, strides, offsets;
};

Parent makeParent(Builder &b, size_t rank, bool isDescriptor) {
  static constexpr size_t kMost[] = {500, 20, 7};
  Parent parent;
  std::vector<size_t> sizes;
  size_t most = kMost[rank - 1];
  for (size_t i = 0; i < rank; ++i)
    sizes.push_back(1 + b.random.below(most));
  bool isTransposed = !isDescriptor && b.random.chance(30);
  size_t stride = 1;
  for (size_t k = 0; k < rank; ++k) {
    size_t i = isTransposed ? k : rank - 1 - k;
    parent.strides.insert(isTransposed ? parent.strides.end() : parent.strides.begin(),
                          std::to_string(stride));
    stride *= sizes[i] + (k == 0 && rank > 1 ? b.random.below(3) : 0);
  }
  for (size_t size : sizes) {
    parent.sizes.push_back(std::to_string(size));
    // In front of the tensor, in it, or over its end.
    std::string offset = std::to_string(int(b.random.below(size + 4)) - 4);
    if (b.random.chance(40))
      offset = b.random.chance(50) ? "0" : "tl.program_id(0) * 3";
    parent.offsets.push_back(offset);
  }
  return parent;
}

std::vector<std::string> makePlaces(size_t count, size_t from = 0) {
  std::vector<std::string> places;
  for (size_t i = 0; i < count; ++i)
    places.push_back("#" + std::to_string(from + i));
  return places;
}

} // namespace

ExprRef Builder::makeBlockLoad(const ValueType &type, int depth) {
  const Shape &shape = type.shape;
  size_t rank = shape.size();
  if (inHelper || rank == 0 || rank > 3)
    return nullptr;
  std::string input = getInput(type.dtype), block = join(makePlaces(rank));
  bool isReal = type.dtype.isFloat() && !type.dtype.isFp8();
  Traits has;

  bool fitsDescriptor =
      !type.dtype.isBool() && (int64_t(type.dtype.getBits()) << shape.back().twos) >= 128;
  if (fitsDescriptor && random.chance(60)) {
    Parent parent = makeParent(*this, rank, /*isDescriptor=*/true);
    std::string padding;
    if (isReal && random.chance(25)) {
      padding = ", padding_option=\"nan\"";
      has.raw = false;
    }
    if (rank == 2 && shape[0].twos >= 3 && random.chance(40)) { // Rows by their numbers.
      ExprRef rows = make({dtype(Scalar::Int32), {shape[0]}}, depth - 1);
      return makeExpr(type,
                      "tl.make_tensor_descriptor(" + input + ", [" + join(parent.sizes) + "], [" +
                          join(parent.strides) + "], [1, #0]).gather(($0 & 31), " +
                          parent.offsets[1] + ")",
                      {rows}, {shape[1]}, has);
    }
    return makeExpr(type,
                    "tl.make_tensor_descriptor(" + input + ", [" + join(parent.sizes) + "], [" +
                        join(parent.strides) + "], [" + block + "]" + padding + ").load([" +
                        join(parent.offsets) + "])",
                    {}, shape, has);
  }

  std::vector<std::string> axes;
  bool isReversed = random.chance(70);
  for (size_t i = 0; i < rank; ++i)
    axes.push_back(std::to_string(isReversed ? rank - 1 - i : i));
  std::string order = "(" + join(axes) + ",)";

  if (random.chance(35)) { // The whole of a tensor of this shape: nothing to check.
    Shape dims = shape;
    for (size_t i = 0; i + 1 < rank; ++i)
      dims.push_back(getNumElements(Shape(shape.begin() + ptrdiff_t(i) + 1, shape.end())));
    std::vector<std::string> strides = makePlaces(rank - 1, rank), zeros(rank, "0");
    strides.push_back("1");
    return makeExpr(type,
                    "tl.load(tl.make_block_ptr(" + input + " + " +
                        std::to_string(random.below(64)) + ", (" + block + ",), (" + join(strides) +
                        ",), (" + join(zeros) + ",), (" + block + ",), " + order + "))",
                    {}, dims, has);
  }
  Parent parent = makeParent(*this, rank, /*isDescriptor=*/false);
  std::string pointer = "tl.make_block_ptr(" + input + ", (" + join(parent.sizes) + ",), (" +
                        join(parent.strides) + ",), (" + join(parent.offsets) + ",), (" + block +
                        ",), " + order + ")";
  if (random.chance(30)) {
    std::vector<std::string> steps;
    for (size_t i = 0; i < rank; ++i)
      steps.push_back(random.chance(50) ? std::to_string(int(random.below(7)) - 3) : "n0");
    pointer = "tl.advance(" + pointer + ", (" + join(steps) + ",))";
  }
  std::vector<std::string> all;
  for (size_t i = 0; i < rank; ++i)
    all.push_back(std::to_string(i));
  std::string padding = random.chance(50) ? ", padding_option=\"zero\"" : "";
  if (isReal && random.chance(25)) {
    padding = ", padding_option=\"nan\"";
    has.raw = false;
  }
  return makeExpr(type,
                  "tl.load(" + pointer + ", boundary_check=(" + join(all) + ",)" + padding + ")",
                  {}, shape, has);
}
