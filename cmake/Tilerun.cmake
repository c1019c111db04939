# Build helpers: compiler flags, the shared precompiled header, and one function for each kind of
# target (library, tool, unit test, fuzzer) so that every folder's CMakeLists.txt stays a short list.

set(TILERUN_LLVM_BIN "${LLVM_TOOLS_BINARY_DIR}")

# The MLIR packages are built without exceptions and with RTTI; headers want their own definitions.
add_compile_options(-fPIC -fno-exceptions -fvisibility-inlines-hidden
                    -Wall -Wextra -Wno-unused-parameter -Wmissing-declarations
                    -Wimplicit-fallthrough)
if(TILERUN_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Reproducible precompiled headers, so that ccache can serve them.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()
separate_arguments(TILERUN_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${TILERUN_LLVM_DEFINITIONS})

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})

find_program(TILERUN_CCACHE ccache)
if(TILERUN_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${TILERUN_CCACHE})
endif()
find_program(TILERUN_LLD NAMES ld.lld-22)
if(TILERUN_LLD)
  # Naming the version matters: a plain `ld.lld` on the path may be too old.
  add_link_options(--ld-path=${TILERUN_LLD})
endif()

include(Bundle)
include(Emulated)

# One precompiled header for everything that touches MLIR's core.
add_library(tilerun_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
target_precompile_headers(tilerun_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/pch.h)

function(_tilerun_common target)
  target_precompile_headers(${target} REUSE_FROM tilerun_pch)
endfunction()

# tilerun_library(NAME SOURCES ... [LINK ...] [DEPENDS ...]): a static library.
function(tilerun_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  _tilerun_common(${name})
  tilerun_framework(link ${ARG_LINK})
  target_link_libraries(${name} PUBLIC ${link})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tilerun_unwinds(TARGET): what the standard library throws below (no memory, no thread) passes through on
# its way to the entries of the C API (runtime/api/Entry.h), and opens the locks that it passes. The target
# neither throws nor catches; the shared precompiled header is built without.
function(tilerun_unwinds target)
  target_compile_options(${target} PRIVATE -fexceptions)
  set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
endfunction()

# tilerun_tool(NAME [BUNDLED] SOURCES ... LINK ...): an executable in bin/; BUNDLED: of the bundle.
function(tilerun_tool name)
  cmake_parse_arguments(ARG "BUNDLED" "" "SOURCES;LINK" ${ARGN})
  tilerun_framework(link ${ARG_LINK} MLIR LLVM)
  add_executable(${name} ${ARG_SOURCES})
  _tilerun_common(${name})
  target_link_libraries(${name} PRIVATE ${link})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(ARG_BUNDLED)
    tilerun_bundled(${name} bin)
  endif()
endfunction()

# The tests of code whose threads meet, which ThreadSanitizer watches: they have the label `threads`, and
# this target builds their programs (scripts/tsan).
add_custom_target(tilerun_thread_tests)
function(_tilerun_labels out program is_one)
  set(${out} "" PARENT_SCOPE)
  if(is_one)
    add_dependencies(tilerun_thread_tests ${program})
    set(${out} LABELS threads PARENT_SCOPE)
  endif()
endfunction()
# tilerun_thread_test(TEST TARGET...): the same for a test of add_test and what it runs.
function(tilerun_thread_test test)
  set_property(TEST ${test} APPEND PROPERTY LABELS threads)
  add_dependencies(tilerun_thread_tests ${ARGN})
endfunction()

# tilerun_unit_test(NAME [THREADS] SOURCES ... LINK ...): a GoogleTest program, each case known to CTest.
# THREADS: tilerun_thread_tests has it.
function(tilerun_unit_test name)
  cmake_parse_arguments(ARG "THREADS" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(NOT TARGET tilerun_test_pch)
    add_library(tilerun_test_pch STATIC ${PROJECT_SOURCE_DIR}/cmake/pch.cpp)
    target_precompile_headers(tilerun_test_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/test_pch.h)
    target_link_libraries(tilerun_test_pch PRIVATE GTest::gtest)
  endif()
  target_precompile_headers(${name} REUSE_FROM tilerun_test_pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main MLIR LLVM)
  target_compile_definitions(${name} PRIVATE TILERUN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Values of parameters are left out of names: of most types they are bytes, addresses among them.
  _tilerun_labels(labels ${name} ${ARG_THREADS})
  gtest_discover_tests(${name} TEST_PREFIX "${name}." NO_PRETTY_VALUES DISCOVERY_TIMEOUT 120
                       PROPERTIES TIMEOUT 600 ${labels})
endfunction()

# tilerun_fuzzer(NAME SOURCES ... LINK ...): a libFuzzer program. Without TILERUN_FUZZ its sources are known to
# clang-tidy (scripts/lint) alone: no other target needs them.
function(tilerun_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT TILERUN_FUZZ)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARG_SOURCES})
    _tilerun_common(${name})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  _tilerun_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} LLVM)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
