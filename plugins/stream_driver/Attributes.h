// Numbers that a driver has as attributes: properties of devices and of kernels, by tables.
// Required of D: kAttributes and kFunctionAttributes, pairs of a property and the driver's number
// for it; readAttribute(attribute, value) and readFunctionAttribute(function, attribute, value);
// `totalMemory`, `memoryPools`, and getFreeMemory(bytes).
#pragma once

#include "plugins/stream_driver/Device.h"

#include <algorithm>

namespace tilerun::stream_driver {

struct Attribute {
  uint32_t property; ///< TILERUN_DEVICE_PROPERTY_* or TILERUN_KERNEL_PROPERTY_*
  int number;        ///< The driver's.
};

/// Calls `read(attribute, value)` if the table has the property.
template <typename Table, typename Read>
Outcome readFrom(const Table &table, uint32_t property, uint64_t &number, bool &known, Read read) {
  for (const Attribute &attribute : table)
    if (property == attribute.property) {
      int value = 0;
      Outcome outcome = read(attribute.number, value);
      number = static_cast<uint64_t>(std::max(value, 0));
      return outcome;
    }
  known = false;
  return {};
}

/// For getNumber of D, after the properties that are its own.
template <typename D>
Outcome getAttributeNumber(const D &device, uint32_t property, uint64_t &number, bool &known) {
  switch (property) {
  case TILERUN_DEVICE_PROPERTY_MEMORY_TOTAL:
    number = device.totalMemory;
    return {};
  case TILERUN_DEVICE_PROPERTY_STREAM_ORDERED_MEMORY:
    number = device.memoryPools;
    return {};
  case TILERUN_DEVICE_PROPERTY_MEMORY_FREE:
    return device.getFreeMemory(number);
  }
  return readFrom(D::kAttributes, property, number, known, [&](int attribute, int &value) {
    return device.readAttribute(attribute, value);
  });
}

/// For getKernelNumber of D.
template <typename D>
Outcome getFunctionNumber(const D &device, uint32_t property, typename D::FunctionHandle function,
                          uint64_t &number, bool &known) {
  return readFrom(D::kFunctionAttributes, property, number, known, [&](int attribute, int &value) {
    return device.readFunctionAttribute(function, attribute, value);
  });
}

} // namespace tilerun::stream_driver
