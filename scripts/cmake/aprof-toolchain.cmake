# CMake: cmake -DCMAKE_TOOLCHAIN_FILE=aprof-toolchain.cmake compiles the profiler into all of a project.
# SPDX-License-Identifier: BSD-2-Clause
set(CMAKE_C_COMPILER aprof-cc)
set(CMAKE_CXX_COMPILER aprof-c++)
