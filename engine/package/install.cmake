# Destinations of `cmake --install`: the engine, and the CMake package and documents of the whole project.
include(CMakePackageConfigHelpers)

if(NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "An installed copy has shared libraries. For static ones inside another build: FAIRSTREAM_INSTALL=OFF")
endif()

# <folder>/package/fairstream-<folder>.pc.in. Paths are relative to the file, so that an installed copy may be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE prefix_from_pc)
function(fairstream_install_pc folder)
  set(name "fairstream-${folder}.pc")
  configure_file("${PROJECT_SOURCE_DIR}/${folder}/package/${name}.in" "${PROJECT_BINARY_DIR}/${name}" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

install(TARGETS fairstream_engine EXPORT fairstream)
fairstream_install_pc(engine)
# All headers except the private ones in folders `detail`.
install(DIRECTORY engine/fairstream DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp"
  PATTERN detail EXCLUDE)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fairstream")
configure_package_config_file(engine/package/fairstreamConfig.cmake.in "${PROJECT_BINARY_DIR}/fairstreamConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fairstreamConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/fairstreamConfig.cmake" "${PROJECT_BINARY_DIR}/fairstreamConfigVersion.cmake"
  DESTINATION "${package_dir}")
install(EXPORT fairstream FILE fairstreamTargets.cmake NAMESPACE fairstream:: DESTINATION "${package_dir}")

# All pages, and the files that they link to, as they lie in the source tree.
file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" demos/*.md engine/*.md
  schemas/*.md tests/*.md transports/*.md)
list(APPEND pages README.md CHANGELOG.md)
set(documents LICENSE ${pages})
foreach(page IN LISTS pages)
  cmake_path(GET page PARENT_PATH folder)
  file(READ "${page}" text)
  string(REPLACE "](" "<link>" text "${text}")
  string(REGEX REPLACE "[][;]" "" text "${text}")  # these would split or join the items of a list
  string(REGEX MATCHALL "<link>[^)#]+" links "${text}")
  foreach(link IN LISTS links)
    string(SUBSTRING "${link}" 6 -1 linked)
    cmake_path(APPEND folder "${linked}" OUTPUT_VARIABLE linked)
    cmake_path(NORMAL_PATH linked)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${linked}" AND NOT IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${linked}")
      list(APPEND documents "${linked}")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES documents)
foreach(document IN LISTS documents)
  cmake_path(GET document PARENT_PATH folder)
  install(FILES "${document}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${folder}")
endforeach()
