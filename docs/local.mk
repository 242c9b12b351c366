# Manual pages, and the pictures of docs/charts.md.
# SPDX-License-Identifier: GPL-2.0-or-later

dist_man1_MANS = $(aprof_verbs:tools/cmd_%=docs/aprof-%.1)
dist_man_MANS += \
	docs/aprof-contexts-file.5 \
	docs/aprof-out.5 \
	docs/aprof.1
dist_doc_DATA += docs/charts.md docs/ci.md docs/cluster.md docs/growth.md docs/performance.md
EXTRA_DIST += docs/architecture.md docs/papers.md docs/pictures/worst-case.svg

# A picture of each kind, for docs/charts.md.
if HAVE_GNUPLOT
routine_pictures = worst average best workload total variance amortized ratio variants
report_pictures = induced richness volume induced-summary thread-induced external
picturesdir = $(docdir)/pictures
pictures_DATA = $(routine_pictures:%=docs/pictures/%.svg) $(report_pictures:%=docs/pictures/%.svg)
CLEANFILES += $(pictures_DATA)
$(pictures_DATA): tools/aprof $(dist_gnuplotscripts_DATA) tests/tools/data/growth.aprof
	$(AM_V_GEN)$(MKDIR_P) docs/pictures; kind=`basename $@ .svg`; routine=; \
	case " $(routine_pictures) " in *" $$kind "*) routine=heap_sort ;; esac; \
	case $$kind in variants) routine=checksum ;; variance) routine=set_flag ;; esac; \
	data=$(srcdir)/tests/tools/data; other="$$data/basic.aprof"; \
	test -z "$$routine" || other=; \
	APROF_SCRIPTS=$(srcdir)/scripts tools/aprof plot --kind=$$kind -o $@ $$routine \
	    $$data/growth.aprof $$other
endif
