# The ring, which other programs can use too: `pkg-config --cflags --libs aprof-ring`. It uses the compiler's own headers (stdatomic.h, stdint.h ...) and no others.
# SPDX-License-Identifier: GPL-2.0-or-later

cab_cflags = $(FREESTANDING_CFLAGS) -isystem `$(CC) -print-file-name=include` -Wno-psabi
cab_sources = \
	cab/cab.c cab/cab.h \
	cab/cab_consumer.c \
	cab/cab_producer.c \
	cab/cab_records.c \
	cab/cab_ring.h

lib_LIBRARIES += libaprof_cab.a
libaprof_cab_a_SOURCES = $(cab_sources) cab/cab_futex.h
ringincludedir = $(includedir)/aprof/cab
ringinclude_HEADERS = cab/cab.h cab/cab_futex.h
libaprof_cab_a_CFLAGS = $(cab_cflags) $(NATIVE_CFLAGS)

if HAVE_AMD64
noinst_LIBRARIES += libaprof_cab-amd64-linux.a
libaprof_cab_amd64_linux_a_SOURCES = $(cab_sources)
libaprof_cab_amd64_linux_a_CFLAGS = -m64 $(cab_cflags) $(engine_tool_cflags)
else
noinst_LIBRARIES += libaprof_cab-arm64-linux.a
libaprof_cab_arm64_linux_a_SOURCES = $(cab_sources)
libaprof_cab_arm64_linux_a_CFLAGS = -mno-outline-atomics $(cab_cflags) $(engine_tool_cflags)
endif

if HAVE_X86
noinst_LIBRARIES += libaprof_cab-x86-linux.a
libaprof_cab_x86_linux_a_SOURCES = $(cab_sources)
libaprof_cab_x86_linux_a_CFLAGS = $(X86_CFLAGS) $(cab_cflags) $(engine_tool_cflags)
endif

EXTRA_DIST += cab/model/bell.pml cab/model/bells.pml cab/model/records.pml cab/model/sampling.pml \
	cab/model/words.pml
dist_doc_DATA += docs/cab.md
