# The build requirements of the Vulkan plugin besides the compiler framework: Vulkan's headers, and the
# assembler of SPIR-V for its self-test kernels. The loader, libvulkan, is opened at run time.
option(TILERUN_VULKAN "Build the plugin for Vulkan" ON)
option(TILERUN_VULKAN_FULL "Tests run the whole matrix on Vulkan, not a part of it" OFF)
if(NOT TILERUN_VULKAN)
  return()
endif()

set(_least_headers 239)
find_path(TILERUN_VULKAN_INCLUDE vulkan/vulkan_core.h DOC "Folder of Vulkan's headers")
find_program(TILERUN_SPIRV_AS spirv-as DOC "The assembler of SPIR-V")
set(_without "or configure with -DTILERUN_VULKAN=OFF to build without the plugin for Vulkan")
if(NOT TILERUN_VULKAN_INCLUDE)
  message(FATAL_ERROR "vulkan/vulkan_core.h is not found: install libvulkan-dev (scripts/setup does), "
                      "set TILERUN_VULKAN_INCLUDE, ${_without}")
endif()
if(NOT TILERUN_SPIRV_AS)
  message(FATAL_ERROR "spirv-as is not found: install spirv-tools (scripts/setup does), "
                      "set TILERUN_SPIRV_AS, ${_without}")
endif()
file(STRINGS ${TILERUN_VULKAN_INCLUDE}/vulkan/vulkan_core.h _version
     REGEX "^#define VK_HEADER_VERSION [0-9]+")
string(REGEX MATCH "[0-9]+$" _version "${_version}")
file(STRINGS ${TILERUN_VULKAN_INCLUDE}/vulkan/vulkan_core.h _vulkan13 REGEX "^#define VK_VERSION_1_3 ")
if(NOT _vulkan13 OR _version LESS _least_headers)
  message(FATAL_ERROR "Vulkan's headers in ${TILERUN_VULKAN_INCLUDE} are too old: 1.3.${_least_headers} "
                      "is needed; install newer ones, ${_without}")
endif()

# Types and constants; functions come from the loader that is found at run time.
add_library(tilerun_vulkan_headers INTERFACE)
target_include_directories(tilerun_vulkan_headers SYSTEM INTERFACE ${TILERUN_VULKAN_INCLUDE})
target_compile_definitions(tilerun_vulkan_headers INTERFACE VK_NO_PROTOTYPES)

# tilerun_on_lavapipe(TEST...): tests that run on Mesa's Vulkan driver for the CPU, with the Khronos
# validation layer on and silent. That the driver is missing fails them: it is installed everywhere.
# TILERUN_TEST_VULKAN_DRIVER names another driver's manifest, such as a GPU's.
file(GLOB _lavapipe /usr/share/vulkan/icd.d/lvp_icd*.json)
set(TILERUN_TEST_VULKAN_DRIVER "${_lavapipe}" CACHE STRING "Manifest of the driver that tests use")
function(tilerun_on_lavapipe)
  foreach(test IN LISTS ARGN)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
      TILERUN_REQUIRE=vulkan TILERUN_VULKAN_VALIDATION=1
      VK_DRIVER_FILES=${TILERUN_TEST_VULKAN_DRIVER} VK_ICD_FILENAMES=${TILERUN_TEST_VULKAN_DRIVER})
    set_property(TEST ${test} APPEND PROPERTY FAIL_REGULAR_EXPRESSION
      "validation (error|warning)")
  endforeach()
endfunction()
