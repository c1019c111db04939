// A plugin that is wrong in the one way that a macro names.
#include "runtime/include/tilerun/plugin.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

#if FAULT_unresolved_symbol
extern "C" void tilerunThisIsDefinedNowhere();
void *volatile tilerunKeep = reinterpret_cast<void *>(&tilerunThisIsDefinedNowhere);
#endif

namespace {

[[maybe_unused]] void crash() {
  volatile int *nowhere = nullptr;
  *nowhere = 1;
}
// By the system call, as ThreadSanitizer does not let a process end by _exit in the middle of
// dlopen.
[[maybe_unused]] void leave() { syscall(SYS_exit_group, 0); }
[[maybe_unused]] void hang() {
  for (;;)
    sleep(1000);
}

[[gnu::constructor]] void construct() {
#if FAULT_crash_in_constructor
  crash();
#elif FAULT_abort_in_constructor
  abort();
#elif FAULT_exit_in_constructor
  leave();
#elif FAULT_hang_in_constructor
  hang();
#elif FAULT_noisy
  for (int i = 0; i < 3; ++i) {
    std::puts("plugin\tforged\t1\t1.0\tend");
    std::fputs("end\n", stderr);
  }
#endif
}

// Runs when the process ends: the plugin stays loaded until then.
[[maybe_unused, gnu::destructor]] void destroy() {
#if FAULT_crash_in_destructor
  crash();
#elif FAULT_hang_in_destructor
  hang();
#elif FAULT_exit_in_destructor
  leave();
#endif
}

#if FAULT_crash_at_exit
const int registered = std::atexit(crash);
#endif

[[maybe_unused]] TilerunStatus getDevices(TilerunDeviceCallback each, void *user,
                                          const TilerunErrorSink *sink) {
#if FAULT_crash_in_get_devices
  crash();
#elif FAULT_hang_in_get_devices
  hang();
#elif FAULT_foreign_ids
  const char *id = "cuda:0";
#elif FAULT_no_devices
  TilerunErrorInfo info = {sizeof(info), TILERUN_STATUS_UNAVAILABLE,
                           "open",       nullptr,
                           "ENOENT",     "libdriver.so.1 was not found;\ttried\n/usr/lib"};
  sink->report(sink->user, &info);
  return TILERUN_STATUS_UNAVAILABLE;
#else
  const char *id = "faulty:0";
#endif
#if !FAULT_no_devices && !FAULT_crash_in_get_devices && !FAULT_hang_in_get_devices
#if FAULT_not_utf8
  const char *words[] = {"faulty:\xff", "A device\xfe", "faulty:1\xfd"};
#else
  const char *words[] = {"faulty:x", "A device", "faulty:1"};
#endif
  TilerunPluginDeviceInfo info = {sizeof(info), 0, id, words[0], words[1], words[2]};
  each(user, &info);
#endif
  return TILERUN_STATUS_OK;
}

[[maybe_unused]] TilerunStatus getTargets(void (*each)(void *, const char *), void *user,
                                          const TilerunErrorSink *) {
#if FAULT_foreign_targets
  each(user, "cuda:sm_80");
#endif
  each(user, "faulty:1");
  return TILERUN_STATUS_OK;
}

[[maybe_unused]] TilerunStatus getPhases(const char *,
                                         void (*each)(void *, const TilerunPluginPhase *),
                                         void *user, const TilerunErrorSink *) {
#if FAULT_other_phases
  const TilerunPluginPhase phase = {sizeof(phase), 0, "zzz", "", ""};
  each(user, &phase);
#elif FAULT_no_locations
  const TilerunPluginPhase phase = {sizeof(phase), TILERUN_PHASE_LOCATIONS, "text", "", ""};
  each(user, &phase);
#elif !FAULT_no_phases
  const TilerunPluginPhase phase = {sizeof(phase), 0, "text", "", ""};
  each(user, &phase);
#endif
  return TILERUN_STATUS_OK;
}

[[maybe_unused]] uint64_t whole = 0; // Size of the first module.

// Its bytes differ from call to call, and it accepts any input.
[[maybe_unused]] TilerunStatus compile(const TilerunPluginCompileRequest *request,
                                       const TilerunPluginArtifact **artifact,
                                       const TilerunErrorSink *) {
#if FAULT_crash_in_compile
  crash();
#elif FAULT_no_phases || FAULT_other_phases || FAULT_binary_text || FAULT_no_locations
  // Right but for its phases.
  if (request->num_bytes < 4 || std::memcmp(request->bytecode, "ML\xefR", 4) != 0 ||
      request->num_bytes < whole)
    return TILERUN_STATUS_COMPILE;
  whole = request->num_bytes;
  if (std::strcmp(request->target, "faulty:1") != 0)
    return TILERUN_STATUS_INVALID_ARGUMENT;
  if (request->num_options &&
      (std::strcmp(request->options->name, "emit") != 0 ||
       std::strcmp(request->options->value, "text") != 0 || request->num_options > 1))
    return TILERUN_STATUS_INVALID_ARGUMENT;
#elif FAULT_takes_any_option
  // At least it refuses bytes that are not a module.
  if (request->num_bytes < 4 || std::memcmp(request->bytecode, "ML\xefR", 4) != 0 ||
      request->num_bytes < whole)
    return TILERUN_STATUS_COMPILE;
  whole = request->num_bytes;
#endif
  static uint8_t byte = 0;
#if FAULT_other_bytes
  ++byte;
#elif FAULT_no_locations
  byte = ' ';
#endif
  static const TilerunPluginKernelInfo kernel = {sizeof(kernel), 0, "k", nullptr, 1, 0};
  static const TilerunPluginArtifact made = {sizeof(made), 1,       &byte,  1,
                                             "faulty:1",   &kernel, nullptr};
#if FAULT_other_elements
  static TilerunPluginKernelInfo longer = kernel;
  longer.struct_size = sizeof(longer) + 8;
  static TilerunPluginArtifact other = made;
  other.kernels = &longer;
  *artifact = &other;
#elif !FAULT_no_artifact
  *artifact = &made;
#endif
  return TILERUN_STATUS_OK;
}

[[maybe_unused]] TilerunStatus openDevice(uint32_t, const TilerunPluginOpenOptions *,
                                          TilerunPluginDevice **, const TilerunErrorSink *) {
  crash();
  return TILERUN_STATUS_OK;
}

// A newer minor version has more at its end.
struct Table {
  TilerunPlugin plugin;
  void *more[4];
};

} // namespace

#if FAULT_surplus_export
extern "C" TILERUN_PLUGIN_EXPORT int tilerunSurplus();
int tilerunSurplus() { return 1; }
#endif
#if FAULT_missing_symbol
extern "C" TILERUN_PLUGIN_EXPORT int tilerunOtherEntry() { return 1; }
#else
const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *) {
#if FAULT_crash_in_entry
  crash();
#endif
  static Table table = {};
  TilerunPlugin &plugin = table.plugin;
  plugin.struct_size = sizeof(TilerunPlugin);
  plugin.abi_major = TILERUN_PLUGIN_ABI_MAJOR;
  plugin.abi_minor = TILERUN_PLUGIN_ABI_MINOR;
  plugin.name = "faulty";
  plugin.get_devices = getDevices;
#if FAULT_major_too_old
  plugin.abi_major = 0;
  plugin.struct_size = 12; // Nothing but the first three fields can be relied upon.
#elif FAULT_major_too_new
  plugin.abi_major = TILERUN_PLUGIN_ABI_MAJOR + 1;
#elif FAULT_needs_newer_host
  plugin.abi_minor = plugin.required_host_minor = TILERUN_PLUGIN_ABI_MINOR + 3;
#elif FAULT_null_table
  return nullptr;
#elif FAULT_small_table
  plugin.struct_size = 64;
#elif FAULT_bad_name
  plugin.name = "../Bad";
#elif FAULT_no_get_devices
  plugin.get_devices = nullptr;
#elif FAULT_half_pairs
  plugin.create_event = [](TilerunPluginDevice *, uint32_t, TilerunPluginEvent **,
                           const TilerunErrorSink *) { return TilerunStatus(0); };
  plugin.destroy_event = [](TilerunPluginEvent *) {};
#elif FAULT_no_release
  plugin.get_targets = getTargets;
  plugin.compile = compile;
#elif FAULT_other_bytes || FAULT_crash_in_compile || FAULT_foreign_targets ||                      \
    FAULT_takes_any_option || FAULT_no_artifact || FAULT_other_elements || FAULT_no_phases ||      \
    FAULT_other_phases || FAULT_binary_text || FAULT_no_locations
  plugin.get_targets = getTargets;
  plugin.compile = compile;
  plugin.release_artifact = [](const TilerunPluginArtifact *) {};
#if FAULT_no_phases || FAULT_other_phases || FAULT_binary_text || FAULT_no_locations
  plugin.get_phases = getPhases;
#endif
#elif FAULT_crash_in_open
  plugin.open_device = openDevice;
  plugin.close_device = [](TilerunPluginDevice *) {};
#elif FAULT_crash_in_allocate
  plugin.open_device = [](uint32_t, const TilerunPluginOpenOptions *, TilerunPluginDevice **device,
                          const TilerunErrorSink *) {
    *device = reinterpret_cast<TilerunPluginDevice *>(&table);
    return TilerunStatus(TILERUN_STATUS_OK);
  };
  plugin.close_device = [](TilerunPluginDevice *) {};
  plugin.allocate = [](TilerunPluginDevice *, TilerunPluginStream *, uint64_t, TilerunAddress *,
                       const TilerunErrorSink *) {
    crash();
    return TilerunStatus(TILERUN_STATUS_OK);
  };
#elif FAULT_not_utf8
  plugin.version = "1.0\xff";
  plugin.description = "words\xff";
  plugin.open_device = [](uint32_t, const TilerunPluginOpenOptions *, TilerunPluginDevice **,
                          const TilerunErrorSink *sink) {
    TilerunErrorInfo info = {sizeof(info), TILERUN_STATUS_UNAVAILABLE, "open\xff", "faulty:0\xff",
                             "\xfd",       "the driver says \xff\xfe"};
    sink->report(sink->user, &info);
    return TilerunStatus(TILERUN_STATUS_UNAVAILABLE);
  };
  plugin.close_device = [](TilerunPluginDevice *) {};
#elif FAULT_newer_minor
  plugin.abi_minor = TILERUN_PLUGIN_ABI_MINOR + 7;
  plugin.struct_size = sizeof(table);
#endif
  return &plugin;
}
#endif
