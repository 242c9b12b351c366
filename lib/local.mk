# The library of the command `aprof`, also for tests and fuzzers: readers, sums, exports.
# SPDX-License-Identifier: GPL-2.0-or-later

# The installed folders that the command needs.
installation_cppflags = $(AM_CPPFLAGS) \
	-DAP_VALGRIND_LIB='"$(tooldir)"' \
	-DAP_SCRIPTS='"$(pkgdatadir)/scripts"' \
	-DAP_SOURCE_SCRIPTS='"$(abs_srcdir)/scripts"' \
	-DAP_LIBDIR='"$(libdir)"' \
	-DAPROF_PATHS_LIB='"$(pathslibdir)"'

noinst_LIBRARIES += libaprof_lib.a
libaprof_lib_a_CPPFLAGS = $(installation_cppflags)
libaprof_lib_a_SOURCES = $(ground_sources) \
	lib/growth/bounds.c lib/growth/bounds.h \
	lib/report/code_view.c lib/report/code_view.h \
	lib/load/command_line.c lib/load/command_line.h \
	lib/compare/compare.c lib/compare/compare.h \
	lib/compare/compare_code.c lib/compare/compare_code.h \
	lib/compare/compare_contexts.c \
	lib/compare/compare_moved.c lib/compare/compare_moved.h \
	lib/compare/compare_words.c lib/compare/compare_words.h \
	lib/compare/comparison.c lib/compare/comparison.h \
	lib/base/compiler_words.c lib/base/compiler_words.h \
	lib/contexts/context_edges.c lib/contexts/context_edges.h \
	lib/contexts/contexts_accuracy.c lib/contexts/contexts_accuracy.h \
	lib/contexts/contexts_align.c lib/contexts/contexts_align.h \
	lib/contexts/contexts_export.c lib/contexts/contexts_export.h \
	lib/contexts/contexts_flame.c lib/contexts/contexts_flame.h \
	lib/contexts/contexts_flame_tree.c lib/contexts/contexts_flame_tree.h \
	lib/contexts/contexts_invert.c lib/contexts/contexts_invert.h \
	lib/contexts/contexts_profile.c lib/contexts/contexts_profile.h \
	lib/contexts/contexts_reader.c lib/contexts/contexts_reader.h \
	lib/contexts/contexts_sum.c lib/contexts/contexts_sum.h \
	lib/symbols/contexts_symbols.c lib/symbols/contexts_symbols.h \
	lib/contexts/contexts_writer.c lib/contexts/contexts_writer.h \
	lib/base/control.c lib/base/control.h \
	lib/base/csv.c lib/base/csv.h \
	lib/base/demangle.c lib/base/demangle.h \
	lib/report/estimate.c lib/report/estimate.h \
	lib/export/export.c lib/export/export.h \
	lib/export/export_callgrind.c \
	lib/export/export_csv.c \
	lib/export/export_gnuplot.c \
	lib/export/export_json.c \
	lib/export/export_pprof.c \
	lib/export/export_sqlite.c \
	lib/export/export_stacks.c \
	lib/compare/gate.c lib/compare/gate.h lib/compare/gate_cause.c \
	lib/base/gnuplot.c lib/base/gnuplot.h \
	lib/growth/growth.c lib/growth/growth.h \
	lib/growth/growth_answers.c \
	lib/growth/growth_branches.c \
	lib/growth/growth_claim.c lib/growth/growth_claim.h \
	lib/growth/growth_curve.c lib/growth/growth_curve.h \
	lib/growth/growth_split.c lib/growth/growth_split.h \
	lib/growth/growth_terms.c lib/growth/growth_terms.h \
	lib/growth/growth_trend.c lib/growth/growth_trend.h \
	lib/compare/history.c lib/compare/history.h \
	lib/base/host.c \
	lib/report/inlined_calls.c lib/report/inlined_calls.h \
	lib/base/input.c lib/base/input.h \
	lib/base/installation.c lib/base/installation.h \
	lib/base/json.c lib/base/json.h \
	lib/base/memory.c lib/base/memory.h \
	lib/base/message.c lib/base/message.h \
	lib/base/output.c lib/base/output.h \
	lib/page/page_changes.c lib/page/page_changes.h \
	lib/page/page_code.c lib/page/page_code.h \
	lib/page/page_data.c lib/page/page_data.h \
	lib/page/page_scale.c lib/page/page_scale.h \
	lib/report/pairing.c lib/report/pairing.h \
	lib/export/plot.c lib/export/plot.h \
	lib/base/progress.c lib/base/progress.h \
	lib/records/record_fields.c lib/records/record_fields.h \
	lib/records/record_reader.c lib/records/record_reader.h \
	lib/records/record_stream.c lib/records/record_stream.h \
	lib/records/record_types.h \
	lib/report/report.c lib/report/report.h \
	lib/report/report_code.c lib/report/report_code.h \
	lib/report/report_contexts.c lib/report/report_contexts.h \
	lib/export/report_flame.c lib/export/report_flame.h \
	lib/report/report_frames.c lib/report/report_frames.h \
	lib/report/report_frames_edges.c lib/report/report_frames_edges.h \
	lib/load/report_kind.c lib/load/report_kind.h lib/load/report_kind_words.c \
	lib/report/report_merge.c lib/report/report_merge.h \
	lib/growth/report_sample.c lib/growth/report_sample.h \
	lib/report/report_reader.c lib/report/report_reader.h \
	lib/report/report_regions.c lib/report/report_regions.h \
	lib/load/report_set.c lib/load/report_set.h \
	lib/report/report_stacks.c lib/report/report_stacks.h \
	lib/symbols/report_symbols.c lib/symbols/report_symbols.h \
	lib/report/report_writer.c lib/report/report_writer.h \
	lib/growth/routine_growth.c lib/growth/routine_growth.h \
	lib/growth/scale.c lib/growth/scale.h \
	lib/growth/scale_axis.c lib/growth/scale_axis.h \
	lib/growth/scale_posterior.c lib/growth/scale_posterior.h \
	lib/export/scale_plot.c lib/export/scale_plot.h \
	lib/report/select.c lib/report/select.h \
	lib/base/short_name.c lib/base/short_name.h \
	lib/base/source.c lib/base/source.h \
	lib/growth/summary.c lib/growth/summary.h \
	lib/base/table.c lib/base/table.h \
	lib/base/vector.h
if PAPERS
libaprof_lib_a_SOURCES += $(analyses_sources) \
	lib/events/events_join.c lib/events/events_join.h \
	lib/events/events_reader.c lib/events/events_reader.h \
	lib/events/events_report.c lib/events/events_report.h \
	lib/events/events_writer.c lib/events/events_writer.h
endif

# The script of a flame graph as texts of C, without its comments.
EXTRA_DIST += lib/contexts/flame.js
CLEANFILES += lib/contexts/flame_script.inc
lib/contexts/libaprof_lib_a-contexts_flame.$(OBJEXT): lib/contexts/flame_script.inc
lib/contexts/flame_script.inc: $(srcdir)/lib/contexts/flame.js
	$(AM_V_GEN)$(MKDIR_P) lib/contexts && \
	    sed -e '/^ *\/\//d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $(srcdir)/lib/contexts/flame.js >$@
