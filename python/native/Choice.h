// The configurations that an autotuned kernel has chosen, by what they were chosen for. The
// package's code makes a choice and keeps it in the tuner's `cache`; here it gets a key that a warm
// launch computes without Python code, and the configuration's values in the form of a launch.
//
// A choice is used only as long as the package's code would make the same one: while the cache has
// it, and nobody has changed the configuration.
#pragma once

#include "python/native/Binding.h"

#include <memory>
#include <unordered_map>

namespace tilerun::python {

/// What a choice depends on, as bytes: the values of the key's parameters, and types and device of
/// tensors. As Python's key has them, but where that takes 1 and True for the same.
struct ChoiceKey {
  char bytes[2048];
  size_t size = 0;

  bool append(const void *data, size_t count) {
    if (count > sizeof(bytes) - size)
      return false;
    std::char_traits<char>::copy(bytes + size, static_cast<const char *>(data), count);
    size += count;
    return true;
  }
  std::string_view get() const { return {bytes, size}; }
};

/// `keys` names parameters; `values` has null for what the call does not pass. False without an
/// error if there is something whose key only Python code can make.
bool makeChoiceKey(const KernelState &state, PyObject *keys, PyObject *const *values,
                   const Reading &reading, ChoiceKey &key);

/// A dict as it was: the same objects in the same order.
class DictImage {
public:
  DictImage() = default;
  explicit DictImage(PyObject *dict);
  bool isSame() const;
  int traverse(visitproc visit, void *arg) const;

private:
  Ref dict;
  std::vector<std::pair<Ref, Ref>> entries;
};

/// Rises when an attribute of any configuration is set.
extern uint64_t configEpoch;

struct Choice {
  struct Item {
    Ref name, value;
    size_t place = 0;    ///< See findPlace.
    bool isBound = true; ///< Or heuristics see it, but the launch does not use it.
  };
  Ref key; ///< In the tuner's cache.
  Ref config;
  DictImage constants; ///< The configuration's meta-parameters.
  uint64_t epoch = 0;  ///< `configEpoch` when it was made.
  std::vector<Item> items;

  bool isSame() const { return epoch == configEpoch && constants.isSame(); }
  int traverse(visitproc visit, void *arg) const;
};

/// Of a configuration; `items` is a tuple of (name, value, whether the launch uses it). Null, with
/// or without an error, if launches cannot use it as it is.
std::shared_ptr<const Choice> makeChoice(const KernelState &state, PyObject *key, PyObject *config,
                                         PyObject *items);

/// The choices of a tuner.
class Choices {
public:
  /// The configuration for a call: one that still holds, of the tuner's configurations and cache.
  /// Null if it is not known.
  std::shared_ptr<const Choice> find(PyObject *configs, PyObject *cache, PyObject *keys,
                                     const KernelState &state, PyObject *const *values,
                                     const Reading &reading) const;
  void add(const ChoiceKey &key, std::shared_ptr<const Choice> choice);
  void setOnly(std::shared_ptr<const Choice> choice);
  void clear();
  int traverse(visitproc visit, void *arg) const; ///< All references that it holds.

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::shared_ptr<const Choice>, Hash, std::equal_to<>> byKey;
  std::shared_ptr<const Choice> only; ///< Of a tuner with one configuration.
};

} // namespace tilerun::python
