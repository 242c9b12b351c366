# Scripts for gnuplot, shell completions, and the commands for newcomers.
# SPDX-License-Identifier: GPL-2.0-or-later

gnuplotscriptsdir = $(pkgdatadir)/scripts
dist_gnuplotscripts_DATA = \
	scripts/cost.gp \
	scripts/curves.gp \
	scripts/history.gp \
	scripts/induced.gp \
	scripts/paths_hits.gp \
	scripts/ratio.gp \
	scripts/shares.gp \
	scripts/style.gp \
	scripts/variants.gp

# Each shell searches for the file under another name.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
bashcompletion_DATA = scripts/completions/aprof
zshcompletion_DATA = scripts/completions/_aprof
dist_fishcompletion_DATA = scripts/aprof.fish
EXTRA_DIST += scripts/aprof.bash-completion scripts/aprof.zsh-completion
CLEANFILES += scripts/completions/aprof scripts/completions/_aprof
scripts/completions/aprof: scripts/aprof.bash-completion
	$(AM_V_GEN)$(MKDIR_P) scripts/completions && cp $(srcdir)/scripts/aprof.bash-completion $@
scripts/completions/_aprof: scripts/aprof.zsh-completion
	$(AM_V_GEN)$(MKDIR_P) scripts/completions && cp $(srcdir)/scripts/aprof.zsh-completion $@

# Files for other build systems: find_package(aprof), and compilers for a whole project.
cmakedir = $(libdir)/cmake/aprof
dist_cmake_DATA = \
	scripts/cmake/aprof-growth-test.cmake \
	scripts/cmake/aprof-toolchain.cmake \
	scripts/cmake/aprofConfig.cmake
mesondir = $(pkgdatadir)
dist_meson_DATA = scripts/aprof-native.ini

EXTRA_DIST += scripts/arm64_root.sh scripts/arm64_tests_root.sh scripts/build.sh scripts/count_cases.sh scripts/demo.sh scripts/demo_program.sh scripts/format.sh scripts/install-deps.sh scripts/pictures.sh \
	scripts/screen.awk scripts/screens.sh scripts/test.sh

# The GitHub action and the GitLab component; the component runs the installed script.
dist_pkgdata_SCRIPTS = scripts/pull_request.sh
EXTRA_DIST += action.yml templates/growth.yml

# Draws sentences that readers judge; see the head of the script.
EXTRA_DIST += scripts/sample_text.sh
sample-text:
	$(srcdir)/scripts/sample_text.sh manual
	$(srcdir)/scripts/sample_text.sh comments
.PHONY: sample-text
