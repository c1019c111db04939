// The interface between a SPIR-V kernel and the host: its push constants and its workgroup. The
// backend generates code, and the Vulkan plugin launches it, according to this page.
//
//   push constants      a Header, then the packed arguments (as TilerunPluginParameter says) if
//   both
//                       fit kPushBytes; else a Header and, at offset kHeaderBytes, the device
//                       address of a block with the packed arguments, aligned to 16 bytes, which
//                       must live until the launch is done
//   entry point         the kernel's name
//   workgroup           (threads of a program, 1, 1); where the target says `subgroup-control`, the
//                       pipeline asks for the target's subgroup size and for full subgroups
//   program (x, y, z)   WorkgroupId + base
//   shared memory       static: part of the module, nothing to give at launch
#pragma once

#include <cstdint>

namespace tilerun::spirvbackend {

/// The data before the arguments in the push constants.
struct Header {
  uint32_t base[3];     ///< Added to the workgroup's number, so that a launch can be split.
  uint32_t grid[3];     ///< Programs of the whole launch.
  uint64_t debugBuffer; ///< Device address; 0: nothing is printed or asserted.
};

inline constexpr uint32_t kHeaderBytes = 32;
inline constexpr uint32_t kBaseOffset = 0, kGridOffset = 12, kDebugOffset = 24;
static_assert(sizeof(Header) == kHeaderBytes);

/// Push constants that every device has.
inline constexpr uint32_t kPushBytes = 128;

} // namespace tilerun::spirvbackend
