// Headers that all unit tests parse on top of the common precompiled header.
#pragma once

#include "cmake/pch.h"

#include <gtest/gtest.h>
