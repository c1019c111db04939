# The self-test kernels, assembled: gives the list self_test_sources for the plugin. cmake/Vulkan.cmake
# finds the assembler.
set(self_test_sources)
foreach(name SelfTest SelfTestDelay)
  set(assembly ${CMAKE_CURRENT_SOURCE_DIR}/${name}.spvasm)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${name}.spv)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}Words.cpp)
  add_custom_command(OUTPUT ${source} BYPRODUCTS ${binary}
    COMMAND ${TILERUN_SPIRV_AS} --target-env vulkan1.3 ${assembly} -o ${binary}
    COMMAND ${CMAKE_COMMAND} -DNAME=k${name} -DINPUT=${binary} -DOUTPUT=${source}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/EmbedWords.cmake
    DEPENDS ${assembly} ${CMAKE_CURRENT_SOURCE_DIR}/EmbedWords.cmake VERBATIM)
  list(APPEND self_test_sources ${source})
endforeach()
