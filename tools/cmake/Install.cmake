# What `cmake --install` lays down: libraries, headers, the command, and what find_package(pawl) needs.
include(CMakePackageConfigHelpers)

set(PAWL_INSTALLED pawl_isa pawl_memory_profiler pawl_malloc_hooks)
install(FILES include/pawl/isa.hpp include/pawl/machine.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl)
install(FILES include/pawl/memory/malloc_hooks.hpp include/pawl/memory/observer.hpp include/pawl/memory/profiler.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl/memory)
if(PAWL_KERNELS)
  list(APPEND PAWL_INSTALLED pawl_kernels)
  install(DIRECTORY include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
endif()
if(TARGET pawl_bench_main)
  list(APPEND PAWL_INSTALLED pawl_bench_support pawl_bench_main)
  install(FILES benches/support/buffers.hpp benches/support/executable_build.cpp benches/support/executable_build.hpp
    benches/support/memory.hpp benches/support/percentiles.hpp benches/support/rows.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl/bench)
endif()
# Exported as pawl::isa, pawl::kernels, pawl::bench_main and so on: the names that the build tree's aliases have.
foreach(target IN LISTS PAWL_INSTALLED)
  string(REPLACE "pawl_" "" exported ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${exported})
endforeach()
install(TARGETS ${PAWL_INSTALLED} EXPORT pawl_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET pawl)
  install(TARGETS pawl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(PAWL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)
install(EXPORT pawl_targets NAMESPACE pawl:: DESTINATION ${PAWL_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/cmake/pawlConfig.cmake.in
  ${PROJECT_BINARY_DIR}/pawlConfig.cmake INSTALL_DESTINATION ${PAWL_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pawlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pawlConfig.cmake ${PROJECT_BINARY_DIR}/pawlConfigVersion.cmake
  DESTINATION ${PAWL_PACKAGE_DIR})
