# The self-test kernels as code objects of every architecture, by LLVM's code generator and linker: gives the
# list self_test_sources for the plugin.
find_program(TILERUN_LLC llc HINTS ${TILERUN_LLVM_BIN} NO_DEFAULT_PATH DOC "LLVM's code generator")
if(NOT TILERUN_LLC OR NOT TILERUN_LLD)
  message(FATAL_ERROR "llc of LLVM ${LLVM_VERSION_MAJOR} and ld.lld are needed for the plugin 'hip': install "
                      "llvm-${LLVM_VERSION_MAJOR} and lld-${LLVM_VERSION_MAJOR} (scripts/setup does)")
endif()
set(self_test_targets gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1101 gfx1102 gfx1150 gfx1151 gfx1200 gfx1201)
set(assembly ${CMAKE_CURRENT_SOURCE_DIR}/SelfTest.ll)
set(self_test_objects)
foreach(target IN LISTS self_test_targets)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/SelfTest.${target})
  add_custom_command(OUTPUT ${object}.hsaco BYPRODUCTS ${object}.o
    COMMAND ${TILERUN_LLC} -mcpu=${target} -O2 -filetype=obj ${assembly} -o ${object}.o
    COMMAND ${TILERUN_LLD} -flavor gnu -shared -s ${object}.o -o ${object}.hsaco
    DEPENDS ${assembly} VERBATIM)
  list(APPEND self_test_objects ${object}.hsaco)
endforeach()
set(self_test_sources ${CMAKE_CURRENT_BINARY_DIR}/SelfTestObjects.cpp)
list(JOIN self_test_targets "," targets)
add_custom_command(OUTPUT ${self_test_sources}
  COMMAND ${CMAKE_COMMAND} -DTARGETS=${targets} -DPREFIX=${CMAKE_CURRENT_BINARY_DIR}/SelfTest.
          -DOUTPUT=${self_test_sources} -P ${CMAKE_CURRENT_SOURCE_DIR}/EmbedObjects.cmake
  DEPENDS ${self_test_objects} ${CMAKE_CURRENT_SOURCE_DIR}/EmbedObjects.cmake VERBATIM)
