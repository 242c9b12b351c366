# Trees of calling contexts and their summaries: freestanding, part of the engine's libraries.
# SPDX-License-Identifier: GPL-2.0-or-later

contexts_sources = \
	contexts/context_counters.c contexts/context_counters.h \
	contexts/context_cursor.c contexts/context_cursor.h \
	contexts/context_life.c \
	contexts/context_summary.h \
	contexts/context_tree.c contexts/context_tree.h \
	contexts/context_visit.c \
	contexts/fraction.c contexts/fraction.h \
	contexts/hcct.c \
	contexts/lazy_space_saving.c \
	$(contexts_summaries)
if PAPERS
contexts_summaries = contexts/summaries_papers.c \
	contexts/lossy_counting.c \
	contexts/space_saving.c \
	contexts/sticky_sampling.c
else
contexts_summaries = contexts/summaries.c
endif
dist_doc_DATA += docs/contexts-algorithms.md
