# Stress tests of any duration, outside of `make check`; see docs/measurements/soak.md.
# SPDX-License-Identifier: GPL-2.0-or-later

# Random programs under every front end. `make check` runs three programs.
check_PROGRAMS += tests/soak/soak_generate tests/soak/soak_expect
tests_soak_soak_generate_SOURCES = tests/soak/generate.c
tests_soak_soak_generate_LDADD =
tests_soak_soak_expect_SOURCES = tests/soak/expect.c tests/soak/log.h
tests_soak_soak_expect_LDADD = libaprof_test.a

soak_tests = tests/soak/bombs.sh tests/soak/faults.sh tests/soak/load.sh tests/soak/programs.sh
TESTS += $(soak_tests)
dist_check_SCRIPTS += $(soak_tests) tests/soak/coverage.sh tests/soak/differential.sh tests/soak/serve.sh tests/soak/server.sh
EXTRA_DIST += tests/soak/serve.mjs
EXTRA_DIST += tests/soak/clock.c tests/soak/load.c tests/soak/points.awk tests/soak/runtime.h

soak-differential: all tests/soak/soak_generate tests/soak/soak_expect
	$(srcdir)/tests/soak/differential.sh
# Tests kills, full disks and damaged files. All tests take an hour, or less with SOAK_KILLS and SOAK_DAMAGES.
soak-faults: all $(replays)
	SOAK_KILLS=$${SOAK_KILLS:-1000} SOAK_DAMAGES=$${SOAK_DAMAGES:-100000} \
	    APROF_SEED=$${APROF_SEED:-`date +%s`} $(srcdir)/tests/soak/faults.sh

soak-load: all
	SOAK_LOAD=$${SOAK_LOAD:-100} $(srcdir)/tests/soak/load.sh

soak-untrusted: all tests/tools/seal
	SOAK_BOMB_MB=$${SOAK_BOMB_MB:-3000} $(srcdir)/tests/soak/bombs.sh

# Searches, then prints the number of inputs and the lines of code that the inputs reach.
soak-fuzz: fuzz
	@$(srcdir)/tests/soak/coverage.sh $(srcdir) $(fuzz_names)

soak-serve: all
	$(srcdir)/tests/soak/serve.sh

soak-server: all
	$(srcdir)/tests/soak/server.sh

soak: soak-differential soak-faults soak-load soak-fuzz soak-untrusted soak-serve soak-server
.PHONY: soak-differential soak-faults soak-load soak-fuzz soak-untrusted soak-serve soak-server

clean-local: clean-soak
clean-soak:
	rm -rf tests/soak/found tests/soak/state
.PHONY: clean-soak
