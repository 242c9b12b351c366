# Proof under fire: what runs for as long as one likes, outside `make check`; docs/soak.md.
# SPDX-License-Identifier: GPL-2.0-or-later

# Random programs, watched by every front end. Three of them in `make check`.
check_PROGRAMS += tests/soak/soak_generate tests/soak/soak_expect
tests_soak_soak_generate_SOURCES = tests/soak/generate.c
tests_soak_soak_generate_LDADD =
tests_soak_soak_expect_SOURCES = tests/soak/expect.c tests/soak/log.h
tests_soak_soak_expect_LDADD = libaprof_test.a

soak_tests = tests/soak/faults.sh tests/soak/programs.sh
TESTS += $(soak_tests)
dist_check_SCRIPTS += $(soak_tests) tests/soak/differential.sh
EXTRA_DIST += tests/soak/points.awk tests/soak/runtime.h

soak-differential: all tests/soak/soak_generate tests/soak/soak_expect
	$(srcdir)/tests/soak/differential.sh
# Killed, without room, damaged. An hour for all of them; less by SOAK_KILLS and SOAK_DAMAGES.
soak-faults: all $(replays)
	SOAK_KILLS=$${SOAK_KILLS:-1000} SOAK_DAMAGES=$${SOAK_DAMAGES:-100000} \
	    APROF_SEED=$${APROF_SEED:-`date +%s`} $(srcdir)/tests/soak/faults.sh

soak: soak-differential soak-faults
.PHONY: soak-differential soak-faults

clean-local: clean-soak
clean-soak:
	rm -rf tests/soak/found tests/soak/state
.PHONY: clean-soak
