# The runtime that stores events of compiled programs in rings, which analysis threads consume.
# SPDX-License-Identifier: GPL-2.0-or-later

runtimes_DATA += libaprof_events.a
noinst_LIBRARIES += native/libevents_parts.a
libaprof_events.a: native/libevents_parts.a
	$(AM_V_AR)$(one_object)
native_libevents_parts_a_CPPFLAGS = $(native_runtime_cppflags)
native_libevents_parts_a_CFLAGS = $(native_runtime_cflags) -Wno-psabi
native_libevents_parts_a_SOURCES = $(native_base_sources) $(cab_sources) $(analyses_sources) \
	native/base/annotations.c native/base/atomics.c native/base/sanitizer.c native/base/watch.h \
	native/events/calls.c \
	native/events/consumers.c \
	native/events/hooks.c native/events/hooks.h \
	native/events/main.c \
	native/events/memory.c \
	native/events/modes.c \
	native/events/report.c \
	native/events/rings.c \
	native/events/runtime.h \
	native/events/tell.S
