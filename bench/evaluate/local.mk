# The papers' evaluations on third-party programs, and the page of their results.
# SPDX-License-Identifier: GPL-2.0-or-later

EXTRA_DIST += bench/evaluate/evaluate.sh bench/evaluate/cells.sh bench/evaluate/cmark.patch bench/evaluate/curves.awk \
	bench/evaluate/keep_routine.awk bench/evaluate/mariadb.sh bench/evaluate/document.sh bench/evaluate/evaluation.md.in \
	bench/evaluate/paper.awk bench/evaluate/paper_contexts.awk bench/evaluate/pictures.sh bench/evaluate/story.md.in bench/evaluate/tables.awk bench/evaluate/vips_pictures.c bench/evaluate/results
evaluate_parts = mariadb innodb vips programs overhead threads cab hcct trees paths beyond story
EXTRA_DIST += $(evaluate_parts:%=bench/evaluate/part_%.sh)
evaluate_targets = $(evaluate_parts:%=evaluate-%)

# Runs one part or all parts; existing measurements are not repeated.
evaluate: $(evaluate_targets)
$(evaluate_targets): all bench/generate bench/measure tests/tools/seal $(bench_kernels) \
		bench/cab/bench_cab bench/measured/tools/aprof-cc
	$(srcdir)/bench/evaluate/evaluate.sh -b . $(@:evaluate-%=%)

# Copies the results, the page and its pictures to the sources.
evaluate-keep: tools/aprof
	mkdir -p bench/evaluate.results
	cp -R bench/evaluate.results/. $(srcdir)/bench/evaluate/results
	$(MAKE) evaluation
evaluation: tools/aprof
	PATH=`pwd`/tools:$$PATH APROF_SCRIPTS=$(abs_srcdir)/scripts sh $(srcdir)/bench/evaluate/pictures.sh \
	    $(srcdir)/bench/evaluate/results $(srcdir)/docs/pictures/evaluation
	for page in evaluation story; do \
	    sh $(srcdir)/bench/evaluate/document.sh $(srcdir)/bench/evaluate/$$page.md.in >bench/$$page.new && \
	    mv bench/$$page.new $(srcdir)/docs/$$page.md || exit 1; \
	done
.PHONY: evaluate $(evaluate_targets) evaluate-keep evaluation
clean-local: clean-evaluate
clean-evaluate:
	rm -rf bench/evaluate.results bench/evaluate.work
.PHONY: clean-evaluate

evaluationpicturesdir = $(docdir)/pictures/evaluation
dist_evaluationpictures_DATA = \
	docs/pictures/evaluation/mysql-select-rms.svg \
	docs/pictures/evaluation/mysql-select-trms.svg \
	docs/pictures/evaluation/net-send-eof-10.svg \
	docs/pictures/evaluation/net-send-eof-50.svg \
	docs/pictures/evaluation/cmark-fixed.svg \
	docs/pictures/evaluation/cmark-slow.svg \
	docs/pictures/evaluation/external.svg \
	docs/pictures/evaluation/flush-buffered-writes-rms.svg \
	docs/pictures/evaluation/flush-buffered-writes-trms.svg \
	docs/pictures/evaluation/richness.svg \
	docs/pictures/evaluation/thread-induced.svg \
	docs/pictures/evaluation/totals.svg \
	docs/pictures/evaluation/volume.svg \
	docs/pictures/evaluation/wbuffer-write-thread.svg
dist_doc_DATA += docs/evaluation.md docs/story.md
