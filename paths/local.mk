# Path profiling: graphs, numberings and plans without LLVM, and the runtimes.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reading counts needs no LLVM; paths/runtime is linked into programs that count paths. Path
# profiling reproduces a paper, so --disable-papers omits this module (docs/papers.md).

if PAPERS
papers_pathgraphs = libaprof_pathgraphs.a
noinst_LIBRARIES += libaprof_pathgraphs.a
libaprof_pathgraphs_a_SOURCES = \
	paths/counters.h \
	paths/counts.c paths/counts.h \
	paths/dag.c paths/dag.h \
	paths/frequency.c paths/frequency.h \
	paths/graph.c paths/graph.h \
	paths/link_record.c paths/link_record.h \
	paths/numbering.c paths/numbering.h \
	paths/partition.c paths/partition.h \
	paths/path_profile.c paths/path_profile.h \
	paths/placement.c paths/placement.h \
	paths/plan.c paths/plan.h \
	paths/policy.c paths/policy.h \
	paths/probe_writer.c paths/probe_writer.h \
	paths/probes.h \
	paths/record.c paths/record.h
endif

# The instrumenter and the code for users' programs, in the same folder; never built with the
# sanitizers that configure selected.
pathslibdir = $(libexecdir)/aprof/paths
if HAVE_LLVM
if PAPERS
pathslib_LIBRARIES = tools/libaprof_paths.a tools/libaprof_paths_static.a \
	tools/libaprof_paths_events.a
paths_runtime_cflags = -std=gnu11 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Wmissing-prototypes
paths_runtime_sources = paths/runtime/runtime.c paths/runtime/runtime.h paths/counters.h
tools_libaprof_paths_a_CPPFLAGS = -I$(srcdir)
tools_libaprof_paths_a_CFLAGS = $(paths_runtime_cflags)
tools_libaprof_paths_a_SOURCES = $(paths_runtime_sources) paths/runtime/dynamic.c
tools_libaprof_paths_events_a_CPPFLAGS = -I$(srcdir)
tools_libaprof_paths_events_a_CFLAGS = $(paths_runtime_cflags)
tools_libaprof_paths_events_a_SOURCES = paths/runtime/events.c paths/runtime/runtime.h
tools_libaprof_paths_static_a_CPPFLAGS = -I$(srcdir)
tools_libaprof_paths_static_a_CFLAGS = $(paths_runtime_cflags)
tools_libaprof_paths_static_a_SOURCES = $(paths_runtime_sources) paths/runtime/static.c
endif
endif

dist_doc_DATA += docs/paths.md
