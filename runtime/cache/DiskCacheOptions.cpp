// Where the store is and how large it may be, as the environment says.
#include "runtime/cache/DiskCache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace tilerun::cache;

std::optional<uint64_t> tilerun::cache::parseSize(llvm::StringRef text) {
  text = text.trim();
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  std::string unit = text.drop_front(digits.size()).trim().lower();
  uint64_t number = 0;
  if (digits.getAsInteger(10, number))
    return std::nullopt;
  static constexpr llvm::StringLiteral kUnits[] = {"", "k", "m", "g", "t"};
  for (auto [power, letter] : llvm::enumerate(kUnits)) {
    unsigned shift = static_cast<unsigned>(10 * power);
    bool plain = unit == letter || (power == 0 && unit == "b");
    if (!plain && !(power && (unit == (letter + "b").str() || unit == (letter + "ib").str())))
      continue;
    if (shift && number >> (64 - shift))
      return std::nullopt;
    return number << shift;
  }
  return std::nullopt;
}

static bool isOn(llvm::StringRef text) {
  return text == "on" || text == "1" || text == "yes" || text == "true";
}

static bool isOff(llvm::StringRef text) {
  return text == "off" || text == "0" || text == "no" || text == "false";
}

DiskCacheOptions DiskCacheOptions::fromEnvironment(std::function<void(const std::string &)> warn,
                                                   const std::string &folder) {
  DiskCacheOptions options;
  options.warn = std::move(warn);
  auto tell = [&](const std::string &text) {
    if (options.warn)
      options.warn(text);
  };
  auto get = [](const char *name) {
    const char *value = secure_getenv(name);
    return std::string(value ? value : "");
  };
  std::string use = llvm::StringRef(get("TILERUN_CACHE")).trim().lower();
  if (isOff(use))
    return options;
  if (!use.empty() && !isOn(use))
    tell("TILERUN_CACHE is '" + use + "', neither 'on' nor 'off'; the cache is on");
  if (std::string size = get("TILERUN_CACHE_SIZE"); !size.empty()) {
    if (std::optional<uint64_t> bytes = parseSize(size))
      options.maxBytes = *bytes;
    else
      tell("TILERUN_CACHE_SIZE is '" + size +
           "', which is not a size such as 512M or 2G; 1G is used");
  }
  std::string shared = llvm::StringRef(get("TILERUN_CACHE_SHARED")).trim().lower();
  options.shared = isOn(shared);
  if (!shared.empty() && !options.shared && !isOff(shared))
    tell("TILERUN_CACHE_SHARED is '" + shared + "', neither 'on' nor 'off'; it is off");
  options.folder = folder.empty() ? get("TILERUN_CACHE_DIR") : folder;
  if (!options.folder.empty())
    return options;
  // The XDG specification says to ignore relative folders.
  if (std::string xdg = get("XDG_CACHE_HOME"); !xdg.empty() && xdg[0] == '/')
    options.folder = xdg + "/tilerun";
  else if (std::string home = files::getHome(); !home.empty())
    options.folder = home + "/.cache/tilerun";
  else
    tell("no home folder was found for the cache; set TILERUN_CACHE_DIR to a folder, or "
         "TILERUN_CACHE=off");
  return options;
}
