// Compiled artifacts that own what their pointers point to, and their stored form.
#pragma once

#include "runtime/include/tilerun/plugin.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace tilerun::cache {

class ByteReader;
class ByteWriter;

/// An artifact of some plugin. Immutable; any thread may read it.
class Artifact {
public:
  /// A copy of what a plugin gave, which may be released afterwards.
  static std::shared_ptr<const Artifact> copy(const TilerunPluginArtifact &artifact);
  /// From the stored form; null for any other bytes.
  static std::shared_ptr<const Artifact> parse(llvm::ArrayRef<uint8_t> stored);

  /// The same with a text of the caller's own, which is stored with it.
  std::shared_ptr<const Artifact> withNote(std::string note) const;
  const std::string &getNote() const { return note; }

  /// The stored form: the same artifact gives the same bytes.
  std::vector<uint8_t> serialize() const;

  /// Lives as long as this object.
  const TilerunPluginArtifact &get() const { return artifact; }
  /// The kernel of that name; null if there is none.
  const TilerunPluginKernelInfo *findKernel(llvm::StringRef name) const;
  /// Its size in memory.
  uint64_t getNumBytes() const { return bytes.size() + note.size() + kOverhead; }

  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

private:
  static constexpr uint64_t kOverhead = 512;
  /// The plugin's artifact, with pointers to copies here.
  struct Details {
    TilerunPluginKernelDetails given = {};
    std::vector<std::string> forms;
    std::vector<std::vector<TilerunPluginStep>> steps;
    std::vector<TilerunPluginDerived> derived;
    std::vector<const TilerunPluginDerived *> pointers;
    void link();
  };
  struct Kernel {
    std::string name;
    std::vector<std::string> parameterNames;
    std::vector<TilerunPluginParameter> parameters;
    uint32_t threads = 0, sharedBytes = 0;
    std::optional<Details> details;
  };
  Artifact() = default;
  void link(); ///< Points the structs of the ABI at the members.
  static void writeDetails(ByteWriter &writer, const Kernel &kernel);
  static bool readDetails(ByteReader &reader, Kernel &kernel); ///< Whether it has some.

  std::vector<uint8_t> bytes;
  std::string compatibility;
  std::string note;
  std::vector<Kernel> kernels;
  std::vector<TilerunPluginKernelInfo> infos;
  std::vector<const TilerunPluginKernelDetails *> details; ///< Null for an ordinary kernel.
  TilerunPluginArtifact artifact = {};
};

} // namespace tilerun::cache
