# CMake: find_package(aprof) finds the command, and gives a test of growth and the header's target.
# SPDX-License-Identifier: BSD-2-Clause
#
#     find_package(aprof REQUIRED)
#     aprof_add_growth_test(NAME growth COMMAND app input.txt BOUNDS ${CMAKE_SOURCE_DIR}/bounds.txt)
#     target_link_libraries(app PRIVATE aprof::aprof)         # for #include <aprof.h>
#
# The test runs the command under Valgrind and fails if a bound of the file is broken (aprof-check(1)).
# With STRICT, the test also fails if a bound cannot be decided. COMPILED_IN means that the command's target
# was built with the toolchain file aprof-toolchain.cmake in this folder, so Valgrind is not needed.
get_filename_component(_aprof_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)  # below lib, or lib/TRIPLET
find_program(APROF_EXECUTABLE aprof HINTS "${_aprof_prefix}/bin" "${_aprof_prefix}/../bin")
find_path(APROF_INCLUDE_DIR aprof.h HINTS "${_aprof_prefix}/include" "${_aprof_prefix}/../include")
set(aprof_TOOLCHAIN_FILE "${CMAKE_CURRENT_LIST_DIR}/aprof-toolchain.cmake")

if(NOT APROF_EXECUTABLE)
    set(aprof_FOUND FALSE)
    set(aprof_NOT_FOUND_MESSAGE "the command aprof is missing")
    return()
endif()

if(APROF_INCLUDE_DIR AND NOT TARGET aprof::aprof)
    add_library(aprof::aprof INTERFACE IMPORTED)
    set_target_properties(aprof::aprof PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${APROF_INCLUDE_DIR}")
endif()

function(aprof_add_growth_test)
    cmake_parse_arguments(PARSE_ARGV 0 growth "STRICT;COMPILED_IN" "NAME;BOUNDS" "COMMAND")
    if(NOT growth_NAME OR NOT growth_BOUNDS OR NOT growth_COMMAND)
        message(FATAL_ERROR "aprof_add_growth_test: NAME, BOUNDS and COMMAND are needed")
    endif()
    list(POP_FRONT growth_COMMAND program)
    if(TARGET ${program})
        set(program "$<TARGET_FILE:${program}>")
    endif()
    add_test(NAME ${growth_NAME}
        COMMAND ${CMAKE_COMMAND}
            "-Daprof=${APROF_EXECUTABLE}"
            "-Dbounds=${growth_BOUNDS}"
            "-Dreport=${CMAKE_CURRENT_BINARY_DIR}/aprof.out.${growth_NAME}"
            "-Dstrict=${growth_STRICT}"
            "-Dcompiled_in=${growth_COMPILED_IN}"
            "-Dcommand=${program};${growth_COMMAND}"
            -P "${aprof_DIR}/aprof-growth-test.cmake")
endfunction()
