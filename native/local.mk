# Code that is linked into users' programs: static archives and stubs.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The archives are never built with the sanitizers that configure selected. Each archive contains
# the code that all runtimes share (native/base), and defines its own native_client.

native_runtime_cppflags = -DAPROF_VERSION='"$(VERSION)"' -I$(srcdir)
native_runtime_cflags = $(native_atomics_cflags) -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -fno-stack-protector \
	-U_FORTIFY_SOURCE -Wall -Wextra -Wmissing-prototypes
native_base_sources = $(ground_sources) \
	native/base/control.c native/base/control.h \
	native/base/dump.c native/base/dump.h \
	native/base/environment.c native/base/environment.h \
	native/base/gate.c native/base/gate.h \
	native/base/host_native.c \
	native/base/identities.c \
	native/base/interpose.c \
	native/base/keep_registers.h \
	native/base/lifecycle.h \
	native/base/maps.c native/base/maps.h \
	native/base/modules.c native/base/modules.h \
	native/base/native.h \
	native/base/owner.c native/base/owner.h \
	native/base/process.c native/base/process.h \
	native/base/raw_thread.c native/base/raw_thread.h \
	native/base/report_output.c native/base/report_output.h \
	native/base/signals.c \
	native/base/syscalls.h \
	native/base/text.c \
	native/base/thread_pointer.h \
	native/base/threads.c native/base/threads.h

# Users link one object, which joins all objects of an archive of parts. Hidden symbols of this
# object are local, because a program may have its own record_put_text or host_alloc.
runtimesdir = $(libdir)
runtimes_DATA = libaprof_contexts.a
CLEANFILES += $(runtimes_DATA)
one_object = rm -f $@ && $(CC) -nostdlib -r -Wl,--whole-archive $< -o $@.o && \
	$(OBJCOPY) --localize-hidden $@.o && $(AR) cr $@ $@.o && rm -f $@.o

# ---------------------------------------------------------------- Contexts

# Code that hooks call must not change vector registers, so this code has its own memory functions
# (native/contexts/memory.c). The following definitions replace the names. On arm64, only inline code
# calls the runtime, like other functions.
if HAVE_AMD64
contexts_hooks_cppflags = $(native_runtime_cppflags) \
	-Dhost_map=contexts_host_map -Dhost_unmap=contexts_host_unmap \
	-Dhost_alloc=contexts_host_alloc -Dhost_free=contexts_host_free \
	-Dmemcpy=contexts_memcpy -Dmemset=contexts_memset -Dmemmove=contexts_memmove \
	-Dnative_enter_slowly=contexts_enter_slowly
contexts_hooks_cflags = $(native_runtime_cflags) -mgeneral-regs-only -fno-builtin \
	$(NO_LOOP_CALLS_CFLAGS) -fno-omit-frame-pointer
contexts_hooks_sources = \
	native/base/vectors.c \
	native/contexts/hook.c \
	native/contexts/memory.c \
	native/contexts/patch.c \
	native/contexts/unwind.c
else
contexts_hooks_cppflags = $(native_runtime_cppflags)
contexts_hooks_cflags = $(native_runtime_cflags)
contexts_hooks_sources = native/contexts/no_hooks.c
endif
noinst_LIBRARIES += libaprof_contexts_hooks.a
libaprof_contexts_hooks_a_CPPFLAGS = $(contexts_hooks_cppflags)
libaprof_contexts_hooks_a_CFLAGS = $(contexts_hooks_cflags)
libaprof_contexts_hooks_a_SOURCES = $(contexts_sources) $(contexts_hooks_sources) \
	native/contexts/burst.c \
	native/contexts/clock.c \
	native/contexts/places.c native/contexts/places.h \
	native/contexts/prune.c \
	native/contexts/runtime.h \
	native/contexts/stack.c

noinst_LIBRARIES += native/libcontexts_parts.a
libaprof_contexts.a: native/libcontexts_parts.a
	$(AM_V_AR)$(one_object)
native_libcontexts_parts_a_CPPFLAGS = $(native_runtime_cppflags)
native_libcontexts_parts_a_CFLAGS = $(native_runtime_cflags)
native_libcontexts_parts_a_SOURCES = $(native_base_sources) \
	native/contexts/enter.S \
	native/contexts/main.c \
	native/contexts/modes.c \
	native/contexts/report.c
native_libcontexts_parts_a_LIBADD = $(libaprof_contexts_hooks_a_OBJECTS)
native_libcontexts_parts_a_DEPENDENCIES = libaprof_contexts_hooks.a

# The archive that is linked into instrumented shared objects.
lib_LIBRARIES += libaprof_contexts_object.a
libaprof_contexts_object_a_CPPFLAGS = $(native_runtime_cppflags)
libaprof_contexts_object_a_CFLAGS = $(native_runtime_cflags) -mgeneral-regs-only
libaprof_contexts_object_a_SOURCES = native/contexts/enter.S native/contexts/object.c \
	native/contexts/object_places.c

if PAPERS
include native/events/local.mk
endif

# ---------------------------------------------------------------- Shared libraries

# Stubs for shared libraries in programs without a runtime; a library gets only the members that it needs.
lib_LIBRARIES += libaprof_stubs.a
libaprof_stubs_a_CPPFLAGS = $(native_runtime_cppflags)
libaprof_stubs_a_CFLAGS = $(native_runtime_cflags)
libaprof_stubs_a_SOURCES = native/base/annotations.c native/base/atomics.c native/base/sanitizer.c \
	native/trms/object.c native/trms/stubs.S

# ---------------------------------------------------------------- TRMS

# Inline checks keep values in vector registers where they call these functions.
trms_quick_sources = native/trms/core.c native/trms/shadow/seen_versions.c native/trms/shadow/words.c
trms_core_sources = $(trms_quick_sources) $(trms_other_sources)
trms_other_sources = \
	native/trms/calls/activations.c \
	native/trms/calls/contexts.c \
	native/trms/calls/activations.h native/trms/core.h \
	native/trms/calls/edges.c native/trms/calls/edges.h \
	native/trms/shadow/ranges.c \
	native/trms/shadow/rows.c native/trms/shadow/rows.h native/trms/shadow/lanes.h native/trms/shadow/runs.h native/trms/shadow/runs_apart.h \
	native/trms/shadow/shadow.c \
	native/trms/shadow/shadow_pages.h \
	native/trms/shadow/seen_versions.h \
	native/trms/state.h \
	native/trms/calls/exec_contexts.c \
	native/trms/calls/accumulators.c native/trms/calls/accumulators.h \
	native/trms/shadow/tokens.c \
	native/trms/calls/weights.c native/trms/calls/weights.h \
	native/trms/shadow/words.h

runtimes_DATA += libaprof_trms.a
if HAVE_AMD64
runtimes_DATA += libaprof_trms_inline.s
vectors_sources = native/base/vectors.c
endif
noinst_LIBRARIES += libaprof_trms_quick.a
libaprof_trms_quick_a_CPPFLAGS = $(native_runtime_cppflags)
libaprof_trms_quick_a_CFLAGS = $(native_runtime_cflags) -mgeneral-regs-only -fno-builtin \
	$(NO_LOOP_CALLS_CFLAGS)
libaprof_trms_quick_a_SOURCES = $(trms_quick_sources) native/trms/quick.c native/trms/shadow/shadow_pages.c

noinst_LIBRARIES += native/libtrms_parts.a
native_libtrms_parts_a_LIBADD = $(libaprof_trms_quick_a_OBJECTS)
native_libtrms_parts_a_DEPENDENCIES = libaprof_trms_quick.a
native_libtrms_parts_a_CPPFLAGS = $(native_runtime_cppflags)
# Adjacent fields are stored one by one, because combining the fields in vectors takes longer.
native_libtrms_parts_a_CFLAGS = $(native_runtime_cflags) -fno-tree-slp-vectorize
native_libtrms_parts_a_CCASFLAGS =
native_libtrms_parts_a_SOURCES = $(native_base_sources) $(contexts_sources) $(points_sources) \
	$(trms_other_sources) \
	native/base/annotations.c native/base/atomics.c native/base/sanitizer.c native/base/vectors.h native/base/watch.h $(vectors_sources) \
	native/trms/calls/call_sites.c native/trms/calls/call_sites.h \
	native/trms/choose.S \
	native/trms/calls/call_stubs.S native/trms/calls/calls.c \
	native/trms/hooks.c \
	native/trms/loops.c \
	native/trms/report/report.c \
	native/trms/report/routines.c native/trms/report/routines.h \
	native/trms/runtime.c native/trms/runtime.h \
	native/trms/calls/regions.c \
	native/trms/calls/budget.c native/trms/calls/budget.h \
	native/trms/calls/sample.c native/trms/calls/sample.h \
	native/trms/calls/stacks.c \
	native/trms/report/symbols.c \
	native/trms/shadow/direct_shadow_places.c native/trms/shadow/direct_shadow_places.h \
	native/trms/shadow/direct_shadow_space.c

# Functions of the C library that the runtime interposes. The runtime itself calls the original functions.
noinst_LIBRARIES += native/libtrms_libc.a
native_libtrms_libc_a_CPPFLAGS = $(native_runtime_cppflags)
native_libtrms_libc_a_CFLAGS = $(native_runtime_cflags) -fno-builtin $(NO_LOOP_CALLS_CFLAGS)
native_libtrms_libc_a_SOURCES = \
	native/trms/interpose/callers.c \
	native/trms/interpose/files.c \
	native/trms/interpose/folders.c \
	native/trms/interpose/heap.c \
	native/trms/interpose/interpose.h native/trms/interpose/interpose_calls.h \
	native/trms/interpose/mapping.c \
	native/trms/interpose/memory.c \
	native/trms/interpose/network.c \
	native/trms/interpose/sort.c \
	native/trms/interpose/positions.c \
	native/trms/interpose/stdio.c \
	native/trms/interpose/strings.c \
	native/trms/interpose/system.c \
	native/trms/interpose/time.c \
	native/trms/interpose/wide.c
trms_plain_names = getc memcpy memmove memset strcmp strlen

CLEANFILES += native/trms_alone.o native/trms_whole.o
EXTRA_DIST += native/trms/inline.s
libaprof_trms_inline.s: native/trms/inline.s
	$(AM_V_GEN)cp $(srcdir)/native/trms/inline.s $@
libaprof_trms.a: native/libtrms_parts.a native/libtrms_libc.a
	$(AM_V_AR)rm -f $@ && \
	$(CC) -nostdlib -r -Wl,--whole-archive native/libtrms_parts.a -o native/trms_alone.o && \
	$(OBJCOPY) `for f in $(trms_plain_names); do echo --redefine-sym $$f=interpose_plain_$$f; done` \
	    native/trms_alone.o && \
	$(CC) -nostdlib -r native/trms_alone.o -Wl,--whole-archive native/libtrms_libc.a \
	    -o native/trms_whole.o && \
	$(OBJCOPY) --localize-hidden native/trms_whole.o && $(AR) cr $@ native/trms_whole.o

dist_man_MANS += docs/aprof-cc.1
dist_doc_DATA += docs/compiled.md docs/contexts.md docs/native.md docs/parallel-trms.md
