# Benchmarks. Each has a script that prints ratios; docs/measurements/performance.md has the tables.
# SPDX-License-Identifier: GPL-2.0-or-later

bench_kernels = \
	bench/programs/sparse_lu \
	bench/programs/alignment \
	bench/programs/molecular_dynamics \
	bench/programs/multigrid \
	bench/programs/kdtree \
	bench/programs/smith_waterman \
	bench/programs/tree_sort

check_PROGRAMS += bench/measure bench/generate $(bench_kernels)
bench_measure_LDADD =
bench_generate_LDADD =

# Kernels have no sanitizers, so that a kernel is the same program in all builds.
bench_kernel_cflags = -std=gnu11 -O2 -g -Wall -Wextra -fopenmp -pthread
bench_programs_sparse_lu_SOURCES = bench/programs/sparse_lu.c bench/programs/kernel.h
bench_programs_sparse_lu_CFLAGS = $(bench_kernel_cflags)
bench_programs_sparse_lu_LDADD =
bench_programs_alignment_SOURCES = bench/programs/alignment.c bench/programs/kernel.h
bench_programs_alignment_CFLAGS = $(bench_kernel_cflags)
bench_programs_alignment_LDADD =
bench_programs_molecular_dynamics_SOURCES = bench/programs/molecular_dynamics.c bench/programs/kernel.h
bench_programs_molecular_dynamics_CFLAGS = $(bench_kernel_cflags)
bench_programs_molecular_dynamics_LDADD =
bench_programs_multigrid_SOURCES = bench/programs/multigrid.c bench/programs/kernel.h
bench_programs_multigrid_CFLAGS = $(bench_kernel_cflags)
bench_programs_multigrid_LDADD =
bench_programs_kdtree_SOURCES = bench/programs/kdtree.c bench/programs/kernel.h
bench_programs_kdtree_CFLAGS = $(bench_kernel_cflags)
bench_programs_kdtree_LDADD =
bench_programs_smith_waterman_SOURCES = bench/programs/smith_waterman.c bench/programs/kernel.h
bench_programs_smith_waterman_CFLAGS = $(bench_kernel_cflags)
bench_programs_smith_waterman_LDADD =
bench_programs_tree_sort_SOURCES = bench/programs/tree_sort.c bench/programs/kernel.h
bench_programs_tree_sort_CFLAGS = $(bench_kernel_cflags)
bench_programs_tree_sort_LDADD =

EXTRA_DIST += bench/README.md bench/bench.sh bench/debian_source.sh bench/others.sh bench/tables.awk bench/tables_library.awk \
	bench/cost_model.sh bench/cost_model.awk \
	bench/programs/queens.lua bench/programs/words.pl
dist_check_SCRIPTS += bench/smoke.sh
TESTS += bench/smoke.sh

bench: all bench/measure bench/generate $(bench_kernels)
	$(srcdir)/bench/bench.sh -b bench
	$(srcdir)/bench/bench.sh -b bench -l 1 -o bench/results-loaded.tsv -j "" \
	    -t "native none aprof concurrent" -p "$(bench_loaded)"

# Measures only third-party programs, including start-up, on one thread and on four threads. Programs without a choice
# of threads run twice without a change.
bench_others = sqlite3 xz pigz lua perl sort grep bzip2 zstd x264 imagemagick jq xmllint python3 mawk m4
bench-others: all bench/measure bench/generate
	for threads in 1 4; do \
	    $(srcdir)/bench/bench.sh -b bench -r $${BENCH_RUNS:-2} -n $$threads -j "" \
	        -t "native none aprof concurrent" -p "$${BENCH_PROGRAMS:-$(bench_others)}" \
	        -o bench/others-$$threads.tsv || exit 1; \
	done
CLEANFILES += bench/others-1.tsv bench/others-4.tsv
.PHONY: bench-others

# Programs that run again while another process keeps one processor busy.
bench_loaded = $${BENCH_PROGRAMS:-kdtree multigrid sqlite3 lua grep}

# The tool with other actions for records: bench/aprof/consume.c.
check_PROGRAMS += aprof_measured-amd64-linux
aprof_measured_amd64_linux_SOURCES = $(tool_sources) bench/aprof/consume.c bench/aprof/recording.h
aprof_measured_amd64_linux_CPPFLAGS = $(aprof_amd64_linux_CPPFLAGS)
aprof_measured_amd64_linux_CFLAGS = $(aprof_amd64_linux_CFLAGS)
aprof_measured_amd64_linux_LDFLAGS = $(aprof_amd64_linux_LDFLAGS) -Wl,--wrap=engine_consume
aprof_measured_amd64_linux_LDADD = $(aprof_amd64_linux_LDADD)
check_DATA = .in_place/aprof_measured-amd64-linux
.in_place/aprof_measured-amd64-linux: aprof_measured-amd64-linux .in_place/stamp
	$(AM_V_GEN)rm -f $@ && $(LN_S) ../aprof_measured-amd64-linux $@

# The engine of the tool alone, on a stream that aprof_measured has recorded.
check_PROGRAMS += bench/aprof/replay
bench_aprof_replay_SOURCES = bench/aprof/replay.c bench/aprof/recording.h
bench_aprof_replay_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -fno-pie
bench_aprof_replay_LDFLAGS = -no-pie
bench_aprof_replay_LDADD = libaprof_engine-amd64-linux.a

# The terms of the cost model of concurrent analysis.
bench-cost: all bench/measure bench/generate $(bench_kernels) .in_place/aprof_measured-amd64-linux
	$(srcdir)/bench/cost_model.sh -b bench
.PHONY: bench bench-cost

# The ring and other buffers; takes five minutes. On a busy machine, set BENCH_CLOCK=cpu.
check_PROGRAMS += bench/cab/bench_cab
bench_cab_bench_cab_SOURCES = bench/cab/bench_cab.c bench/cab/fastforward.h bench/cab/nway.h \
	bench/cab/peers.h
bench_cab_bench_cab_CFLAGS = -std=gnu11 -O2 -g -Wall -Wextra -pthread
bench_cab_bench_cab_LDFLAGS = $(NATIVE_LDFLAGS) -pthread
bench_cab_bench_cab_LDADD = libaprof_cab.a -lm
bench-cab: bench/cab/bench_cab
	bench/cab/bench_cab $${BENCH_RUNS:-5} $${BENCH_EVENTS:-4000000} $${BENCH_CLOCK:-wall} \
	    >bench/cab/results.txt
	cat bench/cab/results.txt
CLEANFILES += bench/cab/results.txt
.PHONY: bench-cab
# ---------------------------------------------------------------- Compiled-in profilers

# The runtimes with modes that omit parts of the work, only for measurements. aprof-cc uses the archives in
# its own folder.
EXTRA_LIBRARIES = bench/measured/libmodes.a
bench_measured_libmodes_a_CPPFLAGS = $(native_runtime_cppflags)
bench_measured_libmodes_a_CFLAGS = $(native_runtime_cflags)
bench_measured_libmodes_a_SOURCES = bench/contexts/modes.c bench/native/modes.c
measured = bench/measured/libaprof_contexts.a $(papers_measured)
if PAPERS
papers_measured = bench/measured/libaprof_events.a
endif
measured_modes = $(bench_measured_libmodes_a_OBJECTS)
# The objects with the other file of modes, linked to one object (native/local.mk).
measured_parts = $(MKDIR_P) $(@D) && rm -f $@ && cp $< $@ && \
	$(AR) d $@ lib`basename $@ .a`_a-modes.$(OBJEXT) && $(AR) r $@
bench/measured/contexts_parts.a: native/libcontexts_parts.a $(measured_modes)
	$(AM_V_AR)$(measured_parts) $(filter bench/contexts/%,$(measured_modes))
bench/measured/events_parts.a: native/libevents_parts.a $(measured_modes)
	$(AM_V_AR)$(measured_parts) $(filter bench/native/%,$(measured_modes))
bench/measured/libaprof_contexts.a: bench/measured/contexts_parts.a
	$(AM_V_AR)$(one_object)
bench/measured/libaprof_events.a: bench/measured/events_parts.a
	$(AM_V_AR)$(one_object)
bench/measured/tools/aprof-cc: tools/aprof-cc $(measured) $(pathslib_DATA)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cp tools/aprof-cc tools/aprof $(@D) && ln -sf aprof-cc $(@D)/aprof-c++ && \
	for file in tools/aprof-instrument $(pathslib_DATA); do ln -sf ../../../$$file $(@D); done
check_DATA += bench/measured/tools/aprof-cc
clean-local: clean-measured
clean-measured:
	rm -rf bench/measured/tools $(measured) bench/measured/*_parts.a
.PHONY: clean-measured

# Figures 7 to 11 of the paper on concurrent analysis.
EXTRA_DIST += bench/native/native.sh bench/native/tables.awk bench/native/by_hand.h \
	bench/native/binary_tree.c bench/native/expression.c bench/native/four_in_a_row.c \
	bench/native/hash_words.c bench/native/merge_sort.c bench/native/queens.c \
	bench/native/two_threads.c
bench-native: all bench/measure bench/measured/tools/aprof-cc
	$(srcdir)/bench/native/native.sh -b . -o bench/native.tsv

EXTRA_DIST += bench/contexts/contexts.sh bench/contexts/skewness.sh bench/contexts/tables.awk \
	bench/contexts/connect.c bench/contexts/expressions.c bench/contexts/queens.c
bench-contexts: all bench/measure bench/measured/tools/aprof-cc
	$(srcdir)/bench/contexts/contexts.sh -b .
# Measures hot contexts of third-party programs with millions of contexts; needs a network, 5 GB of memory, and half an hour.
EXTRA_DIST += bench/contexts/large.sh bench/contexts/large.awk bench/contexts/large_programs.sh
bench-contexts-large: all bench/measure
	$(srcdir)/bench/contexts/large.sh -b .
# Measures input sizes per hot context in some of these programs; needs 5 GB of memory, and half an hour.
EXTRA_DIST += bench/contexts/points.sh bench/contexts/points.awk bench/contexts/points_compare.awk \
	bench/contexts/points_growths.awk
bench-contexts-points: all bench/measure tests/tools/seal
	$(srcdir)/bench/contexts/points.sh -b .
.PHONY: bench-contexts-large bench-contexts-points
# Measures only inline counting code, on more programs.
bench-contexts-inline: all bench/measure bench/generate bench/measured/tools/aprof-cc
	$(srcdir)/bench/contexts/contexts.sh -i -b . -o bench/contexts-inline.tsv

EXTRA_DIST += bench/compiled/README.md bench/compiled/compiled.sh bench/compiled/tables.awk \
	bench/compiled/interpreter.c bench/compiled/matrix.c \
	bench/compiled/samples.sh bench/compiled/sorts.c
bench-compiled: all bench/measure bench/generate
	$(srcdir)/bench/compiled/compiled.sh -b .
bench-compiled-quick: all bench/measure bench/generate
	$(srcdir)/bench/compiled/compiled.sh -b . -q -r 3
# Compares input sizes of inline checks with the Valgrind tool on eleven third-party programs; needs some
# minutes and a network.
EXTRA_DIST += bench/compiled/input.sh
bench-input: all bench/generate
	$(srcdir)/bench/compiled/input.sh -b .
bench-samples: all bench/measure
	$(srcdir)/bench/compiled/samples.sh -b .

# Measures hits, time and probes of every policy on real programs; needs LLVM, a network and half an hour.
EXTRA_DIST += bench/paths/paths.sh bench/paths/tables.awk bench/paths/json_format.cpp
bench-paths: all bench/generate
	$(srcdir)/bench/paths/paths.sh -b . -o bench/paths.tsv

# Compares inlined functions with -fno-inline; needs a network and ten minutes.
EXTRA_DIST += bench/inlined/inlined.sh bench/inlined/trace.c
bench-inlined: all tests/tools/seal
	$(srcdir)/bench/inlined/inlined.sh . bench/inlined.work

# Measures only planning, on a random program of 100 000 blocks.
if PAPERS
check_PROGRAMS += bench/paths/plan_speed
endif
bench_paths_plan_speed_LDADD = libaprof_pathgraphs.a libaprof_lib.a $(TOOLS_LIBS)
# Scripts: what an interpreter adds to input sizes, third-party scripts, and 50 000 routines made while running.
EXTRA_DIST += bench/scripts/bias.js bench/scripts/bias.lua bench/scripts/bias.pl bench/scripts/bias.py bench/scripts/bias.rb \
	bench/scripts/bias.sh bench/scripts/go.sh bench/scripts/jit.c bench/scripts/jit.sh \
	bench/scripts/setup.sh bench/scripts/stories.sh
bench-scripts: all
	$(srcdir)/bench/scripts/bias.sh -b .
	$(srcdir)/bench/scripts/jit.sh -b .
	$(srcdir)/bench/scripts/stories.sh -b .
.PHONY: bench-scripts

# Go programs on two and four processors, 50 times each: takes about an hour.
bench-go: all
	$(srcdir)/bench/scripts/go.sh -b .
.PHONY: bench-go

bench-plan: bench/paths/plan_speed
	bench/paths/plan_speed
.PHONY: bench-native bench-contexts bench-contexts-inline bench-compiled bench-compiled-quick bench-input bench-samples \
	bench-paths bench-plan bench-inlined

# ---------------------------------------------------------------- Predictions

# Tests whether predictions at N are correct at 10 N. Profiles are kept, so that changed rules can be tested
# again.
check_PROGRAMS += bench/tenfold/known
bench_tenfold_known_CFLAGS = -std=gnu11 -O1 -g -Wall -Wextra
bench_tenfold_known_LDADD =
EXTRA_DIST += bench/tenfold/tenfold.sh bench/tenfold/programs.sh bench/tenfold/join.awk bench/tenfold/judge.awk \
	bench/tenfold/coverage.awk bench/tenfold/lapack.c bench/tenfold/objects.lua bench/tenfold/groups.xsl \
	bench/tenfold/words.lua bench/tenfold/words.php bench/tenfold/words.py bench/tenfold/words.rb bench/tenfold/words.tcl
tenfold: all bench/generate bench/tenfold/known bench/programs/kdtree bench/programs/alignment \
    bench/programs/tree_sort bench/programs/smith_waterman
	$(srcdir)/bench/tenfold/tenfold.sh -b . -w $${TENFOLD_WORK:-bench/tenfold/work} \
	    -o bench/tenfold/results.tsv $${TENFOLD_PROGRAMS}
# Measures for which part of the cost of third-party programs one report, or three reports, show the growth.
growth-coverage: all bench/generate bench/tenfold/known
	$(srcdir)/bench/tenfold/tenfold.sh -g -b . -w $${TENFOLD_WORK:-bench/tenfold/work} \
	    -o bench/tenfold/coverage.tsv $${TENFOLD_PROGRAMS}
CLEANFILES += bench/tenfold/results.tsv bench/tenfold/coverage.tsv
.PHONY: tenfold growth-coverage

# Tests whether `aprof diff` names planted faults in third-party programs, and no routine without a fault. The
# sources are fetched from Debian; profiles are kept.
EXTRA_DIST += bench/planted/planted.sh bench/planted/cjson.c bench/planted/jansson.c bench/planted/script.lua \
	bench/planted/tinyxml2.cpp bench/planted/zlib.c
planted: all bench/generate bench/programs/kdtree bench/programs/alignment
	$(srcdir)/bench/planted/planted.sh -b . -w $${PLANTED_WORK:-bench/planted/work} $${PLANTED_FAULTS}
.PHONY: planted
