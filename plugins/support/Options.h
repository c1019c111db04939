// A compiler's options as a table: their values and their setters.
#pragma once

#include "tilerun/plugin.h"

#include <charconv>
#include <string>

namespace tilerun::plugin_support {

/// `set` returns what is wrong with a value, as the end of a sentence, or "".
template <typename Request> struct Option {
  const char *name, *takes;
  std::string (*set)(Request &request, const std::string &value);
};

inline std::string readNumber(const std::string &value, unsigned least, unsigned most,
                              unsigned &out) {
  unsigned number = 0;
  const char *end = value.data() + value.size();
  auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || rest != end || number < least || number > most)
    return "not a number from " + std::to_string(least) + " to " + std::to_string(most);
  out = number;
  return "";
}
inline std::string readPowerOfTwo(const std::string &value, unsigned most, unsigned &out) {
  std::string wrong = readNumber(value, 1, most, out);
  return wrong.empty() && (out & (out - 1)) ? "which is not a power of two" : wrong;
}
inline std::string readTruth(const std::string &value, bool &out) {
  if (value != "true" && value != "false")
    return "not true or false";
  out = value == "true";
  return "";
}

/// A schedule by hand and the name of its file, of requests whose `options` have both.
template <typename Request>
constexpr Option<Request> kScheduleOption = {"schedule", "a schedule by hand, its text",
                                             [](Request &request, const std::string &value) {
                                               request.options.schedule = value;
                                               return std::string();
                                             }};
template <typename Request>
constexpr Option<Request> kScheduleNameOption = {"schedule-name", "its file in diagnostics",
                                                 [](Request &request, const std::string &value) {
                                                   request.options.scheduleName = value;
                                                   return std::string();
                                                 }};

/// Whether a phase of IR is printed with the kernel's source locations, of requests likewise.
template <typename Request>
constexpr Option<Request> kLocationsOption = {"locations", "true or false",
                                              [](Request &request, const std::string &value) {
                                                return readTruth(value, request.options.locations);
                                              }};

/// Sets all options of a request; returns the error's text, or "".
template <typename Table, typename Request>
std::string setOptions(const Table &table, const TilerunPluginCompileRequest &given,
                       Request &request) {
  for (uint32_t i = 0; i < given.num_options; ++i) {
    const std::string name = given.options[i].name, value = given.options[i].value;
    std::string list;
    bool isKnown = false;
    for (const auto &option : table) {
      list += (list.empty() ? "" : ", ") + std::string(option.name) + " (" + option.takes + ")";
      if (name != option.name)
        continue;
      isKnown = true;
      if (std::string wrong = option.set(request, value); !wrong.empty())
        return "option '" + name + "' is '" + value + "', " + wrong;
    }
    if (!isKnown)
      return "there is no option '" + name + "'; there are " + list;
  }
  return "";
}

} // namespace tilerun::plugin_support
