# The command `aprof`: one file per sub-command.
# SPDX-License-Identifier: GPL-2.0-or-later

# Every sub-command, in the order of `aprof help`: tools/cmd_VERB.c and docs/aprof-VERB.1. The
# command's own table, its help and completion, and the list of manual pages are made from this list.
aprof_verbs = \
	tools/cmd_run \
	tools/cmd_report \
	tools/cmd_annotate \
	tools/cmd_plot \
	tools/cmd_scale \
	tools/cmd_diff \
	tools/cmd_check \
	tools/cmd_gate \
	tools/cmd_test \
	tools/cmd_history \
	tools/cmd_merge \
	tools/cmd_export \
	tools/cmd_html \
	tools/cmd_serve \
	tools/cmd_lsp \
	tools/cmd_top \
	tools/cmd_flamegraph \
	$(papers_paths) \
	tools/cmd_contexts \
	$(papers_events)

# Every kind of report, each with its `model_NAME`, the interface of tools/model.h.
aprof_kinds = points contexts $(papers_kinds)
if PAPERS
papers_paths = tools/cmd_paths
papers_events = tools/cmd_events
papers_kinds = events paths
endif
EXTRA_DIST += docs/aprof-events.1 docs/aprof-paths.1

$(tools_aprof_OBJECTS): tools/verbs.inc tools/kinds.inc
CLEANFILES += tools/verbs.inc tools/kinds.inc
tools/verbs.inc: $(srcdir)/tools/local.mk
	$(AM_V_GEN)$(MKDIR_P) tools && \
	for verb in $(aprof_verbs); do echo "VERB($${verb#tools/cmd_})"; done >$@
tools/kinds.inc: $(srcdir)/tools/local.mk
	$(AM_V_GEN)$(MKDIR_P) tools && for kind in $(aprof_kinds); do echo "KIND($$kind)"; done >$@

bin_PROGRAMS += tools/aprof
tools_aprof_CPPFLAGS = $(installation_cppflags) $(JSON_C_CFLAGS) $(MICROHTTPD_CFLAGS)
tools_aprof_LDADD = $(papers_pathgraphs) libaprof_lib.a $(TOOLS_LIBS) $(JSON_C_LIBS) $(MICROHTTPD_LIBS)
tools_aprof_SOURCES = $(aprof_verbs:=.c) \
	lib/base/page_template.h \
	tools/aprof.c \
	tools/child.c tools/child.h \
	tools/cmd_contexts_compare.c \
	tools/cmd_contexts_prune.c \
	tools/cmd_contexts_report.c \
	tools/cmd_contexts_stats.c \
	tools/command.h tools/common_options.h \
	tools/contexts_command.h \
	tools/contexts_common.c \
	tools/diff_command.h \
	tools/events_command.h \
	tools/export_command.h \
	tools/gate_formats.c tools/gate_formats.h \
	tools/history_command.h tools/history_html.c \
	tools/go_program.c tools/go_program.h \
	tools/html_page.c tools/html_page.h \
	tools/kind_points.c \
	tools/live_process.c tools/live_process.h \
	tools/model.c tools/model.h \
	tools/paths_command.h \
	tools/lsp_options.h \
	tools/report_code.c \
	tools/report_columns.c \
	tools/report_explain.c \
	tools/report_advice.c \
	tools/report_findings.c \
	tools/report_groups.c \
	tools/report_lines.c \
	tools/report_load.c tools/report_load.h \
	tools/report_view.h \
	tools/scale_formats.c \
	tools/serve.h tools/serve_http.c tools/serve_reports.c \
	tools/scale_view.h
if HAVE_JSON_C
tools_aprof_SOURCES += \
	tools/lsp.h \
	tools/lsp_answers.c \
	tools/lsp_findings.c \
	tools/lsp_report.c \
	tools/lsp_server.c \
	tools/lsp_text.c tools/lsp_text.h \
	tools/lsp_wire.c tools/lsp_wire.h
endif
if PAPERS
tools_aprof_SOURCES += \
	tools/cmd_events_compare.c \
	tools/events_accuracy.c tools/events_accuracy.h \
	tools/events_common.c \
	tools/events_formats.c \
	tools/paths_build.c \
	tools/paths_check.c \
	tools/paths_edges.c \
	tools/paths_files.c \
	tools/paths_merge.c \
	tools/paths_plan.c \
	tools/paths_process.c \
	tools/paths_report.c \
	tools/paths_run.c
endif
