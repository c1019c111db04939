// Keys and creation of plugins' artifacts: what they depend on besides the source, and the last
// step from a portable one to the device's binary.
#pragma once

#include "runtime/cache/ArtifactCache.h"

namespace tilerun::cache {

/// Whether artifacts of a plugin may be kept for later processes: it must say which compiler it is.
bool isPersistent(const TilerunPlugin &table);

/// Adds the plugin, its build and its compiler's version to a key.
void addPluginFields(KeyBuilder &key, const TilerunPlugin &table);

/// Adds to a key all that decides an artifact besides the source: plugin, compiler, target,
/// options, and the form of the device's binaries. `device` may be null (compiling only), and then
/// the artifact is the portable one.
void addCompilerFields(KeyBuilder &key, const TilerunPlugin &table, TilerunPluginDevice *device,
                       llvm::StringRef target, llvm::ArrayRef<TilerunPluginOption> options);

/// The key of the artifact for a request's bytecode.
Key getArtifactKey(const TilerunPlugin &table, TilerunPluginDevice *device,
                   const TilerunPluginCompileRequest &request);

/// Compiles a request, and compiles the result to the end for `device` if it is not null and the
/// plugin can. A driver that refuses to do that is not an error: the portable artifact is given,
/// which loads as well; it is provisional unless the refusal is for good.
Outcome compileArtifact(const TilerunPlugin &table, TilerunPluginDevice *device,
                        const TilerunPluginCompileRequest &request);

/// Makes the bytecode of a source, and the note to keep with the artifact; none if it worked.
using MakeBytecode = llvm::function_ref<std::optional<plugin::Error>(std::vector<uint8_t> &bytecode,
                                                                     std::string &note)>;
/// The artifact of a source; `make` is called only if it is not kept. `cache` is not null.
Outcome getArtifactOfSource(ArtifactCache &cache, const Key &key, const TilerunPlugin &table,
                            TilerunPluginDevice *device, const TilerunPluginCompileRequest &request,
                            MakeBytecode make);

/// The process's cache as the environment says, made at the first call. `warn` of that call
/// receives warnings; null: they go to stderr.
std::shared_ptr<ArtifactCache>
getSharedCache(std::function<void(const std::string &)> warn = nullptr);

} // namespace tilerun::cache
