// Maps the lines in a log of NVIDIA's assembler, which are lines of PTX, to lines of the kernel.
// Free of LLVM, because some plugins are; tools use it too.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace tilerun::plugin_support {

namespace ptx_lines {

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

/// The path of `.file 1 "PATH"`.
inline std::string findFile(const std::vector<std::string_view> &lines, long number) {
  for (std::string_view line : lines) {
    std::string_view text = trim(line);
    if (!text.starts_with(".file"))
      continue;
    std::string rest(text.substr(5));
    char *end = nullptr;
    if (std::strtol(rest.c_str(), &end, 10) != number)
      continue;
    std::string_view path = trim(end);
    size_t close = path.find('"', 1);
    if (!path.empty() && path.front() == '"' && close != std::string_view::npos)
      return std::string(path.substr(1, close - 1));
  }
  return "";
}

/// `.loc FILE LINE COLUMN` as "path:line:column"; empty for other text.
inline std::string readDirective(const std::vector<std::string_view> &lines,
                                 std::string_view text) {
  long file = 0, line = 0, column = 0;
  if (!text.starts_with(".loc") ||
      std::sscanf(std::string(text.substr(4)).c_str(), "%9ld %9ld %9ld", &file, &line, &column) !=
          3 ||
      line < 1)
    return "";
  std::string path = findFile(lines, file);
  return path.empty() ? "" : path + ":" + std::to_string(line) + ":" + std::to_string(column);
}

/// The place in the kernel of a line (from 0) of the PTX: from the marker that begins the kernel's
/// inline assembly, or the nearest `.loc` above; empty if there is neither.
inline std::string findPlace(const std::vector<std::string_view> &lines, size_t at) {
  bool isOutside = false; // Of the assembly that the search is passing.
  for (size_t i = at + 1; i-- > 0;) {
    std::string_view text = trim(lines[i]);
    if (i < at && text == "// end inline asm")
      isOutside = true;
    if (text == "// begin inline asm") {
      std::string_view mark = i + 1 < lines.size() ? trim(lines[i + 1]) : "";
      if (!isOutside && mark.starts_with("// ") && mark.find(':') != std::string_view::npos)
        return std::string(mark.substr(3));
      isOutside = false;
    }
    if (std::string place = readDirective(lines, text); !place.empty())
      return place;
    if (text.find(".entry") != std::string_view::npos || text.starts_with(".func"))
      break;
  }
  return "";
}

} // namespace ptx_lines

/// The text to append to a log that names lines of `ptx` ("…, line 33; error …"): a sentence for
/// each of the first few that are known to come from a line of the kernel. Empty if none is.
inline std::string explainPtxLines(std::string_view log, std::string_view ptx) {
  constexpr size_t kMostPlaces = 8;
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= ptx.size();) {
    size_t end = std::min(ptx.find('\n', begin), ptx.size());
    lines.push_back(ptx.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string out;
  std::vector<size_t> seen;
  constexpr std::string_view kWord = ", line ";
  for (size_t at = log.find(kWord); at != std::string_view::npos && seen.size() < kMostPlaces;
       at = log.find(kWord, at + 1)) {
    size_t number = 0;
    for (size_t i = at + kWord.size();
         i < log.size() && std::isdigit(static_cast<unsigned char>(log[i])) &&
         number < lines.size();
         ++i)
      number = number * 10 + static_cast<size_t>(log[i] - '0');
    if (number < 1 || number > lines.size() ||
        std::find(seen.begin(), seen.end(), number) != seen.end())
      continue;
    seen.push_back(number);
    if (std::string place = ptx_lines::findPlace(lines, number - 1); !place.empty())
      out += "\nline " + std::to_string(number) + " of the PTX comes from " + place;
  }
  return out;
}

} // namespace tilerun::plugin_support
