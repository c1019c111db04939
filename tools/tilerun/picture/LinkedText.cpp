// See LinkedText.h.
#include "tools/tilerun/picture/LinkedText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

#include <map>
#include <optional>
#include <set>

using namespace tilerun;
using namespace tilerun::picture;

using Sources = std::set<unsigned>;

static void setSources(LinkedLine &line, const Sources &sources) {
  line.sources.assign(sources.begin(), sources.end());
}

/// Takes a string in quotes from the beginning, with its escapes resolved as far as paths have any.
static std::string takeString(llvm::StringRef &text) {
  std::string out;
  size_t i = 1;
  for (; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size())
      ++i;
    out += text[i];
  }
  text = text.drop_front(std::min(i + 1, text.size()));
  return out;
}

//===----------------------------------------------------------------------===//
// MLIR
//===----------------------------------------------------------------------===//

namespace {
class MlirLinker {
public:
  MlirLinker(llvm::StringRef text, llvm::StringRef path) : text(text), path(path) {}
  std::vector<LinkedLine> run();

private:
  void readAliases();
  void addSources(llvm::StringRef location, Sources &sources, unsigned depth = 0) const;
  std::string takeLocations(llvm::StringRef line, Sources &sources) const;

  llvm::StringRef text, path;
  llvm::StringMap<llvm::StringRef> aliases; ///< "#loc3" to what is in its parentheses.
};
} // namespace

void MlirLinker::readAliases() {
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (line.starts_with("#loc")) {
      auto [name, value] = line.split(" = ");
      aliases[name.trim()] = value;
    }
}

/// Source lines of "file":line:column and of aliases in a location.
void MlirLinker::addSources(llvm::StringRef location, Sources &sources, unsigned depth) const {
  constexpr unsigned kDeepest = 64;
  while (!location.empty() && depth < kDeepest) {
    if (location.front() == '"') {
      const std::string file = takeString(location);
      llvm::StringRef rest = location;
      unsigned line = 0;
      if (rest.consume_front(":") && !rest.consumeInteger(10, line) && file == path)
        sources.insert(line);
      continue;
    }
    if (location.starts_with("#loc")) {
      const llvm::StringRef name =
          location.take_while([](char c) { return llvm::isAlnum(c) || c == '#' || c == '_'; });
      location = location.drop_front(name.size());
      if (auto it = aliases.find(name); it != aliases.end())
        addSources(it->second, sources, depth + 1);
      continue;
    }
    location = location.drop_front();
  }
}

/// The line without its locations.
std::string MlirLinker::takeLocations(llvm::StringRef line, Sources &sources) const {
  std::string out;
  while (!line.empty()) {
    if (line.front() == '"') {
      const llvm::StringRef before = line;
      (void)takeString(line);
      out += before.drop_back(line.size());
      continue;
    }
    const bool begins = line.starts_with("loc(") && (out.empty() || !llvm::isAlnum(out.back()));
    if (!begins) {
      out += line.front();
      line = line.drop_front();
      continue;
    }
    llvm::StringRef rest = line.drop_front(4);
    for (unsigned depth = 1; !rest.empty() && depth;) {
      if (rest.front() == '"') {
        (void)takeString(rest);
        continue;
      }
      depth += rest.front() == '(' ? 1 : rest.front() == ')' ? -1 : 0;
      rest = rest.drop_front();
    }
    addSources(line.drop_back(rest.size()), sources);
    line = rest;
    out = llvm::StringRef(out).rtrim(' ').str();
  }
  return llvm::StringRef(out).rtrim().str();
}

std::vector<LinkedLine> MlirLinker::run() {
  readAliases();
  std::vector<LinkedLine> lines;
  std::vector<std::vector<size_t>> open; ///< Lines that begin and divide the regions of an op.
  for (llvm::StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    if (line.starts_with("#loc"))
      continue;
    Sources sources;
    LinkedLine out{takeLocations(line, sources), {}};
    const llvm::StringRef trimmed = llvm::StringRef(out.text).trim();
    const bool closes = trimmed.starts_with("}"), opens = trimmed.ends_with("{");
    // The place of an op with regions stands behind the last of them.
    if (closes && !open.empty()) {
      if (opens) {
        open.back().push_back(lines.size());
      } else {
        for (size_t other : open.back())
          setSources(lines[other], sources);
        open.pop_back();
      }
    } else if (opens) {
      open.push_back({lines.size()});
    }
    setSources(out, sources);
    lines.push_back(std::move(out));
  }
  return lines;
}

std::vector<LinkedLine> picture::linkMlir(llvm::StringRef text, llvm::StringRef path) {
  return MlirLinker(text, path).run();
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static bool isPath(llvm::StringRef declared, llvm::StringRef path) {
  return declared == path || declared.ends_with(("/" + path).str());
}

/// The number of a file that `.file N "folder" "name"` or `.file N "path"` declares as `path`.
static bool declares(llvm::StringRef rest, llvm::StringRef path, unsigned &number) {
  rest = rest.ltrim();
  if (rest.consumeInteger(10, number))
    return false;
  // In PTX, names have no escapes, and apostrophes in place of quotation marks.
  std::string inPtx = path.str();
  llvm::replace(inPtx, '"', '\'');
  if (rest = rest.ltrim(); isPath(rest.drop_front().split('"').first, inPtx))
    return true;
  llvm::SmallString<128> whole;
  while (rest = rest.ltrim(), rest.starts_with("\"")) {
    const std::string part = takeString(rest);
    if (llvm::sys::path::is_absolute(part))
      whole = part;
    else
      llvm::sys::path::append(whole, part);
  }
  return isPath(whole, path);
}

/// Lines of `.loc FILE LINE COLUMN …, inlined_at FILE LINE COLUMN …`.
static Sources readLoc(llvm::StringRef rest, const std::set<unsigned> &files) {
  Sources sources;
  while (true) {
    unsigned file = 0, line = 0;
    rest = rest.ltrim();
    if (rest.consumeInteger(10, file))
      return sources;
    rest = rest.ltrim();
    if (rest.consumeInteger(10, line))
      return sources;
    if (files.count(file) && line)
      sources.insert(line);
    const size_t next = rest.find("inlined_at");
    if (next == llvm::StringRef::npos)
      return sources;
    rest = rest.drop_front(next + llvm::StringRef("inlined_at").size());
  }
}

std::vector<LinkedLine> picture::linkAssembly(llvm::StringRef text, llvm::StringRef path) {
  // Files are declared before or after the code.
  std::set<unsigned> files;
  std::set<std::string> names; ///< Of SPIR-V: "%7".
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    llvm::StringRef rest = line.trim();
    unsigned number = 0;
    if (rest.consume_front(".file") && declares(rest, path, number))
      files.insert(number);
    if (auto [name, value] = rest.split(" = OpString "); value.trim().starts_with("\"")) {
      value = value.trim();
      if (takeString(value) == path)
        names.insert(name.trim().str());
    }
  }
  std::vector<LinkedLine> lines;
  Sources current;
  bool isDebug = false;
  for (llvm::StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    llvm::StringRef rest = line.trim();
    if (rest.starts_with(".section"))
      isDebug = rest.contains(".debug");
    if (rest.consume_front(".loc")) {
      current = readLoc(rest, files);
      continue;
    }
    if (rest.consume_front("OpLine ")) {
      auto [name, place] = rest.split(' ');
      unsigned number = 0;
      current.clear();
      if (names.count(name.str()) && !place.ltrim().consumeInteger(10, number))
        current.insert(number);
      continue;
    }
    if (rest == "OpNoLine")
      current.clear();
    const bool isNoise = isDebug || rest.starts_with(".file") || rest == "OpNoLine";
    if (isNoise) {
      isDebug &= rest != "}";
      continue;
    }
    LinkedLine out{line.rtrim().str(), {}};
    // Labels and directives belong to no line; code ends with its function.
    const bool isCode = !rest.empty() && rest.front() != '.' && !rest.ends_with(":") &&
                        !rest.starts_with("//") && !rest.starts_with(";");
    if (isCode)
      setSources(out, current);
    if (line == "}" || rest.starts_with("OpFunctionEnd") || rest.starts_with("s_endpgm"))
      current.clear();
    lines.push_back(std::move(out));
  }
  return lines;
}

/// Lines of `//## File "FILE", line LINE inlined at "FILE", line LINE`.
static void readSassComment(llvm::StringRef rest, llvm::StringRef path, Sources &sources) {
  while (true) {
    auto [before, quoted] = rest.split('"');
    auto [name, after] = quoted.split('"');
    unsigned line = 0;
    if (!after.consume_front(", line ") || after.consumeInteger(10, line))
      return;
    if (line && (name == path || name.ends_with(("/" + path).str())))
      sources.insert(line);
    rest = after;
  }
}

std::vector<LinkedLine> picture::linkSass(llvm::StringRef text, llvm::StringRef path) {
  std::vector<LinkedLine> lines;
  Sources current;
  bool isInComment = false;
  for (llvm::StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    const llvm::StringRef rest = line.trim();
    // Comments that follow each other are the calls of one place.
    if (rest.starts_with("//## File ")) {
      if (!isInComment)
        current.clear();
      isInComment = true;
      readSassComment(rest, path, current);
      continue;
    }
    isInComment = false;
    LinkedLine out{line.rtrim().str(), {}};
    if (rest.starts_with("/*"))
      setSources(out, current);
    else if (rest.starts_with(".section"))
      current.clear();
    lines.push_back(std::move(out));
  }
  return lines;
}

//===----------------------------------------------------------------------===//
// LLVM IR
//===----------------------------------------------------------------------===//

namespace {
/// Debug information of a module, as far as lines need it.
class LlvmLinker {
public:
  LlvmLinker(llvm::StringRef text, llvm::StringRef path) : text(text), path(path) {}
  std::vector<LinkedLine> run();

private:
  /// The number after a field's name, "line: 7" or "scope: !7".
  static std::optional<unsigned> getNumber(llvm::StringRef node, llvm::StringRef field);
  bool isOfSource(std::optional<unsigned> scope) const;
  Sources getSources(std::optional<unsigned> location) const;

  static constexpr unsigned kDeepest = 64;
  llvm::StringRef text, path;
  std::map<unsigned, llvm::StringRef> nodes;
};
} // namespace

std::optional<unsigned> LlvmLinker::getNumber(llvm::StringRef node, llvm::StringRef field) {
  const size_t at = node.find((field + ": ").str());
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef rest = node.drop_front(at + field.size() + 2);
  rest.consume_front("!");
  unsigned number = 0;
  return rest.consumeInteger(10, number) ? std::nullopt : std::optional(number);
}

/// Whether a scope, or the one that it is in, names the source as its file.
bool LlvmLinker::isOfSource(std::optional<unsigned> scope) const {
  for (unsigned depth = 0; scope && depth < kDeepest; ++depth) {
    const auto node = nodes.find(*scope);
    if (node == nodes.end())
      return false;
    const std::optional<unsigned> file = getNumber(node->second, "file");
    const auto named = file ? nodes.find(*file) : nodes.end();
    if (named != nodes.end()) {
      const size_t at = named->second.find("filename: \"");
      llvm::StringRef name = at == llvm::StringRef::npos ? "" : named->second.drop_front(at + 10);
      const std::string given = name.empty() ? "" : takeString(name);
      return given == path || path.ends_with("/" + given) ||
             llvm::StringRef(given).ends_with(("/" + path).str());
    }
    scope = getNumber(node->second, "scope");
  }
  return false;
}

Sources LlvmLinker::getSources(std::optional<unsigned> location) const {
  Sources sources;
  for (unsigned depth = 0; location && depth < kDeepest; ++depth) {
    const auto node = nodes.find(*location);
    if (node == nodes.end())
      break;
    const unsigned line = getNumber(node->second, "line").value_or(0);
    if (line && isOfSource(getNumber(node->second, "scope")))
      sources.insert(line);
    location = getNumber(node->second, "inlinedAt");
  }
  return sources;
}

std::vector<LinkedLine> LlvmLinker::run() {
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    auto [name, node] = line.split(" = ");
    unsigned number = 0;
    if (name.consume_front("!") && !name.getAsInteger(10, number))
      nodes[number] = node;
  }
  std::vector<LinkedLine> lines;
  for (llvm::StringRef line : llvm::split(text.rtrim('\n'), '\n')) {
    if (line.starts_with("!"))
      continue;
    LinkedLine out{line.rtrim().str(), {}};
    if (const size_t at = line.find(", !dbg !"); at != llvm::StringRef::npos) {
      llvm::StringRef rest = line.drop_front(at + 8);
      unsigned location = 0;
      if (!rest.consumeInteger(10, location))
        setSources(out, getSources(location));
      out.text = (line.take_front(at) + rest).str();
    }
    lines.push_back(std::move(out));
  }
  return lines;
}

std::vector<LinkedLine> picture::linkLlvm(llvm::StringRef text, llvm::StringRef path) {
  return LlvmLinker(text, path).run();
}

std::vector<LinkedLine> picture::linkCode(llvm::StringRef text, llvm::StringRef path) {
  if (text.contains("\n#loc") || text.starts_with("#loc") || text.contains(" loc("))
    return linkMlir(text, path);
  return text.contains(", !dbg !") ? linkLlvm(text, path) : linkAssembly(text, path);
}
