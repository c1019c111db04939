# Targets that know no compiler framework: the plugin host, plugins, and their tests. They include
# the ABI header and the standard library, and link neither MLIR nor LLVM unless they ask to.

# tilerun_plain_library(NAME SOURCES ... [LINK ...]): a static library.
function(tilerun_plain_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# tilerun_plain_tool(NAME [BUNDLED] SOURCES ... [LINK ...]): an executable in bin/.
function(tilerun_plain_tool name)
  cmake_parse_arguments(ARG "BUNDLED" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${CMAKE_DL_LIBS} pthread)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(ARG_BUNDLED)
    tilerun_bundled(${name} bin)
  endif()
endfunction()

# tilerun_plugin(NAME [BUNDLED] SOURCES ... [LINK ...] [FOLDER lib/tilerun/plugins]): the shared object
# `libtilerun-NAME.so` that exports tilerunPluginEntry alone; the target is tilerun_plugin_NAME.
# Plugins in lib/tilerun/plugins are the built-in ones, which the runtime finds by itself.
function(tilerun_plugin name)
  cmake_parse_arguments(ARG "BUNDLED" "FOLDER" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER lib/tilerun/plugins)
  endif()
  set(target tilerun_plugin_${name})
  set(script ${PROJECT_SOURCE_DIR}/plugins/plugin.map)
  add_library(${target} MODULE ${ARG_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/runtime/include)
  tilerun_framework(link ${ARG_LINK})
  target_link_libraries(${target} PRIVATE ${link} ${CMAKE_DL_LIBS} pthread)
  tilerun_unwinds(${target})
  target_link_options(${target} PRIVATE -Wl,--version-script=${script} -Wl,--build-id=sha1)
  if(NOT "LLVM" IN_LIST ARG_LINK)
    # LLVM's shared library brings the C++ library; a second copy of it would be a risk.
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    # A sanitizer's functions come with the program.
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME tilerun-${name} LINK_DEPENDS ${script} CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${ARG_FOLDER})
  if(ARG_FOLDER STREQUAL lib/tilerun/plugins)
    set_property(GLOBAL APPEND PROPERTY TILERUN_BUILTIN_PLUGINS ${target})
  endif()
  if(ARG_BUNDLED)
    tilerun_bundled(${target} ${ARG_FOLDER})
  endif()
endfunction()

# tilerun_plain_test(NAME [THREADS] SOURCES ... LINK ...): a GoogleTest program, each case known to
# CTest. THREADS: tilerun_thread_tests has it.
function(tilerun_plain_test name)
  cmake_parse_arguments(ARG "THREADS" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main pthread)
  target_compile_definitions(${name} PRIVATE TILERUN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  _tilerun_labels(labels ${name} ${ARG_THREADS})
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 120
                       PROPERTIES TIMEOUT 600 ${labels})
endfunction()
