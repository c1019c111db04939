// A compiler's options as a table: their values and their setters.
#pragma once

#include "tilerun/plugin.h"

#include <charconv>
#include <initializer_list>
#include <span>
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

inline std::string readChoice(const std::string &value, std::string &to) {
  if (value != "auto" && value != "off" && value != "on")
    return "not auto, off or on";
  to = value;
  return "";
}

/// num-ctas: clusters that any device with clusters takes.
inline std::string readBlocks(const std::string &value, unsigned &out) {
  constexpr unsigned kMost = 8;
  unsigned number = 0;
  if (!readPowerOfTwo(value, kMost, number).empty())
    return "not 1, 2, 4 or 8";
  out = number;
  return "";
}

/// Accepts a number that has no effect.
template <unsigned least, unsigned most, typename Request>
std::string ignoreNumber(Request &, const std::string &value) {
  unsigned unused = 0;
  return readNumber(value, least, most, unused);
}

/// Those of compilers through LLVM, of requests whose `options` have these members.
template <typename Request>
constexpr Option<Request> kLlvmOptions[] = {
    {"opt-level", "0 to 3",
     [](Request &r, const std::string &v) { return readNumber(v, 0, 3, r.options.optLevel); }},
    {"evictions", "auto, off or on: reads that stay in the caches for a later loop",
     [](Request &r, const std::string &v) { return readChoice(v, r.options.evictions); }},
    {"prefetch", "auto, off or on: loads made one iteration early, in registers",
     [](Request &r, const std::string &v) { return readChoice(v, r.options.prefetch); }}};

/// Those of compilers for GPUs, of requests whose `options` have these members.
template <typename Request>
constexpr Option<Request> kCommonOptions[] = {
    {"num-warps", "warps of 32 threads in a program",
     [](Request &r, const std::string &v) { return readPowerOfTwo(v, 32, r.options.numWarps); }},
    {"num-stages", "stages of pipelined loops",
     [](Request &r, const std::string &v) { return readNumber(v, 0, 64, r.options.numStages); }},
    {"num-ctas", "blocks of threads on which a program runs where it can be divided; 1, 2, 4 or 8",
     [](Request &r, const std::string &v) { return readBlocks(v, r.options.numCtas); }},
    {"debug", "true or false",
     [](Request &r, const std::string &v) { return readTruth(v, r.options.debug); }},
    {"fp-fusion", "true or false: the kernel's products and sums may be fused",
     [](Request &r, const std::string &v) { return readTruth(v, r.options.fpFusion); }},
    {"line-info", "true or false",
     [](Request &r, const std::string &v) { return readTruth(v, r.options.lineInfo); }},
    {"locations", "true or false", // Of phases with TILERUN_PHASE_LOCATIONS.
     [](Request &r, const std::string &v) { return readTruth(v, r.options.locations); }},
    {"schedule", "a schedule by hand, its text",
     [](Request &r, const std::string &v) { return r.options.schedule = v, std::string(); }},
    {"schedule-name", "its file in diagnostics",
     [](Request &r, const std::string &v) { return r.options.scheduleName = v, std::string(); }}};

/// Sets all options of a request, which these tables have; returns the error's text, or "".
template <typename Request>
std::string setOptions(std::initializer_list<std::span<const Option<Request>>> tables,
                       const TilerunPluginCompileRequest &given, Request &request) {
  for (uint32_t i = 0; i < given.num_options; ++i) {
    const std::string name = given.options[i].name, value = given.options[i].value;
    std::string list;
    bool isKnown = false;
    for (std::span<const Option<Request>> table : tables)
      for (const Option<Request> &option : table) {
        list += (list.empty() ? "" : ", ") + std::string(option.name) + " (" + option.takes + ")";
        if (name != option.name)
          continue;
        isKnown = true;
        if (std::string wrong = option.set(request, value); !wrong.empty())
          return "option '" + name + "' is '" + value + "', " + wrong;
      }
    if (!isKnown)
      return "unknown option '" + name + "'; options are " + list;
  }
  return "";
}

} // namespace tilerun::plugin_support
