# Tests. A program of one source file needs only its name, because Makefile.am has the defaults.
# SPDX-License-Identifier: GPL-2.0-or-later

# Tests of the whole project: borders between modules, names, layout, configure, and the installation.
source_tests = tests/border.sh tests/evaluation.sh tests/format.sh tests/includes.sh tests/install.sh tests/links.sh tests/listed.sh tests/mentions.sh tests/words.sh \
	tests/names.sh tests/valgrind_core.sh
TESTS += $(source_tests)
dist_check_SCRIPTS += $(source_tests)
EXTRA_DIST += tests/lib.sh tests/measured.awk tests/tools/terminal.py tests/tools/validate.py

# The recipes of CONTRIBUTING.md, in a copy of sources and build.
TESTS += tests/recipes.sh
dist_check_SCRIPTS += tests/recipes.sh

# The tests of all sections below that use cmocka.
if HAVE_CMOCKA
check_PROGRAMS += $(cmocka_tests)
TESTS += $(cmocka_tests)
else
TESTS += tests/unit/without_cmocka.sh
endif
dist_check_SCRIPTS += tests/unit/without_cmocka.sh
EXTRA_DIST += tests/unit/cmocka_all.h tests/setting.h

# The test programs that need no Valgrind, compiler or shell, and are fast and usable with sanitizers. Only
# their dependencies are built.
checked_programs = $(cmocka_tests) $(replays) tests/cab/stress tests/native/test_trms_libc
check-programs:
	$(MAKE) check-TESTS TESTS="$(checked_programs)" check_PROGRAMS="$(checked_programs)" check_LIBRARIES= check_DATA=
.PHONY: check-programs

# ---------------------------------------------------------------- Engine

# A host for the engine that counts and fails, and the streams that tests send to the engine.
noinst_LIBRARIES += libaprof_test.a
libaprof_test_a_CPPFLAGS = -I$(srcdir)
libaprof_test_a_SOURCES = \
	tests/host_test.c tests/host_test.h \
	tests/property/oracle.c tests/property/oracle.h \
	tests/property/rng.h \
	tests/property/stream_builder.c tests/property/stream_builder.h \
	tests/property/stream_calls.c tests/property/stream_model.h tests/property/stream_threads.c \
	tests/property/stream_dump.c tests/property/stream_dump.h \
	tests/unit/feed.c tests/unit/feed.h

cmocka_tests += \
	tests/unit/test_callstack \
	tests/unit/test_jit_dump \
	tests/unit/test_memory \
	tests/unit/test_overflow \
	tests/unit/test_pattern \
	tests/unit/test_perf_map \
	tests/unit/test_profile \
	tests/unit/test_report \
	tests/unit/test_seccomp_filter \
	tests/unit/test_shadow_memory \
	tests/unit/test_size_class \
	tests/unit/test_thread_contexts

# Compares random programs with the definition. `make soak` uses other seeds, and more seeds.
cmocka_tests += tests/property/test_trms
tests_property_test_trms_SOURCES = tests/property/test_trms.c \
	tests/property/tables.c tests/property/tables.h
soak: tests/property/test_trms
	APROF_SEED=$${APROF_SEED:-`date +%s`} APROF_ROUNDS=$${APROF_ROUNDS:-50000} \
	    tests/property/test_trms
.PHONY: soak

# ---------------------------------------------------------------- Ring

check_PROGRAMS += tests/cab/stress
cmocka_tests += tests/cab/test_cab
tests_cab_stress_CFLAGS = $(AM_CFLAGS) -pthread
tests_cab_stress_LDFLAGS = $(AM_LDFLAGS) -pthread
TESTS += tests/cab/stress tests/cab/tsan.sh tests/cab/model.sh tests/cab/bench.sh
dist_check_SCRIPTS += tests/cab/tsan.sh tests/cab/model.sh tests/cab/bench.sh

# Processes a thousand million events in some minutes.
stress-cab: tests/cab/stress
	tests/cab/stress $${STRESS_EVENTS:-1000000000} $${APROF_SEED:-`date +%s`}
.PHONY: stress-cab

# ---------------------------------------------------------------- Contexts

if PAPERS
cmocka_tests += tests/contexts/test_context_trees
endif
cmocka_tests += tests/contexts/test_guarantees
tests_contexts_test_guarantees_SOURCES = tests/contexts/test_guarantees.c \
	tests/contexts/exact_tree.c tests/contexts/exact_tree.h
soak: soak-contexts
soak-contexts: tests/contexts/test_guarantees
	APROF_SEED=$${APROF_SEED:-`date +%s`} APROF_ROUNDS=$${APROF_ROUNDS:-50000} \
	    tests/contexts/test_guarantees
.PHONY: soak-contexts

# ---------------------------------------------------------------- Analyses

if PAPERS
check_PROGRAMS += tests/analyses/sweep_simulate
cmocka_tests += tests/analyses/test_analyses tests/analyses/test_random
endif
tests_analyses_test_random_CFLAGS = $(AM_CFLAGS) -pthread
tests_analyses_test_random_LDFLAGS = $(AM_LDFLAGS) -pthread
TESTS += tests/analyses/cachegrind.sh tests/analyses/sixth.sh
dist_check_SCRIPTS += tests/analyses/cachegrind.sh tests/analyses/sixth.sh
EXTRA_DIST += tests/analyses/harness.h tests/analyses/sweep.h tests/analyses/sweep_run.c

# ---------------------------------------------------------------- Compiled-in profilers

# A runtime that counts, for tests of the code that all runtimes share.
check_LIBRARIES += libaprof_counting.a
libaprof_counting_a_CPPFLAGS = $(native_runtime_cppflags)
libaprof_counting_a_CFLAGS = $(native_runtime_cflags)
libaprof_counting_a_SOURCES = $(native_base_sources) tests/native/base_counting.c

# Compares the counts of C library calls with byte-exact models.
check_PROGRAMS += tests/native/test_trms_libc
TESTS += tests/native/test_trms_libc
tests_native_test_trms_libc_CPPFLAGS = $(native_runtime_cppflags)
tests_native_test_trms_libc_CFLAGS = $(native_runtime_cflags) -fno-builtin
tests_native_test_trms_libc_LDFLAGS = -Wl,--whole-archive,native/libtrms_libc.a,--no-whole-archive
tests_native_test_trms_libc_LDADD =
tests_native_test_trms_libc_DEPENDENCIES = native/libtrms_libc.a

# Tests which calls are recorded in samples.
cmocka_tests += tests/native/test_trms_sample
tests_native_test_trms_sample_SOURCES = native/trms/calls/sample.c tests/native/test_trms_sample.c
tests_native_test_trms_sample_LDADD = $(LDADD) -lm

cmocka_tests += tests/native/test_direct_shadow_places
tests_native_test_direct_shadow_places_SOURCES = native/trms/shadow/direct_shadow_places.c \
	tests/native/test_direct_shadow_places.c

cmocka_tests += tests/native/test_trms_pages
tests_native_test_trms_pages_SOURCES = native/trms/shadow/shadow_pages.c tests/native/test_trms_pages.c

# Compares only the algorithm with the definition: short clocks, few tokens, small chunks.
cmocka_tests += tests/property/test_parallel_trms
tests_property_test_parallel_trms_SOURCES = $(trms_core_sources) \
	$(ground_sources) $(contexts_sources) $(points_sources) \
	tests/property/test_parallel_trms.c \
	tests/property/trms_embedder.c tests/property/trms_embedder.h \
	tests/property/trms_accumulators.c tests/property/trms_accumulators.h \
	tests/property/oracle.c tests/host_test.c
tests_property_test_parallel_trms_CPPFLAGS = $(AM_CPPFLAGS) -DTRMS_CHUNK_LOG2=8 \
	-DTRMS_SEEN_VERSIONS_AT_HAND_LOG2=2 -DTRMS_SEEN_VERSIONS_FIRST_LOG2=2 -DTRMS_SEEN_VERSIONS_MANY=4
tests_property_test_parallel_trms_LDADD = $(CMOCKA_LIBS)

# Compares the algorithm with the definition, with a signal after each instruction.
cmocka_tests += tests/native/test_trms_steps
tests_native_test_trms_steps_SOURCES = $(trms_core_sources) \
	$(ground_sources) $(contexts_sources) $(points_sources) \
	tests/native/test_trms_steps.c \
	tests/native/trms_stage.c tests/native/trms_stage.h tests/property/trms_embedder.c
tests_native_test_trms_steps_CPPFLAGS = $(AM_CPPFLAGS) -DTRMS_CHUNK_LOG2=8 -DTRMS_FIRST_CAPACITY=8 \
	-DTRMS_SEEN_VERSIONS_AT_HAND_LOG2=2 -DTRMS_SEEN_VERSIONS_FIRST_LOG2=2 -DTRMS_SEEN_VERSIONS_MANY=64
tests_native_test_trms_steps_LDADD = $(CMOCKA_LIBS)

cmocka_tests += tests/native/test_trms_tables
tests_native_test_trms_tables_SOURCES = $(trms_core_sources) \
	$(ground_sources) $(contexts_sources) $(points_sources) \
	tests/native/test_trms_tables.c \
	tests/native/trms_stage.c tests/native/trms_stage.h tests/property/trms_embedder.c
tests_native_test_trms_tables_CPPFLAGS = $(tests_native_test_trms_steps_CPPFLAGS)
tests_native_test_trms_tables_LDADD = $(CMOCKA_LIBS)

# The table of docs/execution-contexts.md.
cmocka_tests += tests/native/test_trms_states
tests_native_test_trms_states_SOURCES = $(trms_core_sources) \
	$(ground_sources) $(contexts_sources) $(points_sources) \
	tests/native/test_trms_states.c \
	tests/native/trms_stage.c tests/native/trms_stage.h tests/property/trms_embedder.c
tests_native_test_trms_states_CPPFLAGS = $(tests_native_test_trms_steps_CPPFLAGS)
tests_native_test_trms_states_LDADD = $(CMOCKA_LIBS)

# The driver of a build for which configure has found no LLVM.
check_PROGRAMS += tests/native/cc_without_llvm
tests_native_cc_without_llvm_SOURCES = $(tools_aprof_cc_SOURCES)
tests_native_cc_without_llvm_CPPFLAGS = $(installation_cppflags) $(papers_cppflags) -DAP_GCC_RELEASE='""' -DAPROF_CLANG='""'
tests_native_cc_without_llvm_LDFLAGS = $(tools_aprof_cc_LDFLAGS)
tests_native_cc_without_llvm_LDADD = $(tools_aprof_cc_LDADD)

native_tests = \
	tests/native/aprof_cc.sh \
	tests/native/base.sh \
	tests/native/contexts.sh \
	tests/native/contexts_inline.sh \
	tests/native/driver.sh \
	tests/native/dump.sh \
	tests/native/end.sh \
	tests/native/events.sh \
	tests/native/events_inline.sh \
	tests/native/resolvers.sh \
	tests/native/strangers.sh \
	tests/native/trms.sh \
	tests/native/trms_callbacks.sh \
	tests/native/trms_contexts.sh \
	tests/native/trms_edges.sh \
	tests/native/trms_regions.sh \
	tests/native/trms_fortran.sh \
	tests/native/trms_annotations.sh \
	tests/native/trms_inline.sh \
	tests/native/trms_loops.sh \
	tests/native/trms_rows.sh \
	tests/native/trms_control.sh \
	tests/native/trms_parts.sh \
	tests/native/trms_sample.sh \
	tests/native/trms_large.sh \
	tests/native/trms_libc.sh \
	tests/native/trms_locals.sh \
	tests/native/trms_memcheck.sh \
	tests/native/trms_names.sh \
	tests/native/trms_narrow.sh \
	tests/native/trms_pages.sh \
	tests/native/trms_positions.sh \
	tests/native/trms_streams.sh \
	tests/native/trms_tables.sh \
	tests/native/trms_unaligned.sh \
	tests/native/trms_vectors.sh \
	tests/native/trms_volatile.sh \
	tests/native/without_llvm.sh
TESTS += $(native_tests)
dist_check_SCRIPTS += $(native_tests)
EXTRA_DIST += \
	tests/native/base_library.c tests/native/base_lives.c \
	tests/native/contexts_library.c tests/native/contexts_lives.c \
	tests/native/contexts_lives.sh tests/native/contexts_paths.awk tests/native/contexts_throws.cpp \
	tests/native/events_lives.sh \
	tests/native/contexts_steps.c \
	tests/native/contexts_walks.c \
	tests/native/events_program.c tests/native/identities.c \
	tests/native/single_step.h \
	tests/native/trms_exceptions.cpp tests/native/trms_fork_storm.c tests/native/trms_libc.c \
	tests/native/trms_libc_calls.h tests/native/trms_lives.c tests/native/trms_same.c \
	tests/native/trms_sparse.c tests/native/trms_steps.c

# ---------------------------------------------------------------- Paths

if PAPERS
cmocka_tests += tests/paths/test_numbering tests/unit/test_records
endif
tests_paths_test_numbering_LDADD = libaprof_pathgraphs.a $(tools_test_ldadd)
paths_tests = \
	tests/paths/compiler.sh \
	tests/paths/errors.sh \
	tests/paths/events.sh \
	tests/paths/launchers.sh \
	tests/paths/programs.sh \
	tests/paths/report.sh
TESTS += $(paths_tests)
dist_check_SCRIPTS += $(paths_tests)
EXTRA_DIST += \
	tests/paths/programs/dispatch.c \
	tests/paths/programs/exceptions.cpp \
	tests/paths/programs/leaving.c \
	tests/paths/programs/many_paths.c \
	tests/paths/programs/processes.c \
	tests/paths/programs/threads.c

# ---------------------------------------------------------------- Command

tools_test_ldadd = libaprof_lib.a $(TOOLS_LIBS) $(CMOCKA_LIBS)
check_PROGRAMS += tests/tools/seal tests/tools/test_round_trip
cmocka_tests += tests/tools/test_options tests/tools/test_growth tests/tools/test_growth_claim tests/tools/test_growth_split tests/tools/test_growth_truths tests/tools/test_report_frames \
	tests/tools/test_scale tests/tools/test_schema tests/tools/test_short_name
tests_unit_test_records_LDADD = libaprof_pathgraphs.a $(tools_test_ldadd)
tests_tools_seal_LDADD =
tests_tools_test_growth_LDADD = $(tools_test_ldadd)
tests_tools_test_growth_claim_LDADD = $(tools_test_ldadd)
tests_tools_test_growth_split_LDADD = $(tools_test_ldadd)
tests_tools_test_growth_truths_LDADD = $(tools_test_ldadd)
tests_tools_test_report_frames_LDADD = $(tools_test_ldadd)
tests_tools_test_scale_LDADD = $(tools_test_ldadd)
tests_tools_test_schema_LDADD = $(tools_test_ldadd)
tests_tools_test_options_LDADD = $(tools_test_ldadd)
tests_tools_test_short_name_LDADD = $(tools_test_ldadd)
tests_tools_test_round_trip_LDADD = $(tools_test_ldadd)

check_PROGRAMS += tests/contexts_tools/generate
cmocka_tests += tests/contexts_tools/test_accuracy
tests_contexts_tools_generate_SOURCES = tests/contexts_tools/generate.c \
	tests/contexts_tools/random_tree.c tests/contexts_tools/random_tree.h
tests_contexts_tools_generate_LDADD = $(tools_test_ldadd)
tests_contexts_tools_test_accuracy_SOURCES = tests/contexts_tools/test_accuracy.c \
	tests/contexts_tools/random_tree.c
tests_contexts_tools_test_accuracy_LDADD = $(tools_test_ldadd)

tools_tests = \
	tests/tools/advice.sh \
	tests/tools/annotate.sh \
	tests/tools/check.sh \
	tests/tools/cluster.sh \
	tests/tools/contexts.sh \
	tests/tools/contexts_reader.sh \
	tests/tools/contexts_symbols.sh \
	tests/tools/diff.sh \
	tests/tools/events.sh \
	tests/tools/export.sh \
	tests/tools/build_systems.sh \
	tests/tools/gate.sh \
	tests/tools/flamegraph.sh \
	tests/tools/help.sh \
	tests/tools/history.sh \
	tests/tools/json.sh \
	tests/tools/hostile.sh \
	tests/tools/kinds.sh \
	tests/tools/listeners.sh \
	tests/tools/lsp.sh \
	tests/tools/lsp_editors.sh \
	tests/tools/manual.sh \
	tests/tools/merge.sh \
	tests/tools/pictures.sh \
	tests/tools/plot.sh \
	tests/tools/pull_request.sh \
	tests/tools/reader.sh \
	tests/tools/report.sh \
	tests/tools/report_contexts.sh \
	tests/tools/round_trip.sh \
	tests/tools/run.sh \
	tests/tools/scale.sh \
	tests/tools/schema.sh \
	tests/tools/terminal.sh \
	tests/tools/test.sh \
	tests/tools/top.sh \
	tests/tools/tutorial.sh \
	tests/tools/without_gnuplot.sh \
	tests/web/flamegraph.sh \
	tests/web/history.sh \
	tests/web/page.sh \
	tests/web/serve.sh
TESTS += $(tools_tests)
dist_check_SCRIPTS += $(tools_tests)
EXTRA_DIST += tests/web/browser.mjs tests/web/browser.sh tests/web/commits.awk tests/web/generate.awk \
	tests/web/busy.c tests/web/flamegraph.mjs tests/web/history.mjs tests/web/page.mjs tests/web/serve.mjs \
	tests/tools/damaged.S \
	tests/tools/data/basic.aprof \
	tests/tools/data/basic.contexts \
	tests/tools/data/cache.events \
	tests/tools/data/code.aprof \
	tests/tools/data/code-changed.aprof \
	tests/tools/data/callgraph.events \
	tests/tools/data/calltree.events \
	tests/tools/data/contexts.aprof \
	tests/tools/data/growth-changed.aprof \
	tests/tools/data/growth.aprof \
	tests/tools/data/methods.events \
	tests/tools/data/none.aprof \
	tests/tools/data/run-1000.aprof \
	tests/tools/data/run-2000.aprof \
	tests/tools/data/run-4000.aprof \
	tests/tools/data/paths.events \
	tests/tools/data/sample-unweighted.aprof \
	tests/tools/data/sample.aprof \
	tests/tools/data/threads.aprof \
	tests/tools/data/wide.aprof

# ---------------------------------------------------------------- Fuzzing

# In `make check`, each harness replays the inputs of tests/fuzz/corpus/ and a hundred random inputs. In `make
# fuzz`, each harness searches for worse inputs for a minute. New inputs are stored in tests/fuzz/found/ of
# the build; `make fuzz-keep` reduces these inputs to a small corpus.
fuzz_names = events perf_map report bounds contexts $(papers_fuzz_names) options
replays = tests/fuzz/replay_events tests/fuzz/replay_perf_map tests/fuzz/replay_report tests/fuzz/replay_bounds \
	tests/fuzz/replay_contexts $(papers_replays) tests/fuzz/replay_options
if PAPERS
papers_fuzz_names = analyses paths counts
papers_replays = tests/fuzz/replay_analyses tests/fuzz/replay_paths tests/fuzz/replay_counts
endif
check_PROGRAMS += $(replays)
TESTS += $(replays)
tests_fuzz_replay_events_SOURCES = tests/fuzz/fuzz_events.c tests/fuzz/replay.c
tests_fuzz_replay_perf_map_SOURCES = tests/fuzz/fuzz_perf_map.c tests/fuzz/replay.c
tests_fuzz_replay_report_SOURCES = tests/fuzz/fuzz_report.c tests/fuzz/fuzz_lines.h tests/fuzz/replay.c
tests_fuzz_replay_report_LDADD = $(tools_test_ldadd)
tests_fuzz_replay_bounds_SOURCES = tests/fuzz/fuzz_bounds.c tests/fuzz/replay.c
tests_fuzz_replay_bounds_LDADD = $(tools_test_ldadd)
tests_fuzz_replay_contexts_SOURCES = tests/fuzz/fuzz_contexts.c tests/fuzz/replay.c
tests_fuzz_replay_contexts_LDADD = $(tools_test_ldadd)
tests_fuzz_replay_analyses_SOURCES = tests/fuzz/fuzz_analyses.c tests/fuzz/replay.c
tests_fuzz_replay_analyses_LDADD = $(tools_test_ldadd)
tests_fuzz_replay_paths_SOURCES = tests/fuzz/fuzz_paths.c tests/fuzz/replay.c
tests_fuzz_replay_paths_LDADD = libaprof_pathgraphs.a $(tools_test_ldadd)
tests_fuzz_replay_counts_SOURCES = tests/fuzz/fuzz_counts.c tests/fuzz/fuzz_lines.h tests/fuzz/replay.c
tests_fuzz_replay_counts_LDADD = libaprof_pathgraphs.a $(tools_test_ldadd)
tests_fuzz_replay_options_SOURCES = tests/fuzz/fuzz_options.c tests/fuzz/replay.c
tests_fuzz_replay_options_LDADD = $(tools_test_ldadd)
EXTRA_DIST += tests/fuzz/corpus

fuzzers = $(fuzz_names:%=tests/fuzz/fuzz_%)
# The harnesses also count which lines run, for `make soak-fuzz`.
fuzz_compile = clang -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -g -O1 \
	-fprofile-instr-generate -fcoverage-mapping \
	$(DEFS) $(DEFAULT_INCLUDES) $(installation_cppflags)
fuzzed_engine = $(patsubst %.c,tests/fuzz/engine/%.o,$(filter %.c,$(engine_sources)) tests/host_test.c)
fuzzed_lib = $(patsubst %.c,tests/fuzz/lib/%.o,$(filter %.c,$(libaprof_lib_a_SOURCES) $(libaprof_pathgraphs_a_SOURCES)))
fuzz_headers = $(wildcard $(srcdir)/*/*.h) $(wildcard $(srcdir)/tests/*/*.h)
$(fuzzed_engine): tests/fuzz/engine/%.o: %.c $(fuzz_headers)
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(fuzz_compile) -U_GNU_SOURCE -c -o $@ $<
$(fuzzed_lib): tests/fuzz/lib/%.o: %.c $(fuzz_headers)
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(fuzz_compile) -c -o $@ $<
# The objects are linked as a library, so that an object that no reader needs is not linked, such as an array
# of the host's memory.
tests/fuzz/libfuzzed.a: $(fuzzed_lib)
	$(AM_V_AR)rm -f $@ && $(AR) cq $@ $(fuzzed_lib)
engine_fuzzers = tests/fuzz/fuzz_events tests/fuzz/fuzz_perf_map
$(engine_fuzzers): %: %.c $(fuzzed_engine) $(fuzz_headers)
	$(AM_V_CCLD)$(fuzz_compile) -U_GNU_SOURCE -o $@ $< $(fuzzed_engine)
$(filter-out $(engine_fuzzers),$(fuzzers)): %: %.c tests/fuzz/libfuzzed.a $(fuzz_headers)
	$(AM_V_CCLD)$(fuzz_compile) -o $@ $< tests/fuzz/libfuzzed.a $(TOOLS_LIBS)

fuzz: $(fuzz_names:%=fuzz-%)
$(fuzz_names:%=fuzz-%): fuzz-%: tests/fuzz/fuzz_%
	$(MKDIR_P) tests/fuzz/found/$*
	cd tests/fuzz && LLVM_PROFILE_FILE=/dev/null ./fuzz_$* -max_total_time=$${FUZZ_SECONDS:-60} -max_len=4096 \
	    -rss_limit_mb=4096 -print_final_stats=1 found/$* $(abs_srcdir)/tests/fuzz/corpus/$*

# Copies to the sources the fewest and smallest inputs that reach all reached lines.
fuzz-keep: $(fuzzers)
	for name in $(fuzz_names); do \
	    kept=$(abs_srcdir)/tests/fuzz/corpus/$$name; rm -rf tests/fuzz/all; \
	    $(MKDIR_P) tests/fuzz/all tests/fuzz/found/$$name $$kept && \
	    cp -R $$kept/. tests/fuzz/found/$$name/. tests/fuzz/all && rm -f $$kept/* && \
	    LLVM_PROFILE_FILE=/dev/null tests/fuzz/fuzz_$$name -merge=1 -use_counters=0 -max_len=4096 $$kept tests/fuzz/all || exit 1; \
	done
CLEANFILES += $(fuzzers) tests/fuzz/libfuzzed.a
clean-local: clean-fuzz
clean-fuzz:
	rm -rf tests/fuzz/covered tests/fuzz/found tests/fuzz/all tests/fuzz/engine tests/fuzz/lib
print-fuzz:
	@echo $(fuzz_names:%=fuzz-%)
.PHONY: print-fuzz fuzz $(fuzz_names:%=fuzz-%) fuzz-keep clean-fuzz

# ---------------------------------------------------------------- End to end

regress_tests = \
	tests/regress/accesses.test tests/regress/arguments.test tests/regress/atomics.test \
	tests/regress/avx.test tests/regress/blocks.test tests/regress/cold.test \
	tests/regress/coroutines.test tests/regress/deep_recursion.test \
	tests/regress/empty_stack.test tests/regress/exceptions.test tests/regress/fault.test tests/regress/fault_jump.test \
	tests/regress/figure_1.test tests/regress/figure_2.test tests/regress/figure_3.test \
	tests/regress/generated.test tests/regress/lazy_binding.test tests/regress/linked.test tests/regress/longjmp.test \
	tests/regress/mappings.test tests/regress/no_libc.test tests/regress/openmp.test \
	tests/regress/reads.test tests/regress/recursion.test tests/regress/reload.test \
	tests/regress/retpoline.test tests/regress/same_name.test tests/regress/shrink.test \
	tests/regress/signals.test tests/regress/silence.test tests/regress/spawns.test \
	tests/regress/stack_calls.test tests/regress/stack_switch.test tests/regress/stripped.test tests/regress/syscalls.test \
	tests/regress/syscalls_more.test \
	tests/regress/tail_calls.test tests/regress/templates.test tests/regress/thread_exits.test \
	tests/regress/thread_signals.test tests/regress/threads.test \
	tests/regress/toggle_names.test tests/regress/vectors.test \
	tests/regress/virtual.test tests/regress/x86.test tests/regress/x86_coroutines.test \
	tests/regress/x86_exceptions.test tests/regress/x86_longjmp.test tests/regress/x86_stack_calls.test
regress_scripts = \
	tests/regress/arrival.sh tests/regress/code.sh tests/regress/concurrent.sh tests/regress/contexts.sh tests/regress/dwarf5.sh \
	tests/regress/descriptions.sh tests/regress/follow.sh tests/regress/goroutines.sh \
	tests/regress/locks.sh tests/regress/monitor.sh \
	tests/regress/numbering.sh tests/regress/options.sh \
	tests/regress/jit.sh tests/regress/processes.sh tests/regress/python_hook.sh tests/regress/regions.sh tests/regress/requests.sh tests/regress/sandbox.sh tests/regress/script_growth.sh \
	tests/regress/script_hooks.sh tests/regress/scripts.sh

TEST_LOG_COMPILER = $(SHELL) $(srcdir)/tests/regress/run.sh
TESTS += $(regress_tests) $(regress_scripts)
dist_check_SCRIPTS += $(regress_scripts) tests/regress/run.sh
EXTRA_DIST += $(regress_tests) \
	tests/regress/arm64/atomics.S tests/regress/arm64/empty_stack.S tests/regress/arm64/lazy_binding_calls.S \
	tests/regress/arm64/lazy_binding_lib.S tests/regress/arm64/linked.S tests/regress/arm64/no_libc.S \
	tests/regress/arm64/recursion.S tests/regress/arm64/signals.S tests/regress/arm64/stack_calls.S \
	tests/regress/arm64/stack_switch.S tests/regress/arm64/tail_calls.S tests/regress/arm64/vectors.S \
	tests/regress/accesses.c tests/regress/arguments.c tests/regress/atomics.S \
	tests/regress/atomics.c tests/regress/avx.S tests/regress/avx.c tests/regress/blocks.S \
	tests/regress/blocks.c tests/regress/code.cpp tests/regress/cold.c tests/regress/contexts.c tests/regress/concurrent.c \
	tests/regress/coroutines.c \
	tests/regress/deep_recursion.c tests/regress/empty_stack.S tests/regress/ends.c \
	tests/regress/exceptions.cpp tests/regress/execs.c tests/regress/fault.c \
	tests/regress/fault_jump.S tests/regress/fault_jump.c \
	tests/regress/figure_1.c tests/regress/figure_2.c tests/regress/figure_3.c \
	tests/regress/forks.c tests/regress/generated.c tests/regress/handoff.h tests/regress/io_uring.c \
	tests/regress/lazy_binding.c tests/regress/lazy_binding_calls.S \
	tests/regress/lazy_binding_lib.S tests/regress/leaves.c tests/regress/linked.c tests/regress/locks.c tests/regress/longjmp.c tests/regress/mappings.c \
	tests/regress/monitor.c tests/regress/no_libc.S tests/regress/numbering.c \
	tests/regress/openmp.c tests/regress/pages.c tests/regress/reads.c tests/regress/recursion.S \
	tests/regress/recursion.c tests/regress/regress.h tests/regress/regress_asm.h \
	tests/regress/jit.c tests/regress/regions.c tests/regress/regions_scopes.cpp tests/regress/reload.c tests/regress/reload_a.c tests/regress/reload_b.c \
	tests/regress/requests.c tests/regress/retpoline.c tests/regress/sandbox.c \
	tests/regress/script_growth/Growth.java tests/regress/script_growth/growth.erl \
	tests/regress/script_growth/growth.js tests/regress/script_growth/growth.lua \
	tests/regress/script_growth/growth.pl tests/regress/script_growth/growth.py \
	tests/regress/script_growth/growth.rb \
	tests/regress/same_name.c tests/regress/same_name_2.c tests/regress/same_name_lib.c \
	tests/regress/shrink.c tests/regress/silence.c tests/regress/signals.S tests/regress/signals.c \
	tests/regress/spawns.c tests/regress/goroutines.go tests/regress/insertions.go \
	tests/regress/moved_stacks.go tests/regress/stack_calls.S tests/regress/stack_calls.c \
	tests/regress/stack_switch.S tests/regress/stack_switch.c \
	tests/regress/stripped.c tests/regress/syscalls.c tests/regress/syscalls_more.c \
	tests/regress/tail_calls.S tests/regress/tail_calls.c tests/regress/talker.c \
	tests/regress/templates.cpp tests/regress/thread_exits.c tests/regress/thread_signals.c \
	tests/regress/threads.c tests/regress/vectors.S tests/regress/vectors.c \
	tests/regress/virtual.cpp tests/regress/x86.c

# Growth of functions in scripts of all languages that are installed; some minutes.
check-scripts: all
	$(srcdir)/tests/regress/script_growth.sh python node java erlang lua perl ruby
.PHONY: check-scripts

# Runs Valgrind's own test programs, and fetches Valgrind's source from Debian. Takes an hour; VGTESTS_JOBS
# sets the number of parallel tests.
EXTRA_DIST += tests/vgtests/vgtests.sh tests/vgtests/unstable
vgtests: all
	$(srcdir)/tests/vgtests/vgtests.sh -b . $(VGTESTS)
vgtests-locks: all
	$(srcdir)/tests/vgtests/vgtests.sh -b . none/tests/mmap_fcntl_bug memcheck/tests/file_locking
.PHONY: vgtests vgtests-locks

# Tests the listeners, with version 2 of Catch2, which is compiled with the tests, and the plugin of pytest.
check-listeners: all
	APROF_CATCH2_V2=yes $(srcdir)/tests/tools/listeners.sh
	$(srcdir)/tests/tools/pytest.sh
	APROF_SLOW_EXAMPLES=yes APROF_PAGES=howto $(srcdir)/tests/tools/tutorial.sh
EXTRA_DIST += tests/tools/pytest.sh
.PHONY: check-listeners

# Builds third-party programs with the compiled-in profilers; needs hours and a network.
EXTRA_DIST += tests/packages/packages.sh
packages: all
	$(srcdir)/tests/packages/packages.sh -b . $(PACKAGES)
.PHONY: packages

check-regress: all
	$(MAKE) check TESTS="$(regress_tests) $(regress_scripts)"
.PHONY: check-regress

# Files that tests have left.
clean-local: clean-regress
clean-regress:
	rm -rf tests/vgtests/work tests/packages/work
.PHONY: clean-regress