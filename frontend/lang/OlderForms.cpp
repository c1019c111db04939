// The names of earlier releases; see OlderForms.h. Old parameters of functions that still exist are
// parameters of their rows.
#include "frontend/lang/OlderForms.h"
#include "frontend/lang/Table.h"

namespace tilerun::lang {

namespace {
constexpr llvm::StringLiteral kCuda{"triton.language.extra.cuda"};

struct Row {
  llvm::StringLiteral path, name;     ///< The old one.
  llvm::StringLiteral toPath, toName; ///< The one that has its meaning.
  llvm::StringLiteral today;          ///< What is written instead.
};

constexpr Row kRows[] = {
    // Triton 2.0
    {kTl, "libdevice", "triton.language.extra", "libdevice",
     "libdevice, of 'from triton.language.extra import libdevice'"},
    // Triton 2.1
    {kTl, "float8e4", kTl, "float8e4nv", "tl.float8e4nv"},
    {kMath, "max", kTl, "maximum", "tl.maximum"},
    {kMath, "min", kTl, "minimum", "tl.minimum"},
    {kLibdevice, "max", kTl, "maximum", "tl.maximum"},
    {kLibdevice, "min", kTl, "minimum", "tl.minimum"},
    // Triton 3.0 to 3.3
    {kTl, "_experimental_make_tensor_descriptor", kTl, "make_tensor_descriptor",
     "tl.make_tensor_descriptor"},
    {kTl, "_experimental_descriptor_load", kTl, "_experimental_descriptor_load",
     "desc.load(offsets) of a tensor descriptor"},
    {kTl, "_experimental_descriptor_store", kTl, "_experimental_descriptor_store",
     "desc.store(offsets, value) of a tensor descriptor"},
    {kTl, "_experimental_reinterpret_tensor_descriptor", kTl,
     "_experimental_reinterpret_tensor_descriptor", "tl.make_tensor_descriptor"},
    {kCuda, "experimental_device_tensormap_create1d", kTl,
     "_experimental_device_tensormap_create1d", "tl.make_tensor_descriptor"},
    {kCuda, "experimental_device_tensormap_create2d", kTl,
     "_experimental_device_tensormap_create2d", "tl.make_tensor_descriptor"},
    {kCuda, "experimental_tensormap_fenceproxy_acquire", kTl,
     "_experimental_tensormap_fenceproxy_acquire", "tl.make_tensor_descriptor, without a fence"},
};

/// "tl.math.tanh"
std::string spell(llvm::StringRef path, llvm::StringRef name) {
  if (path == kLibdevice)
    return ("libdevice." + name).str();
  std::string out = "tl";
  path.consume_front(kTl);
  return out + path.str() + "." + name.str();
}
} // namespace

std::optional<OlderName> findOlderName(llvm::StringRef path, llvm::StringRef name) {
  for (const Row &row : kRows)
    if (path == row.path && name == row.name)
      return OlderName{spell(path, name), row.today.str(), row.toPath, row.toName};
  // In Triton 2.1, `tl.math` was libdevice.
  if (path == kMath && !isMathName(name) && findBuiltin(kLibdevice, name))
    return OlderName{
        spell(path, name),
        ("libdevice." + name + ", of 'from triton.language.extra import libdevice'").str(),
        kLibdevice, name};
  return std::nullopt;
}

} // namespace tilerun::lang
