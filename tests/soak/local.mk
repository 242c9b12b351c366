# Proof under fire: what runs for as long as one likes, outside `make check`; docs/soak.md.
# SPDX-License-Identifier: GPL-2.0-or-later

# Random programs, watched by every front end. Three of them in `make check`.
check_PROGRAMS += tests/soak/soak_generate tests/soak/soak_expect
tests_soak_soak_generate_SOURCES = tests/soak/generate.c
tests_soak_soak_generate_LDADD =
tests_soak_soak_expect_SOURCES = tests/soak/expect.c tests/soak/log.h
tests_soak_soak_expect_LDADD = libaprof_test.a

soak_tests = tests/soak/bombs.sh tests/soak/faults.sh tests/soak/load.sh tests/soak/programs.sh
TESTS += $(soak_tests)
dist_check_SCRIPTS += $(soak_tests) tests/soak/differential.sh
EXTRA_DIST += tests/soak/load.c tests/soak/points.awk tests/soak/runtime.h

soak-differential: all tests/soak/soak_generate tests/soak/soak_expect
	$(srcdir)/tests/soak/differential.sh
# Killed, without room, damaged. An hour for all of them; less by SOAK_KILLS and SOAK_DAMAGES.
soak-faults: all $(replays)
	SOAK_KILLS=$${SOAK_KILLS:-1000} SOAK_DAMAGES=$${SOAK_DAMAGES:-100000} \
	    APROF_SEED=$${APROF_SEED:-`date +%s`} $(srcdir)/tests/soak/faults.sh

soak-load: all
	SOAK_LOAD=$${SOAK_LOAD:-100} $(srcdir)/tests/soak/load.sh

soak-untrusted: all
	SOAK_BOMB_MB=$${SOAK_BOMB_MB:-3000} $(srcdir)/tests/soak/bombs.sh

# Searches, and tells how many inputs that left.
soak-fuzz: fuzz
	@for name in $(fuzz_names); do \
	    echo "soak-fuzz: $$name: `ls $(srcdir)/tests/fuzz/corpus/$$name | wc -l` inputs kept," \
	        "`ls tests/fuzz/found/$$name | wc -l` found"; \
	done

soak: soak-differential soak-faults soak-load soak-fuzz soak-untrusted
.PHONY: soak-differential soak-faults soak-load soak-fuzz soak-untrusted

clean-local: clean-soak
clean-soak:
	rm -rf tests/soak/found tests/soak/state
.PHONY: clean-soak
