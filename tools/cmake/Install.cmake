# What `cmake --install` lays down: libraries, headers, the command, and what find_package(pawl) needs. The component
# pawl_tool is the command alone, for a build of no more than that; pawl_library is the rest.
set(PAWL_INSTALLED "")
if(NOT PAWL_INSTALL)
  return()
endif()
if(TARGET pawl)
  install(TARGETS pawl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT pawl_tool)
endif()

# A package that was fetched, or that the parent builds, is not there for those who find ours: no package of ours then.
function(pawl_is_installed package result)
  get_target_property(imported ${package} IMPORTED)
  set(${result} ${imported} PARENT_SCOPE)
endfunction()
pawl_is_installed(fmt::fmt PAWL_HAS_FMT)
if(NOT PAWL_HAS_FMT)
  message(STATUS "install: without the libraries, since fmt::fmt is built here and not installed")
  return()
endif()
set(PAWL_INSTALLED pawl_isa pawl_memory_profiler pawl_malloc_hooks)
if(PAWL_KERNELS)
  list(APPEND PAWL_INSTALLED pawl_kernels)
endif()
if(TARGET pawl_bench_main)
  pawl_is_installed(benchmark::benchmark PAWL_HAS_BENCHMARK)
  if(PAWL_HAS_BENCHMARK)
    list(APPEND PAWL_INSTALLED pawl_bench_support pawl_bench_main)
  else()
    message(STATUS "install: without pawl::bench_main, since benchmark::benchmark is built here and not installed")
  endif()
endif()

include(CMakePackageConfigHelpers)
# Exported as pawl::isa, pawl::kernels, pawl::bench_main and so on: the names that the build tree's aliases have.
foreach(target IN LISTS PAWL_INSTALLED)
  string(REPLACE "pawl_" "" exported ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${exported})
endforeach()
install(TARGETS ${PAWL_INSTALLED} EXPORT pawl_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT pawl_library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT pawl_library)
install(FILES include/pawl/isa.hpp include/pawl/machine.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl COMPONENT pawl_library)
install(FILES include/pawl/memory/malloc_hooks.hpp include/pawl/memory/observer.hpp include/pawl/memory/profiler.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl/memory COMPONENT pawl_library)
if(PAWL_KERNELS)
  install(DIRECTORY include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT pawl_library
    FILES_MATCHING PATTERN "*.hpp")
endif()
if(pawl_bench_main IN_LIST PAWL_INSTALLED)
  install(FILES benches/support/buffers.hpp benches/support/executable_build.cpp benches/support/executable_build.hpp
    benches/support/memory.hpp benches/support/percentiles.hpp benches/support/rows.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pawl/bench COMPONENT pawl_library)
endif()

set(PAWL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)
install(EXPORT pawl_targets NAMESPACE pawl:: DESTINATION ${PAWL_PACKAGE_DIR} COMPONENT pawl_library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/tools/cmake/pawlConfig.cmake.in
  ${PROJECT_BINARY_DIR}/pawlConfig.cmake INSTALL_DESTINATION ${PAWL_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pawlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pawlConfig.cmake ${PROJECT_BINARY_DIR}/pawlConfigVersion.cmake
  DESTINATION ${PAWL_PACKAGE_DIR} COMPONENT pawl_library)
