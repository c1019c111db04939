// One element of a host tensor: bytes to float64 and back for every dtype of the language.
// Independent of the interpreter's conversions on purpose: expectations must not share its bugs.
#pragma once

#include "frontend/types/DType.h"

namespace tilerun::host {

/// Bytes of one element in memory (int1 takes one byte, a pointer eight); 0 for void.
unsigned getElementBytes(DType dtype);

/// The element as float64. Integers beyond 2^53 round; see loadInteger.
double loadElement(const uint8_t *bytes, Scalar scalar);
/// An integer element exactly (uint64 values beyond int64 need the wide type).
__int128 loadInteger(const uint8_t *bytes, Scalar scalar);

/// Stores with rounding to nearest even. fp8 saturates to the largest finite value, as the language
/// does; integers truncate toward zero and wrap; NaN to an integer stores 0.
void storeElement(uint8_t *bytes, Scalar scalar, double value);
/// Stores an integer; integer types keep the low bits, float types round.
void storeInteger(uint8_t *bytes, Scalar scalar, __int128 value);

/// True if an integer type can hold the value exactly (true for every float type).
bool fitsInteger(Scalar scalar, __int128 value);

/// `value` rounded to `scalar` and back.
double roundTo(double value, Scalar scalar);

} // namespace tilerun::host
