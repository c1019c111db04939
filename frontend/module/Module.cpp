// Loaded modules. A file that is imported is read when something is looked up in it. Reading looks
// nothing up, so files are never read inside each other, and neither cycles nor long chains of
// imports matter.
#include "frontend/module/Module.h"
#include "frontend/module/ModuleReader.h"
#include "frontend/parse/Parser.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tilerun {

/// Files that one compilation may import, read or not.
constexpr size_t kMaxModules = 10'000;

void LoadedModule::ensureRead() const {
  if (unreadBy)
    unreadBy->read(const_cast<LoadedModule &>(*this));
}

const Global *LoadedModule::lookupIn(const LoadedModule &module, StringRef name,
                                     SmallPtrSetImpl<const LoadedModule *> &seen) {
  module.ensureRead();
  auto it = module.globals.find(name);
  if (it != module.globals.end())
    return &it->second;
  // `*` leaves out names that begin with an underscore.
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

const Global *LoadedModule::findBinding(StringRef scope, StringRef name) const {
  const StringMap<Global> &names = scope.empty() ? globals : nested;
  auto it = names.find(scope.empty() ? name.str() : (scope + "." + name).str());
  return it == names.end() ? nullptr : &it->second;
}

const JitFunction *LoadedModule::findFunction(StringRef name) const {
  ensureRead();
  if (auto it = globals.find(name); it != globals.end() && it->second.jit)
    return it->second.jit;
  const JitFunction *found = nullptr;
  for (const auto &function : functions)
    if (function->qualifiedName == name)
      found = function.get();
  if (found)
    return found;
  // The plain name of a nested function will do while it is unique.
  for (const auto &function : functions) {
    if (function->def->name != name)
      continue;
    if (found)
      return nullptr;
    found = function.get();
  }
  return found;
}

StringRef getDecoratorName(const ast::Expr *decorator) {
  if (const auto *call = dyn_cast<ast::CallExpr>(decorator))
    decorator = call->callee;
  if (const auto *attribute = dyn_cast<ast::AttributeExpr>(decorator))
    return attribute->name;
  const auto *name = dyn_cast<ast::NameExpr>(decorator);
  return name ? name->name : StringRef();
}

const JitFunction *LoadedModule::readHostFunction(const Global &global,
                                                  StringRef qualifiedName) const {
  // Longer ones are host code that takes no part in compiling.
  constexpr uint32_t kMaxBytes = 64u << 10;
  // It may be found through `from … import *`.
  if (auto owner = loader->modules.find(global.range.begin.file); owner->second.get() != this)
    return owner->second->readHostFunction(global, qualifiedName);
  auto [it, isNew] = hostFunctions.try_emplace(global.range.begin.offset);
  if (!isNew)
    return it->second.get();
  const ast::FunctionDef *def = global.functionDef;
  if (!def && global.end > global.begin && global.end - global.begin <= kMaxBytes) {
    auto block = parseStatements(loader->sources, file, global.begin, global.end, loader->context,
                                 /*diagnostics=*/nullptr);
    def = block && block->size() == 1 ? dyn_cast<ast::FunctionDef>(block->front()) : nullptr;
  }
  // Caching changes nothing; what other decorators do is not known.
  auto isTransparent = [](const ast::Expr *decorator) {
    StringRef name = getDecoratorName(decorator);
    return name == "cache" || name == "lru_cache";
  };
  if (!def || def->isAsync || !llvm::all_of(def->decorators, isTransparent))
    return nullptr;
  auto function = std::make_unique<JitFunction>();
  function->def = def;
  function->module = loader->modules.at(file).get();
  function->qualifiedName = qualifiedName.str();
  function->isConstexpr = true;
  return (it->second = std::move(function)).get();
}

std::string LoadedModule::describeNoKernels() const {
  if (gluonKernels.empty())
    return "has no @triton.jit function";
  return "has the gluon kernel '" + gluonKernels.front().name +
         "'; gluon kernels are not supported, write it with @triton.jit";
}

std::vector<StringRef> LoadedModule::globalNames() const {
  ensureRead();
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

std::string ModuleLoader::getDigest(function_ref<bool(StringRef)> skip) {
  readUsed();
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
  // Not in the order of reading, which depends on what was asked before.
  std::map<StringRef, StringRef> texts;
  for (const auto &[file, module] : modules)
    if (StringRef name = sources.getName(file); !module->unreadBy && !skip(name))
      texts[name] = sources.getText(file);
  for (auto [name, text] : texts) {
    add(name);
    add(text);
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
  assert(it != provided.end() && "the module was not provided");
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
  module->unreadBy = module->loader = this;
  module->isProvided = !followImports;
  return (modules[file] = std::move(module)).get();
}

LoadedModule *ModuleLoader::load(uint32_t file) {
  LoadedModule *module = request(file);
  if (!module) {
    diagnostics.error({}, "cannot load '" + sources.getName(file) + "': more than " +
                              Twine(kMaxModules) + " files are loaded");
    return nullptr;
  }
  if (!llvm::is_contained(loaded, module))
    loaded.push_back(module);
  module->ensureRead();
  return readable[file] ? module : nullptr;
}

void ModuleLoader::read(LoadedModule &module) {
  module.unreadBy = nullptr;
  readable[module.file] = ModuleReader(*this, module).read();
}

} // namespace tilerun
