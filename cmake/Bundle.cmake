# Two ways to link the compiler framework, one property apart. Development links libMLIR.so and
# libLLVM.so. A target with TILERUN_STATIC takes the same objects from archives, so that it needs
# nothing at run time but libc: these are the targets NAME_static, from which the bundle is made.
#
# A plugin that is linked so carries its own framework and hides it (plugins/plugin.map); bytes
# alone cross its boundary, so it can live beside any other copy.

find_package(Threads REQUIRED)

# The archives, by file: their CMake targets would bring libLLVM.so back. Order does not matter to
# lld, and an archive's unused members are not linked.
set(_archives)
foreach(_target IN LISTS MLIR_EXPORTED_TARGETS LLVM_AVAILABLE_LIBS)
  if(NOT TARGET ${_target} OR _target MATCHES "Polly|MLIRCAPI|ExecutionEngine")
    continue()
  endif()
  get_target_property(_type ${_target} TYPE)
  if(_type STREQUAL STATIC_LIBRARY)
    list(APPEND _archives $<TARGET_FILE:${_target}>)
  endif()
endforeach()
list(REMOVE_DUPLICATES _archives)

# LLVM's archives want zlib and zstd, which a machine with nothing but a driver may not have, and
# which nothing here uses: these functions behave like those of a build without them. So does the one
# of Polly that lld's archives want.
add_library(tilerun_no_compression OBJECT
  ${CMAKE_CURRENT_LIST_DIR}/NoCompression.cpp ${CMAKE_CURRENT_LIST_DIR}/NoPolly.cpp)

add_library(tilerun_framework_archives INTERFACE)
target_link_libraries(tilerun_framework_archives INTERFACE
  $<TARGET_OBJECTS:tilerun_no_compression> ${_archives} ${CMAKE_DL_LIBS} Threads::Threads m)
target_link_options(tilerun_framework_archives INTERFACE -Wl,--icf=all)

# The targets that libraries of this project name in place of MLIR and LLVM.
set(_static $<BOOL:$<TARGET_PROPERTY:TILERUN_STATIC>>)
foreach(_framework MLIR LLVM)
  string(TOLOWER tilerun_${_framework} _name)
  add_library(${_name} INTERFACE)
  target_link_libraries(${_name} INTERFACE
    $<IF:${_static},tilerun_framework_archives,${_framework}>)
endforeach()

# tilerun_framework(VAR ITEMS...): ITEMS for target_link_libraries, with MLIR and LLVM replaced.
macro(tilerun_framework var)
  set(${var} ${ARGN})
  list(TRANSFORM ${var} REPLACE "^(MLIR|LLVM)$" "tilerun_\\1")
  list(TRANSFORM ${var} REPLACE "^tilerun_MLIR$" "tilerun_mlir")
  list(TRANSFORM ${var} REPLACE "^tilerun_LLVM$" "tilerun_llvm")
endmacro()

# tilerun_bundled(TARGET FOLDER): TARGET_static, the self-contained twin of an executable or a
# plugin, in bundle/FOLDER of the build tree and at the same place of a bundle. Builds with
# sanitizers have none.
add_custom_target(tilerun_bundle_files)
function(tilerun_bundled target folder)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    return()
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(sources ${target} SOURCES)
  get_target_property(link ${target} LINK_LIBRARIES)
  get_target_property(link_options ${target} LINK_OPTIONS)
  get_target_property(compile_options ${target} COMPILE_OPTIONS)
  set(twin ${target}_static)
  if(type STREQUAL EXECUTABLE)
    add_executable(${twin} ${sources})
  else()
    string(REPLACE _LIBRARY "" kind ${type})
    add_library(${twin} ${kind} ${sources})
    foreach(property OUTPUT_NAME LINK_DEPENDS CXX_VISIBILITY_PRESET VERSION SOVERSION
                     INCLUDE_DIRECTORIES INTERFACE_INCLUDE_DIRECTORIES)
      get_target_property(value ${target} ${property})
      if(NOT value MATCHES "NOTFOUND$")
        set_target_properties(${twin} PROPERTIES ${property} "${value}")
      endif()
    endforeach()
  endif()
  get_target_property(name ${target} OUTPUT_NAME)
  if(NOT name)
    set(name ${target})
  endif()
  if(tilerun_api IN_LIST link)
    list(TRANSFORM link REPLACE "^tilerun_api$" tilerun_api_static)
    set_target_properties(${twin} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  endif()
  target_link_libraries(${twin} PRIVATE ${link})
  if(link_options)
    target_link_options(${twin} PRIVATE ${link_options})
  endif()
  if(compile_options)
    target_compile_options(${twin} PRIVATE ${compile_options})
  endif()
  target_link_options(${twin} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections
                      -Wl,--strip-all)
  get_target_property(pch ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  if(pch)
    target_precompile_headers(${twin} REUSE_FROM ${pch})
  endif()
  set(out ${PROJECT_BINARY_DIR}/bundle/${folder})
  set_target_properties(${twin} PROPERTIES TILERUN_STATIC ON OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${out} LIBRARY_OUTPUT_DIRECTORY ${out})
  add_dependencies(tilerun_bundle_files ${twin})
  install(TARGETS ${twin} COMPONENT bundle
          RUNTIME DESTINATION ${folder} LIBRARY DESTINATION ${folder})
endfunction()
