# The installed files and their places. Components: `programs` and `libraries` (linked against the
# distribution's LLVM), `bundle` (the same files, self-contained: see Bundle.cmake), `development`
# (headers, CMake package, pkg-config) and `data` (examples, documentation).
include(CMakePackageConfigHelpers)

# Places are fixed below the prefix, because programs find plugins and examples by them.
set(CMAKE_INSTALL_BINDIR bin)
set(CMAKE_INSTALL_LIBDIR lib)
set(CMAKE_INSTALL_INCLUDEDIR include)
set(TILERUN_EXAMPLES_FOLDER share/tilerun/examples)
set(TILERUN_TEMPLATE_FOLDER share/tilerun/plugin-template)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tilerun)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

add_library(tilerun_plugin_interface INTERFACE)
target_include_directories(tilerun_plugin_interface INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
  $<INSTALL_INTERFACE:include> $<INSTALL_INTERFACE:include/tilerun/sdk>)
set_target_properties(tilerun_plugin_interface PROPERTIES EXPORT_NAME Plugin)
install(TARGETS tilerun_plugin_interface EXPORT TilerunPluginTargets COMPONENT development)

set(programs tilerun tilerun-plugin-probe)
if(TARGET tilerun-conformance)
  list(APPEND programs tilerun-conformance)
endif()
install(TARGETS ${programs}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
install(TARGETS tilerun_api EXPORT TilerunTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries)
get_property(plugins GLOBAL PROPERTY TILERUN_BUILTIN_PLUGINS)
foreach(plugin IN LISTS plugins)
  install(TARGETS ${plugin}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilerun/plugins COMPONENT libraries)
endforeach()
install(TARGETS tilerun_amdsim_hip
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilerun COMPONENT libraries)

install(DIRECTORY runtime/include/tilerun DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# The headers that plugins share, for out-of-tree plugins: they need only the ABI's header, and are
# in their own folder, so that includes are the same as in the tree.
install(DIRECTORY plugins/support plugins/stream_driver
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilerun/sdk/plugins
        COMPONENT development FILES_MATCHING PATTERN "*.h")
install(EXPORT TilerunPluginTargets NAMESPACE Tilerun:: DESTINATION ${package_folder}Plugin
        COMPONENT development)
install(EXPORT TilerunTargets NAMESPACE Tilerun:: DESTINATION ${package_folder}
        COMPONENT development)
configure_package_config_file(cmake/package/TilerunConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/TilerunConfig.cmake INSTALL_DESTINATION ${package_folder}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR
            TILERUN_EXAMPLES_FOLDER)
configure_package_config_file(cmake/package/TilerunPluginConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/TilerunPluginConfig.cmake
  INSTALL_DESTINATION ${package_folder}Plugin PATH_VARS TILERUN_TEMPLATE_FOLDER)
foreach(package Tilerun TilerunPlugin)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/${package}ConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
endforeach()
# A compiler of C refuses the flag that the C++ header needs.
set(TILERUN_PC_NAME "")
set(TILERUN_PC_FLAGS " -std=c++20")
configure_file(cmake/package/tilerun.pc.in ${PROJECT_BINARY_DIR}/package/tilerun.pc @ONLY)
set(TILERUN_PC_NAME " for C")
set(TILERUN_PC_FLAGS "")
configure_file(cmake/package/tilerun.pc.in ${PROJECT_BINARY_DIR}/package/tilerun-c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/TilerunConfig.cmake
              ${PROJECT_BINARY_DIR}/package/TilerunConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/package/TilerunPluginConfig.cmake
              ${PROJECT_BINARY_DIR}/package/TilerunPluginConfigVersion.cmake plugins/plugin.map
        DESTINATION ${package_folder}Plugin COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/package/tilerun.pc ${PROJECT_BINARY_DIR}/package/tilerun-c.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

install(DIRECTORY examples/ DESTINATION ${TILERUN_EXAMPLES_FOLDER} COMPONENT data
        PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY plugins/null/ DESTINATION ${TILERUN_TEMPLATE_FOLDER} COMPONENT data
        FILES_MATCHING PATTERN "*.h" PATTERN "*.cpp")
install(DIRECTORY docs/ DESTINATION share/doc/tilerun COMPONENT data
        PATTERN "site" EXCLUDE)
install(FILES README.md LICENSE DESTINATION share/doc/tilerun COMPONENT data)

# The licences of third-party code in a bundle.
foreach(package libcli11-dev libmlir-22-dev libllvm22 gcc-12-base spirv-tools)
  if(EXISTS /usr/share/doc/${package}/copyright)
    install(FILES /usr/share/doc/${package}/copyright RENAME ${package}
            DESTINATION share/doc/tilerun/licenses COMPONENT bundle)
  endif()
endforeach()
