# Analyses of the events of native programs; the program that links an analysis provides the host.
# SPDX-License-Identifier: GPL-2.0-or-later

analyses_sources = \
	analyses/analysis.c analyses/analysis.h \
	analyses/analysis_report.c analyses/analysis_report.h \
	analyses/cache.c \
	analyses/call_stack.h \
	analyses/callgraph.c \
	analyses/calltree.c \
	analyses/counts.c analyses/counts.h \
	analyses/event_words.h \
	analyses/methods.c \
	analyses/paths.c

if PAPERS
papers_analyses = libaprof_analyses.a
noinst_LIBRARIES += libaprof_analyses.a
libaprof_analyses_a_SOURCES = $(ground_sources) $(analyses_sources)
libaprof_analyses_a_CFLAGS = $(cab_cflags) $(NATIVE_CFLAGS)
endif
dist_doc_DATA += docs/analyses.md
