# The engine, and the Valgrind tool that is its front end.
# SPDX-License-Identifier: GPL-2.0-or-later

engine_sources = $(ground_sources) $(contexts_sources) $(points_sources) \
	aprof/activation.h \
	aprof/callstack.c \
	aprof/consume.c \
	aprof/engine.c aprof/engine.h \
	aprof/events.h \
	aprof/fast_access.h aprof/fast_loop.h \
	aprof/homes.c aprof/homes.h \
	aprof/memory.c \
	aprof/overflow.c \
	aprof/jit_dump.c aprof/jit_dump.h \
	aprof/perf_map.c aprof/perf_map.h \
	aprof/shadow_lines.c aprof/shadow_lines.h \
	aprof/shadow_memory.c aprof/shadow_memory.h \
	aprof/state.h \
	aprof/exec_cursor.c aprof/exec_cursor.h \
	aprof/exec_contexts.c \
	aprof/trms.c

# The engine for tests and tools, with the sanitizers that configure selected.
noinst_LIBRARIES += libaprof_engine.a
libaprof_engine_a_SOURCES = $(engine_sources)
libaprof_engine_a_CFLAGS = $(FREESTANDING_CFLAGS) $(NATIVE_CFLAGS)

if HAVE_AMD64
noinst_LIBRARIES += libaprof_engine-amd64-linux.a
libaprof_engine_amd64_linux_a_SOURCES = $(engine_sources)
libaprof_engine_amd64_linux_a_CFLAGS = -m64 $(FREESTANDING_CFLAGS) $(engine_tool_cflags)
else
noinst_LIBRARIES += libaprof_engine-arm64-linux.a
libaprof_engine_arm64_linux_a_SOURCES = $(engine_sources)
libaprof_engine_arm64_linux_a_CFLAGS = -mno-outline-atomics $(FREESTANDING_CFLAGS) $(engine_tool_cflags)
endif

if HAVE_X86
noinst_LIBRARIES += libaprof_engine-x86-linux.a
libaprof_engine_x86_linux_a_SOURCES = $(engine_sources)
libaprof_engine_x86_linux_a_CFLAGS = $(X86_CFLAGS) $(FREESTANDING_CFLAGS) $(engine_tool_cflags)
endif

# A Valgrind tool is linked to a fixed address and has no exception tables. The engine's loops are over
# one or two cells: vectors and strength reduction only take registers from the surrounding loop. The
# compiler must not merge the jumps to the next access: each kind of access has a separate jump
# (aprof/fast_loop.h).
engine_tool_cflags = -fno-pie -fomit-frame-pointer -fno-asynchronous-unwind-tables \
	-fno-strict-aliasing -fno-tree-vectorize $(NO_IVOPTS_CFLAGS) $(OWN_JUMPS_CFLAGS)

# ---------------------------------------------------------------- Front end

# The tool has a separate directory, so that an installation to any prefix can be used with VALGRIND_LIB alone.
tooldir = $(libexecdir)/aprof/valgrind
tool_PROGRAMS =

# In releases of Valgrind whose core cannot read all of DWARF 5, the tool hides such debug data from the core.
if VALGRIND_LACKS_DWARF5
debug_unread_source = aprof/debug_unread.c
debug_unread_wrap = -Wl,--wrap=vgModuleLocal_read_debuginfo_dwarf3 -Wl,--wrap=vgModuleLocal_new_dwarf3_reader
else
debug_unread_source = aprof/debug_unread_none.c
debug_unread_wrap =
endif

# configure builds and runs this tool.
EXTRA_DIST += aprof/valgrind_probe.c

tool_sources = \
	aprof/accesses.c aprof/accesses.h \
	aprof/analysis_thread.c aprof/analysis_thread.h \
	aprof/aprof_main.c \
	aprof/client_requests.c aprof/client_requests.h \
	aprof/core_calls.c \
	aprof/debug_data.c aprof/debug_data.h \
	aprof/debug_unread.h $(debug_unread_source) \
	aprof/exec.c aprof/exec.h \
	aprof/folder.c aprof/folder.h \
	aprof/handover.c aprof/handover.h \
	aprof/host_valgrind.c \
	aprof/instrument.c aprof/instrument.h \
	aprof/go_stacks.c aprof/go_stacks.h \
	aprof/jit_code.c aprof/jit_code.h \
	aprof/machine.h aprof/machine_amd64.h aprof/machine_arm64.h aprof/machine_jumps.h aprof/machine_x86.h \
	aprof/options.c aprof/options.h \
	aprof/process.c aprof/process.h \
	aprof/report_copy.c aprof/report_copy.h \
	aprof/report_file.c aprof/report_file.h \
	aprof/sandbox.c aprof/sandbox.h aprof/seccomp_filter.h \
	aprof/second_engine.c aprof/second_engine.h \
	aprof/size_class.h \
	aprof/sources.c aprof/sources.h \
	aprof/spans.c aprof/spans.h \
	aprof/stream.c aprof/stream.h \
	aprof/superblock.c aprof/superblock.h \
	aprof/symbols.c aprof/symbols.h \
	aprof/syscall_wrap.c aprof/syscall_wrap.h \
	aprof/threads.c aprof/threads.h \
	aprof/valgrind_core.h

tool_cppflags = $(AM_CPPFLAGS) $(VALGRIND_INCLUDES) -DVGO_linux=1 \
	-DVALGRIND_VERSION='"$(VALGRIND_VERSION)"'

if HAVE_AMD64
tool_PROGRAMS += aprof-amd64-linux
aprof_amd64_linux_SOURCES = $(tool_sources)
aprof_amd64_linux_CPPFLAGS = $(tool_cppflags) \
	-DVGA_amd64=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1
aprof_amd64_linux_CFLAGS = -m64 $(VG_TOOL_CFLAGS)
aprof_amd64_linux_LDFLAGS = -m64 $(VG_TOOL_LDFLAGS) $(VG_TOOL_WRAP) $(debug_unread_wrap)
aprof_amd64_linux_LDADD = libaprof_engine-amd64-linux.a libaprof_cab-amd64-linux.a \
	$(VALGRIND_LIBDIR)/libcoregrind-amd64-linux.a \
	$(VALGRIND_LIBDIR)/libvex-amd64-linux.a \
	$(VALGRIND_LIBDIR)/libgcc-sup-amd64-linux.a -lgcc
else
# -mno-outline-atomics: gcc's functions for atomic operations need the C library, to query the
# processor's features.
tool_PROGRAMS += aprof-arm64-linux
aprof_arm64_linux_SOURCES = $(tool_sources)
aprof_arm64_linux_CPPFLAGS = $(tool_cppflags) \
	-DVGA_arm64=1 -DVGP_arm64_linux=1 -DVGPV_arm64_linux_vanilla=1
aprof_arm64_linux_CFLAGS = -mno-outline-atomics $(VG_TOOL_CFLAGS)
aprof_arm64_linux_LDFLAGS = $(VG_TOOL_LDFLAGS) $(VG_TOOL_WRAP) $(debug_unread_wrap)
aprof_arm64_linux_LDADD = libaprof_engine-arm64-linux.a libaprof_cab-arm64-linux.a \
	$(VALGRIND_LIBDIR)/libcoregrind-arm64-linux.a \
	$(VALGRIND_LIBDIR)/libvex-arm64-linux.a -lgcc \
	$(VALGRIND_LIBDIR)/libgcc-sup-arm64-linux.a -lgcc
endif

if HAVE_X86
tool_PROGRAMS += aprof-x86-linux
aprof_x86_linux_SOURCES = $(tool_sources)
aprof_x86_linux_CPPFLAGS = $(tool_cppflags) \
	-DVGA_x86=1 -DVGP_x86_linux=1 -DVGPV_x86_linux_vanilla=1
aprof_x86_linux_CFLAGS = $(X86_CFLAGS) $(VG_TOOL_CFLAGS)
aprof_x86_linux_LDFLAGS = -m32 $(VG_TOOL_LDFLAGS) $(VG_TOOL_WRAP) $(debug_unread_wrap)
aprof_x86_linux_LDADD = libaprof_engine-x86-linux.a libaprof_cab-x86-linux.a \
	$(VALGRIND_LIBDIR)/libcoregrind-x86-linux.a \
	$(VALGRIND_LIBDIR)/libvex-x86-linux.a \
	$(VALGRIND_LIBDIR)/libgcc-sup-x86-linux.a -lgcc
endif

# The hook for Python before 3.12, which needs no headers of Python. The hook has no line numbers, because reports would show
# them for the calls and regions of Python.
hookdir = $(tooldir)/python
hook_DATA = aprof/python/_aprof.abi3.so aprof/python/sitecustomize.py
EXTRA_DIST += aprof/python/python_hook.c aprof/python/sitecustomize.py
CLEANFILES += aprof/python/_aprof.abi3.so
aprof/python/_aprof.abi3.so: aprof/python/python_hook.c aprof/aprof.h aprof/test.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) -I$(srcdir)/aprof $(VALGRIND_INCLUDES) $(CPPFLAGS) -std=gnu11 -g0 -O2 \
	    -Wall -Wextra -fPIC -shared -fvisibility=hidden -o $@ $(srcdir)/aprof/python/python_hook.c

# The hooks for Lua, Perl and Ruby, which need no headers of these languages.
luahookdir = $(tooldir)/lua
luahook_DATA = aprof/hooks/lua/_aprof.so
perlhookdir = $(tooldir)/perl
perlhook_DATA = aprof/hooks/perl/_aprof.so aprof/hooks/Aprof.pm
rubyhookdir = $(tooldir)/ruby
rubyhook_DATA = aprof/hooks/ruby/_aprof.so aprof/hooks/aprof_hook.rb
script_hooks = $(luahook_DATA) aprof/hooks/perl/_aprof.so aprof/hooks/ruby/_aprof.so
EXTRA_DIST += aprof/hooks/hook_names.h aprof/hooks/lua_hook.c aprof/hooks/perl_hook.c aprof/hooks/ruby_hook.c \
	aprof/hooks/Aprof.pm aprof/hooks/aprof_hook.rb
CLEANFILES += $(script_hooks)
$(script_hooks): aprof/hooks/%/_aprof.so: aprof/hooks/%_hook.c aprof/hooks/hook_names.h aprof/aprof.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) -I$(srcdir)/aprof $(VALGRIND_INCLUDES) $(CPPFLAGS) -std=gnu11 -g -O2 \
	    -Wall -Wextra -fPIC -shared -fvisibility=hidden -o $@ $(srcdir)/aprof/hooks/$*_hook.c

pythondir = $(pkgdatadir)/python
dist_python_DATA = aprof/python/aprof.py
pytestdir = $(pkgdatadir)/pytest-aprof
dist_pytest_DATA = aprof/python/pytest-aprof/pyproject.toml aprof/python/pytest-aprof/pytest_aprof.py

hook_links = aprof/hooks/perl/Aprof.pm aprof/hooks/ruby/aprof_hook.rb

# For ./vg-in-place: links to all files of Valgrind's directory of tools, and to aprof's tool.
all-local: .in_place/stamp
.in_place/stamp: $(tool_PROGRAMS) $(hook_DATA) $(script_hooks)
	$(AM_V_GEN)rm -rf .in_place && $(MKDIR_P) .in_place && \
	for file in $(VALGRIND_LIBEXEC)/*; do $(LN_S) "$$file" .in_place/ || exit 1; done && \
	for tool in $(tool_PROGRAMS); do \
	    rm -f .in_place/$$tool && $(LN_S) ../$$tool .in_place/ || exit 1; \
	done && $(MKDIR_P) .in_place/python && \
	$(LN_S) "$(abs_srcdir)/aprof/python/sitecustomize.py" \
	    "$(abs_builddir)/aprof/python/_aprof.abi3.so" .in_place/python && \
	for name in lua perl ruby; do \
	    $(LN_S) "$(abs_builddir)/aprof/hooks/$$name" .in_place/ || exit 1; \
	done && rm -f $(hook_links) && \
	$(LN_S) "$(abs_srcdir)/aprof/hooks/Aprof.pm" aprof/hooks/perl/ && \
	$(LN_S) "$(abs_srcdir)/aprof/hooks/aprof_hook.rb" aprof/hooks/ruby/ && touch $@

clean-local: clean-in-place
clean-in-place:
	rm -rf .in_place
	rm -f $(hook_links)
.PHONY: clean-in-place

# Installs the same links for the installed tool and, if configure selected this, a link in
# Valgrind's own directory. A staged or unprivileged installation cannot write to Valgrind's
# directory, so it prints a message and continues.
install-exec-hook: install-tool
install-tool:
	$(MKDIR_P) "$(DESTDIR)$(tooldir)"
	for file in $(VALGRIND_LIBEXEC)/*; do \
	    name=`basename "$$file"`; \
	    case " $(tool_PROGRAMS) " in *" $$name "*) continue ;; esac; \
	    ln -sf "$$file" "$(DESTDIR)$(tooldir)/$$name" || exit 1; \
	done
	if test "$(SYSTEM_TOOL)" = yes; then \
	    for tool in $(tool_PROGRAMS); do \
	        if test -z "$(DESTDIR)" && test -w "$(VALGRIND_LIBEXEC)"; then \
	            ln -sf "$(tooldir)/$$tool" "$(VALGRIND_LIBEXEC)/$$tool" || exit 1; \
	        else \
	            echo "aprof: $(VALGRIND_LIBEXEC)/$$tool: not linked; 'aprof run' works without it"; \
	        fi; \
	    done; \
	fi

# Removes only links that lead to aprof's tool.
uninstall-hook: uninstall-tool
uninstall-tool:
	for tool in $(tool_PROGRAMS); do \
	    link="$(VALGRIND_LIBEXEC)/$$tool"; \
	    if test -z "$(DESTDIR)" && test "`readlink "$$link"`" = "$(tooldir)/$$tool"; then \
	        rm -f "$$link"; \
	    fi; \
	done
	if test -d "$(DESTDIR)$(tooldir)"; then \
	    find "$(DESTDIR)$(tooldir)" -type l -exec rm -f {} + && \
	    rmdir "$(DESTDIR)$(hookdir)" && \
	    rmdir "$(DESTDIR)$(tooldir)"; \
	    rmdir "$(DESTDIR)$(libexecdir)/aprof" 2>/dev/null || :; \
	fi
.PHONY: install-tool uninstall-tool

# ---------------------------------------------------------------- Headers for users' programs

include_HEADERS = aprof/aprof.h
# Listeners of test frameworks, as <aprof/gtest.h>.
listenerdir = $(includedir)/aprof
listener_HEADERS = aprof/benchmark.h aprof/catch2.h aprof/doctest.h aprof/gtest.h aprof/test.h
