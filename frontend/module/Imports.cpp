// Imports: which file a module's name stands for. Looked for beside the importing file and, if that
// file is in a package (folders with __init__.py), from the package's root, and below the folders
// of TILERUN_IMPORT_PATH; nowhere else.
#include "frontend/module/ModuleReader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tilerun::ast;

namespace tilerun {

/// Whether a path is a file; the loader remembers what was asked.
using IsFile = function_ref<bool(StringRef)>;

/// The file of a dotted module below a folder, or empty.
static std::string findBelow(StringRef folder, StringRef dotted, IsFile isFile) {
  SmallString<256> base(folder);
  SmallVector<StringRef, 4> parts;
  dotted.split(parts, '.', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts)
    sys::path::append(base, part);
  // Both a file and a package may have the name; Python takes the package.
  SmallString<256> package(base);
  sys::path::append(package, "__init__.py");
  if (isFile(package))
    return package.str().str();
  if (parts.empty())
    return {};
  base += ".py";
  return isFile(base) ? base.str().str() : std::string();
}

static bool isPackage(StringRef folder, IsFile isFile) {
  SmallString<256> init(folder);
  sys::path::append(init, "__init__.py");
  return isFile(init);
}

/// The folder of a file, as an absolute path.
static std::string folderOf(StringRef path) {
  SmallString<256> absolute(path);
  if (sys::fs::make_absolute(absolute))
    return {};
  sys::path::remove_dots(absolute, /*remove_dot_dot=*/true);
  return sys::path::parent_path(absolute).str();
}

/// `found`, written relative to how `importer` was written: names of files are in artifacts, which
/// must not depend on where a project lies.
static std::string spellLike(StringRef importer, StringRef found) {
  if (sys::path::is_absolute(importer))
    return found.str();
  std::string folder = folderOf(importer);
  auto from = sys::path::begin(folder), fromEnd = sys::path::end(folder);
  auto to = sys::path::begin(found), toEnd = sys::path::end(found);
  while (from != fromEnd && to != toEnd && *from == *to)
    ++from, ++to;
  SmallString<256> out(sys::path::parent_path(importer));
  for (; from != fromEnd; ++from)
    sys::path::append(out, "..");
  for (; to != toEnd; ++to)
    sys::path::append(out, *to);
  sys::path::remove_dots(out, /*remove_dot_dot=*/true);
  return out.str().str();
}

/// The folder that holds the outermost package of `folder`; the folder itself if it is not a
/// package.
static std::string packageRoot(StringRef folder, IsFile isFile) {
  std::string root = folder.str();
  while (!root.empty() && isPackage(root, isFile) && sys::path::parent_path(root) != root)
    root = sys::path::parent_path(root).str();
  return root;
}

/// Names longer than any file name, or made to confuse paths, are never looked up.
static bool isSafe(StringRef dotted) {
  return dotted.size() < 200 && !dotted.contains('/') && !dotted.contains('\\') &&
         !dotted.contains('\0');
}

/// The variable that lists further folders, with ':' between them.
static constexpr StringLiteral kImportPath{"TILERUN_IMPORT_PATH"};

uint32_t ModuleReader::findModule(StringRef dotted, unsigned level) const {
  if (level == 0)
    if (auto it = loader.provided.find(dotted); it != loader.provided.end())
      return it->second;
  if (!loader.followImports || !isSafe(dotted))
    return 0;
  StringRef top = dotted.split('.').first;
  // The compiler has these built in; a folder of that name is something else, or too much.
  if (level == 0 && (top == "triton" || top == "torch" || top == "numpy"))
    return 0;
  auto isFile = [this](StringRef path) { return loader.isFile(path); };
  std::string folder = folderOf(module.path);
  std::string found;
  if (level > 0) {
    for (unsigned i = 1; i < level && !folder.empty(); ++i)
      folder = sys::path::parent_path(folder).str();
    found = folder.empty() ? std::string() : findBelow(folder, dotted, isFile);
  } else {
    found = findBelow(folder, dotted, isFile);
    if (std::string root = packageRoot(folder, isFile); found.empty() && root != folder)
      found = findBelow(root, dotted, isFile);
    // Folders without __init__.py may be parts of packages as well: from the folder that holds the
    // package of the import's name.
    for (StringRef up = folder; found.empty() && up.size() > 1; up = sys::path::parent_path(up))
      if (sys::path::filename(up) == top && isPackage(up, isFile))
        found = findBelow(sys::path::parent_path(up), dotted, isFile);
    const std::string further = loader.getEnvironment(kImportPath).value_or("");
    for (StringRef path : split(further, ':')) {
      SmallString<256> absolute(path);
      if (found.empty() && !path.empty() && !sys::fs::make_absolute(absolute))
        found = findBelow(absolute, dotted, isFile);
    }
  }
  if (found.empty())
    return 0;
  // An import that cannot be read is like one that is not there: its names stay unknown.
  Expected<uint32_t> file = loader.sources.addFile(spellLike(module.path, found));
  if (!file) {
    consumeError(file.takeError());
    return 0;
  }
  return *file;
}

/// Modules that are never beside a kernel: what they offer kernels is built in, or they are host
/// code.
static bool isKnownHostModule(StringRef top) {
  return llvm::StringSwitch<bool>(top)
      .Cases({"triton", "torch", "numpy", "math", "typing", "collections"}, true)
      .Cases({"__future__", "abc", "argparse", "ast", "asyncio", "atexit", "base64", "builtins"},
             true)
      .Cases({"cmath", "contextlib", "copy", "csv", "ctypes", "dataclasses", "datetime", "difflib"},
             true)
      .Cases({"enum", "fractions", "functools", "gc", "glob", "hashlib", "importlib", "inspect"},
             true)
      .Cases({"io", "itertools", "json", "logging", "multiprocessing", "numbers", "operator", "os"},
             true)
      .Cases({"pathlib", "pickle", "platform", "pprint", "random", "re", "shutil", "signal"}, true)
      .Cases({"socket", "statistics", "string", "struct", "subprocess", "sys", "tempfile"}, true)
      .Cases({"textwrap", "threading", "time", "traceback", "types", "unittest", "uuid"}, true)
      .Cases({"warnings", "weakref", "typing_extensions", "pytest", "scipy"}, true)
      .Default(false);
}

/// What is known of whether an import succeeds.
TriedImport ModuleReader::classify(StringRef dotted, unsigned level, StringRef name) const {
  using Kind = TriedImport::Kind;
  TriedImport out;
  out.path = absolutePath(dotted, level);
  out.name = name.str();
  const std::string whole = dotted.empty() ? name.str()
                            : name.empty() ? dotted.str()
                                           : (dotted + "." + name).str();
  uint32_t own = findModule(whole, level), parent = name.empty() ? 0 : findModule(dotted, level);
  StringRef top = dotted.split('.').first;
  if (own || parent) {
    out.kind = own ? Kind::File : Kind::FromFile;
    out.module = loader.request(own ? own : parent);
    out.kind = out.module ? out.kind : Kind::Unknown;
  } else if (level > 0) {
    out.kind = Kind::Absent;
  } else if (top == "triton") {
    out.kind = Kind::Language;
  } else if (top == "torch" || top == "numpy" || top == "scipy" || top == "pytest") {
    // Their parts differ among releases.
    const bool isNeeded = top == "torch" || top == "numpy";
    out.kind = isNeeded && whole == top ? Kind::Standard : Kind::Unknown;
  } else if (isKnownHostModule(top)) {
    out.kind = Kind::Standard;
  } else {
    out.kind = Kind::Foreign;
    out.searched = describeSearch(dotted, level);
  }
  return out;
}

std::string ModuleReader::describeSearch(StringRef dotted, unsigned level) const {
  if (!loader.followImports || (level == 0 && isKnownHostModule(dotted.split('.').first)))
    return {};
  auto isFile = [this](StringRef path) { return loader.isFile(path); };
  std::string out = "beside '" + module.path + "'", folder = folderOf(module.path);
  if (level > 0)
    return out;
  if (std::string root = packageRoot(folder, isFile); root != folder)
    out += " and in '" + spellLike(module.path, root) + "'";
  if (std::string further = loader.getEnvironment(kImportPath).value_or(""); !further.empty())
    out += " and in TILERUN_IMPORT_PATH ('" + further + "')";
  return out;
}

/// The dotted path with the packages of this file in front of a relative one.
std::string ModuleReader::absolutePath(StringRef dotted, unsigned level) const {
  if (level == 0)
    return dotted.str();
  std::string prefix;
  auto isFile = [this](StringRef path) { return loader.isFile(path); };
  if (loader.followImports) {
    std::string folder = folderOf(module.path);
    for (unsigned i = 1; i < level && !folder.empty(); ++i)
      folder = sys::path::parent_path(folder).str();
    while (!folder.empty() && isPackage(folder, isFile) &&
           sys::path::parent_path(folder) != folder) {
      prefix = (sys::path::filename(folder) + (prefix.empty() ? "" : "." + prefix)).str();
      folder = sys::path::parent_path(folder).str();
    }
  }
  if (prefix.empty())
    return dotted.str();
  return dotted.empty() ? prefix : prefix + "." + dotted.str();
}

void ModuleReader::resolveImport(const ImportStmt &stmt, bool find, Bind bind) {
  for (const ImportName &name : stmt.names) {
    // `import a.b` binds a; `import a.b as c` binds c to a.b.
    StringRef bound = name.alias.empty() ? name.name.split('.').first : name.alias;
    StringRef path = name.alias.empty() ? bound : name.name;
    aliases.try_emplace(bound, path.str());
    Global global;
    global.kind = Global::Kind::Module;
    global.path = path.str();
    global.range = name.range;
    if (find)
      noteTried(name.name, 0, "");
    if (uint32_t file = find ? findModule(path, 0) : 0)
      global.module = loader.request(file);
    else if (find)
      global.searched = describeSearch(path, 0);
    bind(bound, std::move(global));
    // `a.b.c` is reached through `a`.
    if (find && name.alias.empty() && name.name != bound)
      for (size_t dot = bound.size(); dot != StringRef::npos;) {
        dot = name.name.find('.', dot + 1);
        StringRef part = name.name.take_front(dot);
        if (uint32_t file = findModule(part, 0))
          module.importedModules.try_emplace(part.str(), loader.request(file));
      }
  }
}

void ModuleReader::resolveFromImport(const ImportFromStmt &stmt, bool find, Bind bind) {
  std::string path = absolutePath(stmt.module, stmt.level);
  uint32_t file = find ? findModule(stmt.module, stmt.level) : 0;
  LoadedModule *from = file ? loader.request(file) : nullptr;
  for (const ImportName &name : stmt.names) {
    if (find)
      noteTried(stmt.module, stmt.level, name.name == "*" ? "" : name.name);
    if (name.name == "*") {
      if (!find || !atModuleLevel())
        continue;
      if (from && from != &module) {
        module.starImports.push_back(from);
        module.starOffsets.push_back(name.range.begin.offset);
      } else if (!from) {
        // The names that it brings and replaces are unknown; the language's own are not those of
        // constants.
        if (path.rfind("triton", 0) != 0)
          for (auto &global : module.globals)
            if (global.second.kind == Global::Kind::Value)
              global.second.change.add({Doubt::Binding, name.range});
        module.starImportPaths.push_back(path);
        if (std::string searched = describeSearch(stmt.module, stmt.level); !searched.empty())
          module.missingStarImports[path] = searched;
      }
      continue;
    }
    StringRef bound = name.alias.empty() ? name.name : name.alias;
    std::string full = path.empty() ? name.name.str() : path + "." + name.name.str();
    aliases.try_emplace(bound, full);
    Global global;
    global.range = name.range;
    // The imported name may itself be a module.
    std::string submodule =
        stmt.module.empty() ? name.name.str() : (stmt.module + "." + name.name).str();
    if (uint32_t subfile = find ? findModule(submodule, stmt.level) : 0) {
      global.kind = Global::Kind::Module;
      global.path = full;
      global.module = loader.request(subfile);
    } else {
      global.kind = Global::Kind::ImportedName;
      global.path = path;
      global.importedName = name.name.str();
      global.module = from;
      if (find && !from)
        global.searched = describeSearch(stmt.module, stmt.level);
    }
    bool isMissing = find && stmt.level > 0 && loader.followImports && !global.module;
    bind(bound, std::move(global));
    if (isMissing)
      missingImports.insert(bound);
  }
}

// Most host functions import what kernels have no use for: their files are not read.

void ModuleReader::readImport(const ImportStmt &stmt) {
  bool isGlobal = atModuleLevel();
  resolveImport(stmt, isGlobal, [&](StringRef name, Global global) {
    isGlobal ? bind(name, std::move(global)) : bindLocally(name, std::move(global));
  });
}

void ModuleReader::readFromImport(const ImportFromStmt &stmt) {
  bool isGlobal = atModuleLevel();
  resolveFromImport(stmt, isGlobal, [&](StringRef name, Global global) {
    isGlobal ? bind(name, std::move(global)) : bindLocally(name, std::move(global));
  });
}

} // namespace tilerun
