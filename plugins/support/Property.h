// Writes the value of a property.
#pragma once

#include "tilerun/plugin.h"

namespace tilerun::plugin_support {

inline TilerunStatus setValue(TilerunPropertyValue *value, uint64_t number) {
  value->type = TILERUN_VALUE_U64;
  value->number = number;
  return TILERUN_STATUS_OK;
}
/// The string lives as long as the device or kernel.
inline TilerunStatus setValue(TilerunPropertyValue *value, const char *string) {
  value->type = TILERUN_VALUE_STRING;
  value->string = string;
  return TILERUN_STATUS_OK;
}

} // namespace tilerun::plugin_support
