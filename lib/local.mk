# What the command `aprof` is made of, by itself for tests and fuzzing: readers, sums, exports.
# SPDX-License-Identifier: GPL-2.0-or-later

# Where an installation has what the command needs.
installation_cppflags = $(AM_CPPFLAGS) \
	-DAP_VALGRIND_LIB='"$(tooldir)"' \
	-DAP_SCRIPTS='"$(pkgdatadir)/scripts"' \
	-DAP_SOURCE_SCRIPTS='"$(abs_srcdir)/scripts"' \
	-DAP_LIBDIR='"$(libdir)"' \
	-DAPROF_PATHS_LIB='"$(pathslibdir)"'

noinst_LIBRARIES += libaprof_lib.a
libaprof_lib_a_CPPFLAGS = $(installation_cppflags)
libaprof_lib_a_SOURCES = $(ground_sources) $(analyses_sources) \
	lib/bounds.c lib/bounds.h \
	lib/code_view.c lib/code_view.h \
	lib/command_line.c lib/command_line.h \
	lib/compare.c lib/compare.h \
	lib/compare_code.c lib/compare_code.h \
	lib/compare_contexts.c \
	lib/comparison.c lib/comparison.h \
	lib/compiler_words.c lib/compiler_words.h \
	lib/context_edges.c lib/context_edges.h \
	lib/contexts_accuracy.c lib/contexts_accuracy.h \
	lib/contexts_align.c lib/contexts_align.h \
	lib/contexts_export.c lib/contexts_export.h \
	lib/contexts_flame.c lib/contexts_flame.h \
	lib/contexts_invert.c lib/contexts_invert.h \
	lib/contexts_profile.c lib/contexts_profile.h \
	lib/contexts_reader.c lib/contexts_reader.h \
	lib/contexts_sum.c lib/contexts_sum.h \
	lib/contexts_symbols.c lib/contexts_symbols.h \
	lib/contexts_writer.c lib/contexts_writer.h \
	lib/control.c lib/control.h \
	lib/csv.c lib/csv.h \
	lib/demangle.c lib/demangle.h \
	lib/estimate.c lib/estimate.h \
	lib/events_join.c lib/events_join.h \
	lib/events_reader.c lib/events_reader.h \
	lib/events_report.c lib/events_report.h \
	lib/events_writer.c lib/events_writer.h \
	lib/export.c lib/export.h \
	lib/export_callgrind.c \
	lib/export_csv.c \
	lib/export_gnuplot.c \
	lib/export_json.c \
	lib/export_pprof.c \
	lib/export_sqlite.c \
	lib/export_stacks.c \
	lib/gate.c lib/gate.h \
	lib/gnuplot.c lib/gnuplot.h \
	lib/growth.c lib/growth.h \
	lib/growth_answers.c \
	lib/growth_branches.c \
	lib/growth_claim.c lib/growth_claim.h \
	lib/growth_curve.c lib/growth_curve.h \
	lib/growth_split.c lib/growth_split.h \
	lib/growth_terms.c lib/growth_terms.h \
	lib/history.c lib/history.h \
	lib/host.c \
	lib/inlined_calls.c lib/inlined_calls.h \
	lib/input.c lib/input.h \
	lib/installation.c lib/installation.h \
	lib/json.c lib/json.h \
	lib/memory.c lib/memory.h \
	lib/message.c lib/message.h \
	lib/output.c lib/output.h \
	lib/page_code.c lib/page_code.h \
	lib/page_data.c lib/page_data.h \
	lib/page_scale.c lib/page_scale.h \
	lib/pairing.c lib/pairing.h \
	lib/plot.c lib/plot.h \
	lib/progress.c lib/progress.h \
	lib/record_fields.c lib/record_fields.h \
	lib/record_reader.c lib/record_reader.h \
	lib/record_stream.c lib/record_stream.h \
	lib/record_types.h \
	lib/report.c lib/report.h \
	lib/report_code.c lib/report_code.h \
	lib/report_contexts.c lib/report_contexts.h \
	lib/report_flame.c lib/report_flame.h \
	lib/report_frames.c lib/report_frames.h \
	lib/report_kind.c lib/report_kind.h lib/report_kind_words.c \
	lib/report_merge.c lib/report_merge.h \
	lib/report_sample.c lib/report_sample.h \
	lib/report_reader.c lib/report_reader.h \
	lib/report_set.c lib/report_set.h \
	lib/report_stacks.c lib/report_stacks.h \
	lib/report_symbols.c lib/report_symbols.h \
	lib/report_writer.c lib/report_writer.h \
	lib/routine_growth.c lib/routine_growth.h \
	lib/scale.c lib/scale.h \
	lib/scale_axis.c lib/scale_axis.h \
	lib/scale_posterior.c lib/scale_posterior.h \
	lib/scale_plot.c lib/scale_plot.h \
	lib/select.c lib/select.h \
	lib/short_name.c lib/short_name.h \
	lib/source.c lib/source.h \
	lib/summary.c lib/summary.h \
	lib/table.c lib/table.h \
	lib/vector.h
