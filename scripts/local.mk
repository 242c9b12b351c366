# What gnuplot reads, what the shell completes, and the commands for newcomers.
# SPDX-License-Identifier: GPL-2.0-or-later

gnuplotscriptsdir = $(pkgdatadir)/scripts
dist_gnuplotscripts_DATA = \
	scripts/cost.gp \
	scripts/curves.gp \
	scripts/induced.gp \
	scripts/paths_hits.gp \
	scripts/ratio.gp \
	scripts/shares.gp \
	scripts/style.gp \
	scripts/variants.gp

# bash looks for the file under the command's own name.
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = scripts/completions/aprof
EXTRA_DIST += scripts/aprof.bash-completion
CLEANFILES += scripts/completions/aprof
scripts/completions/aprof: scripts/aprof.bash-completion
	$(AM_V_GEN)$(MKDIR_P) scripts/completions && cp $(srcdir)/scripts/aprof.bash-completion $@

EXTRA_DIST += scripts/build.sh scripts/count_cases.sh scripts/demo.sh scripts/install-deps.sh scripts/pictures.sh scripts/test.sh
