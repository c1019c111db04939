// What unit tests parse again and again on top of the common precompiled header.
#pragma once

#include "cmake/pch.h"

#include <gtest/gtest.h>
