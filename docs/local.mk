# The manual: pages, and the pictures of docs/charts.md.
# SPDX-License-Identifier: GPL-2.0-or-later

dist_man1_MANS = $(aprof_verbs:tools/cmd_%=docs/aprof-%.1)
dist_man_MANS += \
	docs/aprof-contexts-file.5 \
	docs/aprof-out.5 \
	docs/aprof.1
dist_doc_DATA += docs/README.md docs/architecture.md docs/builds.md docs/charts.md docs/ci.md docs/cluster.md docs/execution-contexts.md docs/first-report.md docs/glossary.md docs/growth.md \
	docs/howto.md docs/languages.md docs/papers.md docs/servers.md
cidir = $(docdir)/ci
dist_ci_DATA = docs/ci/github.yml docs/ci/gitlab.yml
measurementsdir = $(docdir)/measurements
dist_measurements_DATA = docs/measurements/compiled.md docs/measurements/contexts.md docs/measurements/growth.md docs/measurements/inlined.md \
	docs/measurements/native.md docs/measurements/paths.md docs/measurements/performance.md docs/measurements/soak.md
EXTRA_DIST += docs/pictures/worst-case.svg

# The formats of JSON output (JSON Schema 2020-12).
schemasdir = $(pkgdatadir)/schemas
dist_schemas_DATA = \
	docs/schemas/aprof-compare-1.json \
	docs/schemas/aprof-contexts-1.json \
	docs/schemas/aprof-diff-1.json \
	docs/schemas/aprof-events-1.json \
	docs/schemas/aprof-export-1.json \
	docs/schemas/aprof-gate-1.json \
	docs/schemas/aprof-history-1.json \
	docs/schemas/aprof-paths-1.json \
	docs/schemas/aprof-report-1.json \
	docs/schemas/aprof-scale-1.json \
	docs/schemas/aprof-test-1.json

# A picture of each kind of plot, for docs/charts.md; `make pictures` draws the pictures in the sources again.
picturesdir = $(docdir)/pictures
dist_pictures_DATA = \
	docs/pictures/amortized.svg \
	docs/pictures/average.svg \
	docs/pictures/best.svg \
	docs/pictures/external.svg \
	docs/pictures/first-report.svg \
	docs/pictures/induced-summary.svg \
	docs/pictures/induced.svg \
	docs/pictures/ratio.svg \
	docs/pictures/richness.svg \
	docs/pictures/shares.svg \
	docs/pictures/thread-induced.svg \
	docs/pictures/total.svg \
	docs/pictures/variance.svg \
	docs/pictures/variants.svg \
	docs/pictures/volume.svg \
	docs/pictures/workload.svg \
	docs/pictures/worst.svg
pictures: tools/aprof
	PATH=`pwd`/tools:$$PATH APROF_SCRIPTS=$(abs_srcdir)/scripts \
	    sh $(srcdir)/scripts/pictures.sh $(srcdir)/docs/pictures
.PHONY: pictures
# Pictures of the page, terminals and an editor.
EXTRA_DIST += docs/pictures/code.png docs/pictures/editor.png docs/pictures/flame.png docs/pictures/history.png docs/pictures/page.png docs/pictures/serve.png docs/pictures/terminal.png docs/pictures/top.png
screens: all bench/generate tests/tools/seal
	PATH=`pwd`/tools:`pwd`/tests/tools:$$PATH GENERATE=`pwd`/bench/generate \
	    sh $(srcdir)/scripts/screens.sh $(srcdir)/docs/pictures
.PHONY: screens
