# The command `aprof`: one file per sub-command.
# SPDX-License-Identifier: GPL-2.0-or-later

# The error of sampling is computed by the analyses' own function.
bin_PROGRAMS += tools/aprof
tools_aprof_CPPFLAGS = $(installation_cppflags)
tools_aprof_LDADD = libaprof_pathgraphs.a libaprof_analyses.a libaprof_lib.a $(TOOLS_LIBS)
tools_aprof_SOURCES = \
	lib/page_template.h \
	tools/aprof.c \
	tools/cmd_check.c \
	tools/cmd_contexts.c \
	tools/cmd_contexts_compare.c \
	tools/cmd_contexts_export.c \
	tools/cmd_contexts_flamegraph.c \
	tools/cmd_contexts_merge.c \
	tools/cmd_contexts_prune.c \
	tools/cmd_contexts_report.c \
	tools/cmd_contexts_stats.c \
	tools/cmd_diff.c \
	tools/cmd_events.c \
	tools/cmd_events_compare.c \
	tools/cmd_events_merge.c \
	tools/cmd_events_report.c \
	tools/cmd_export.c \
	tools/cmd_html.c \
	tools/cmd_merge.c \
	tools/cmd_paths.c \
	tools/cmd_plot.c \
	tools/cmd_report.c \
	tools/cmd_run.c \
	tools/command.h \
	tools/contexts_command.h \
	tools/contexts_common.c \
	tools/events_accuracy.c tools/events_accuracy.h \
	tools/events_command.h \
	tools/events_common.c \
	tools/events_formats.c \
	tools/paths_build.c \
	tools/paths_check.c \
	tools/paths_command.h \
	tools/paths_edges.c \
	tools/paths_files.c \
	tools/paths_merge.c \
	tools/paths_plan.c \
	tools/paths_process.c \
	tools/paths_report.c \
	tools/paths_run.c \
	tools/steps.c
