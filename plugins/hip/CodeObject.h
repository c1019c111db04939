// Code objects: ELF files for one architecture each, alone or several in a bundle (the offload
// bundle of clang, which compilers of HIP write). The runtime gets no length, so nothing is passed
// on that does not end where its headers say.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace hip {

/// An architecture with settings of its features: "gfx942:sramecc+:xnack-".
struct TargetId {
  std::string_view arch;     ///< "gfx942"
  std::string_view features; ///< ":sramecc+:xnack-"; those that are not named may have any setting.

  static TargetId parse(std::string_view text);
  /// Whether code for this runs on a device.
  bool runsOn(const TargetId &device) const;
};

/// What an artifact is for: "hip:gfx942:cov5" or "hip:gfx942:xnack-:cov5" is a code object of
/// version 5, "hip:bundle:cov5" a bundle of such.
struct Compatibility {
  std::string_view target; ///< Empty: the text has another form.
  unsigned version = 0;

  bool isBundle() const { return target == "bundle"; }
  static Compatibility parse(std::string_view text);
};

/// The code object in `bytes` that runs on a device, which may be all of them. Empty, with the
/// reason, if there is none, or if it is not whole.
std::string_view findCodeObject(std::string_view bytes, const TargetId &device,
                                std::string &reason);
/// The version of a code object, 4 or more; 0 if it says none.
unsigned getVersion(std::string_view codeObject);

/// A bundle of code objects, each with the name of its target.
std::string makeBundle(std::span<const std::pair<std::string_view, std::string_view>> objects);

} // namespace hip
