# The compilers that put a profiler into programs, and the instrumenter of compiled programs.
# SPDX-License-Identifier: GPL-2.0-or-later

# aprof-cc compiles C++ and Fortran under the names aprof-c++ and aprof-fc, and instruments paths
# under the names aprof-pathcc and aprof-pathc++. Of the libraries of `aprof`, aprof-cc uses only
# the libraries that decompress files.
bin_PROGRAMS += tools/aprof-cc
tools_aprof_cc_CPPFLAGS = $(installation_cppflags) $(papers_cppflags) -DAP_GCC_RELEASE='"$(GCC_PLUGIN_RELEASE)"' \
	-DAPROF_VERSION='"$(VERSION)"' \
	-DAPROF_CLANG='"$(compiler_for_paths)"'
tools_aprof_cc_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
tools_aprof_cc_LDADD = $(papers_pathgraphs) libaprof_lib.a $(TOOLS_LIBS)
tools_aprof_cc_SOURCES = compile/driver/aprof_cc.c compile/driver/choice.c compile/driver/choice.h compile/driver/compiler.c compile/driver/compiler.h \
	compile/driver/profilers.c compile/driver/profilers.h
compiler_links = tools/aprof-c++ tools/aprof-fc
if HAVE_LLVM
compiler_for_paths = $(LLVM_BINDIR)/clang
if PAPERS
compiler_links += tools/aprof-pathcc tools/aprof-pathc++
endif
endif
if PAPERS
papers_cppflags = -DAPROF_PAPERS=1
tools_aprof_cc_SOURCES += compile/driver/path_driver.c compile/driver/path_driver.h
endif
$(compiler_links): tools/aprof-cc
	$(AM_V_GEN)rm -f $@ && $(LN_S) aprof-cc $@

# Plugins for the gcc release whose plugin headers configure found, even if another compiler builds aprof.
EXTRA_DIST += compile/gcc/gcc_entries.cpp compile/gcc/gcc_resolvers.cpp compile/gcc/gcc_tables.cpp
if HAVE_GCC_PLUGIN
pathslib_DATA = tools/aprof-gcc-entries.so tools/aprof-gcc-resolvers.so tools/aprof-gcc-tables.so
$(pathslib_DATA): tools/aprof-gcc-%.so: compile/gcc/gcc_%.cpp
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(GCC_PLUGIN_CXX) -std=c++14 -g -O2 -Wall -fno-rtti -fPIC -shared \
	    -isystem "$(GCC_PLUGIN_FOLDER)/include" -o $@ $<
endif

if HAVE_LLVM
pathslib_PROGRAMS = tools/aprof-instrument
tools_aprof_instrument_CPPFLAGS = $(AM_CPPFLAGS) $(papers_cppflags) $(LLVM_CPPFLAGS)
tools_aprof_instrument_CXXFLAGS = $(LLVM_CXXFLAGS)
# Of the libraries of `aprof`, only the libraries that decompress files are used.
tools_aprof_instrument_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed
tools_aprof_instrument_LDADD = $(papers_pathgraphs) libaprof_lib.a $(TOOLS_LIBS) $(LLVM_LIBS)
tools_aprof_instrument_SOURCES = \
	compile/contexts/contexts_pass.c \
	compile/ir/clone.cpp \
	compile/ir/copy.c compile/ir/copy.h \
	compile/ir/inst.h \
	compile/ir/main.c \
	compile/ir/module.c \
	compile/ir/resolvers.c compile/ir/resolvers.h \
	compile/trms/trms_cost.c \
	compile/trms/trms_known.c \
	compile/trms/trms_labels.c compile/trms/trms_labels.h \
	compile/trms/trms_checks.c compile/trms/trms_checks.h \
	compile/trms/trms_loops.c compile/trms/trms_loops.h \
	compile/trms/trms_narrow.c \
	compile/trms/trms_order.c \
	compile/trms/trms_pass.c \
	compile/trms/trms_rows.c compile/trms/trms_rows.h \
	compile/trms/trms_regions.c compile/trms/trms_regions.h \
	compile/trms/trms_versions.c compile/trms/trms_versions.h \
	compile/trms/trms_words.c
if PAPERS
tools_aprof_instrument_SOURCES += \
	compile/events/events_pass.c \
	compile/paths/path_graph.c \
	compile/paths/path_jobs.c compile/paths/path_jobs.h \
	compile/paths/path_normalise.c \
	compile/paths/path_probes.c \
	compile/paths/path_slice.c compile/paths/path_slice.h
endif
endif

all-local: $(compiler_links)
CLEANFILES += $(compiler_links) $(pathslib_DATA)
install-exec-hook: install-compiler-links
install-compiler-links:
	$(MKDIR_P) "$(DESTDIR)$(bindir)"
	for link in $(compiler_links); do \
	    name=`basename $$link`; \
	    rm -f "$(DESTDIR)$(bindir)/$$name" && \
	    $(LN_S) `readlink $$link` "$(DESTDIR)$(bindir)/$$name" || exit 1; \
	done
uninstall-hook: uninstall-compiler-links
uninstall-compiler-links:
	for link in $(compiler_links); do rm -f "$(DESTDIR)$(bindir)"/`basename $$link`; done
.PHONY: install-compiler-links uninstall-compiler-links
