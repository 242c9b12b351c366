# Basic code that all other modules use: freestanding, and part of each library that uses the code.
# SPDX-License-Identifier: GPL-2.0-or-later

ground_sources = \
	ground/array.c ground/array.h \
	ground/basics.h \
	ground/call_places.h \
	ground/clone_thread.h \
	ground/compiled_mark.h \
	ground/event_code.h \
	ground/host.h \
	ground/pages.h \
	ground/pattern.c ground/pattern.h \
	ground/record_schema.h \
	ground/record_writer.c ground/record_writer.h \
	ground/sort.c ground/sort.h \
	ground/trms_words.h \
	ground/wide.c ground/wide.h
