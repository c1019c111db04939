// The last kernels launched on a stream, to be reported when the device is lost. For plugins whose
// driver does not say which kernel was at fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tilerun::plugin_support {

/// Adding takes no lock and allocates nothing. Names outlive the log.
class LaunchLog {
public:
  static constexpr uint32_t kSize = 8;
  uint32_t add(const char *name) {
    uint32_t index = launched.fetch_add(1, std::memory_order_relaxed);
    names[index % kSize].store(name, std::memory_order_relaxed);
    return index;
  }
  /// Removes the entry with this index, unless a later one has replaced it.
  void withdraw(uint32_t index) {
    uint32_t next = index + 1;
    if (launched.compare_exchange_strong(next, index, std::memory_order_relaxed))
      names[index % kSize].store(nullptr, std::memory_order_relaxed);
  }
  /// The number of launches so far; pass it to `finish` once the stream is known to have passed
  /// them.
  uint32_t getCount() const { return launched.load(std::memory_order_relaxed); }
  void finish(uint32_t count) { finished.store(count, std::memory_order_relaxed); }
  /// Those that may still run, oldest first; true if there are more than the log keeps.
  bool getPending(std::vector<const char *> &out) const {
    uint32_t end = launched.load(), begin = finished.load();
    bool more = end - begin > kSize;
    if (more)
      begin = end - kSize;
    for (; begin != end; ++begin) {
      const char *name = names[begin % kSize].load();
      if (name)
        out.push_back(name);
      more |= !name; // A withdrawn one had replaced the oldest.
    }
    return more;
  }

private:
  std::atomic<const char *> names[kSize] = {};
  std::atomic<uint32_t> launched{0}, finished{0};
};

/// The end of a sentence that reports a loss: "; in kernel 'add'". `more`: others were in flight,
/// too. Empty if nothing is known.
inline std::string describePending(const std::vector<const char *> &pending, bool more) {
  std::set<std::string> names(pending.begin(), pending.end());
  if (names.empty())
    return "";
  if (names.size() == 1 && !more)
    return "; in kernel '" + *names.begin() + "'";
  std::string text = "; in one of the kernels that were under way: ";
  for (const std::string &name : names)
    text += (&name == &*names.begin() ? "'" : ", '") + name + "'";
  return text + (more ? ", or one before them" : "");
}

} // namespace tilerun::plugin_support
