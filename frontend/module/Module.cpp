// Loaded modules and the queue of files to read. Files are read one after the other, never inside
// each other, so that neither cycles nor long chains of imports matter.
#include "frontend/module/Module.h"
#include "frontend/module/ModuleReader.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tilerun {

/// Files that one compilation may import.
constexpr size_t kMaxModules = 1000;

static const Global *lookupIn(const LoadedModule &module, StringRef name,
                              SmallPtrSetImpl<const LoadedModule *> &seen) {
  auto it = module.globals.find(name);
  if (it != module.globals.end())
    return &it->second;
  // `*` leaves out what begins with an underscore.
  if (name.starts_with("_") || seen.size() > kMaxModules || !seen.insert(&module).second)
    return nullptr;
  for (const LoadedModule *imported : llvm::reverse(module.starImports))
    if (const Global *global = lookupIn(*imported, name, seen))
      return global;
  return nullptr;
}

const Global *LoadedModule::lookup(StringRef name) const {
  SmallPtrSet<const LoadedModule *, 4> seen;
  if (const Global *global = lookupIn(*this, name, seen))
    return global;
  auto local = localImports.find(name);
  return local == localImports.end() ? nullptr : &local->second;
}

const JitFunction *LoadedModule::findFunction(StringRef name) const {
  if (auto it = globals.find(name); it != globals.end() && it->second.jit)
    return it->second.jit;
  const JitFunction *found = nullptr;
  for (const auto &function : functions)
    if (function->qualifiedName == name)
      found = function.get();
  if (found)
    return found;
  // The plain name of a nested function does, while it is the only one.
  for (const auto &function : functions) {
    if (function->def->name != name)
      continue;
    if (found)
      return nullptr;
    found = function.get();
  }
  return found;
}

std::vector<StringRef> LoadedModule::globalNames() const {
  std::vector<StringRef> names;
  for (const auto &entry : globals)
    names.push_back(entry.getKey());
  llvm::sort(names);
  return names;
}

bool ModuleLoader::isFile(StringRef path) {
  bool exists = sys::fs::is_regular_file(path);
  lookups[path.str()] = exists;
  return exists;
}

std::string ModuleLoader::getDigest(function_ref<bool(StringRef)> skip) const {
  BLAKE3 hasher;
  auto add = [&](StringRef text) {
    uint8_t size[8];
    support::endian::write64le(size, text.size());
    hasher.update(ArrayRef(size));
    hasher.update(text);
  };
  for (const auto &[path, exists] : lookups) {
    add(path);
    add(exists ? "1" : "0");
  }
  for (const auto &[module, file] : provided) {
    add(module);
    add(sources.getName(file));
    add(sources.getText(file));
  }
  for (const auto &[file, module] : modules) {
    StringRef name = sources.getName(file);
    if (skip(name))
      continue;
    add(name);
    add(sources.getText(file));
  }
  BLAKE3Result<32> digest = hasher.final<32>();
  return toHex(digest, /*LowerCase=*/true);
}

LoadedModule *ModuleLoader::loadFile(StringRef path) {
  Expected<uint32_t> file = sources.addFile(path);
  if (!file) {
    diagnostics.error({}, toString(file.takeError()));
    return nullptr;
  }
  return load(*file);
}

LoadedModule *ModuleLoader::loadText(StringRef name, std::string text) {
  if (text.size() > SourceManager::kMaxFileBytes) {
    diagnostics.error({}, "'" + name + "' has " + Twine(text.size()) + " bytes; the limit is " +
                              Twine(SourceManager::kMaxFileBytes) + " bytes (64 MiB)");
    return nullptr;
  }
  return load(sources.addText(name, std::move(text)));
}

void ModuleLoader::provide(StringRef module, StringRef path, std::string text) {
  provided.insert_or_assign(module.str(), sources.addText(path, std::move(text)));
}

LoadedModule *ModuleLoader::loadProvided(StringRef module) {
  auto it = provided.find(module);
  assert(it != provided.end() && "nobody provided this module");
  return load(it->second);
}

LoadedModule *ModuleLoader::request(uint32_t file) {
  auto it = modules.find(file);
  if (it != modules.end())
    return it->second.get();
  if (modules.size() >= kMaxModules)
    return nullptr;
  auto module = std::make_unique<LoadedModule>();
  module->file = file;
  module->path = sources.getName(file).str();
  queue.push_back(module.get());
  return (modules[file] = std::move(module)).get();
}

LoadedModule *ModuleLoader::load(uint32_t file) {
  LoadedModule *module = request(file);
  if (!module) {
    diagnostics.error({}, "cannot load '" + sources.getName(file) + "': more than " +
                              Twine(kMaxModules) + " files are loaded");
    return nullptr;
  }
  while (!queue.empty()) {
    LoadedModule *next = queue.back();
    queue.pop_back();
    readable[next->file] = ModuleReader(*this, *next).read();
  }
  return readable[file] ? module : nullptr;
}

} // namespace tilerun
