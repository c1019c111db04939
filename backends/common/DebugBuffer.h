// Messages of a kernel to the host, where the driver has neither printing nor assertions: a kernel
// that prints or asserts (its artifact lists debugSites) gets a buffer in device memory, whose
// address the launch passes. The host fills it with zeros and sets its capacity before each
// launch, and reads it after. All of it is 32-bit words, little endian:
//
//   word 0        kCapacity        words for records, after the header; set by the host
//   word 1        kUsed            words asked for by records; may be more than the capacity
//   word 2        kLostRecords     printed lines that found no room: the host says how many
//   word 3        kFailures        threads in which an assertion failed
//   word 4        kFailedSite      the assertion that failed first: its site's index + 1; else 0
//   words 5-7     kFailedProgram   coordinates of that program
//   word 8        kFailedThread    number of the thread in the program
//   words 9-15    0
//   from word 16  records, one after the other: the site's index + 1, then the values as
//                 DebugSite::arguments says. A word 0 instead of a record: the rest is empty.
//
// Records of one thread are in order; those of different threads come as they come.
#pragma once

#include <cstdint>
#include <string>

namespace tilerun::backend {

struct DebugBuffer {
  enum Word : uint32_t {
    kCapacity = 0,
    kUsed = 1,
    kLostRecords = 2,
    kFailures = 3,
    kFailedSite = 4,
    kFailedProgram = 5,
    kFailedThread = 8,
    kHeaderWords = 16,
  };
};

/// A print or an assertion in a kernel's source.
struct DebugSite {
  enum class Kind { Print, Assert };
  Kind kind = Kind::Print;
  /// A C format string with a newline at its end; an assertion's message.
  std::string text;
  /// Of a print, one letter for each conversion of the format: 'i' an integer in one word, 'l' an
  /// integer in two (low word first), 'f' a float32 in one, 'd' a float64 in two. Formats use %d,
  /// %u, %x for 'i', %lld, %llu, %llx for 'l', with widths, and %f for 'f' and 'd'.
  std::string arguments;
  std::string file; ///< Empty where it is not known.
  unsigned line = 0, column = 0;

  /// Words of a print's record.
  uint32_t getWords() const {
    uint32_t words = 1;
    for (char letter : arguments)
      words += letter == 'l' || letter == 'd' ? 2 : 1;
    return words;
  }
};

} // namespace tilerun::backend
