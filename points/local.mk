# Points, profiles and reports, which both TRMS engines fill and write. Freestanding.
# SPDX-License-Identifier: GPL-2.0-or-later

points_sources = \
	points/charges.c points/charges.h \
	points/edges.c points/edges.h \
	points/points_report.c points/points_report.h \
	points/points_report_code.c points/points_report_code.h \
	points/points_report_contexts.c points/points_report_contexts.h \
	points/process_contexts.c points/process_contexts.h \
	points/profile.c points/profile.h \
	points/routine.h \
	points/thread_contexts.c points/thread_contexts.h
