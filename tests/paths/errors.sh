#!/bin/sh
# Tests that bad input ends in one clear message and the correct exit status.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"
need_papers
need aprof-pathcc 'built without LLVM'

begin 'words that mean nothing'
run 2 aprof paths
expect_error 'no command'
run 2 aprof paths bogus
expect_error 'bogus: unknown command'
run 2 aprof paths plan
expect_error 'paths plan: expected one program'
run 2 aprof paths plan ./x --policy=best
run 2 aprof paths plan ./x --policy=sbl --copies=3
expect_error '--policy=sbl needs --copies=1'
run 2 aprof paths plan ./x --policy=hits
expect_error 'needs an edge profile'
run 2 aprof paths plan ./x --policy=pbl --threads
expect_error '--threads needs --policy=sbl'
run 2 aprof paths edges
expect_error 'paths edges: expected a program to run'
run 2 aprof paths merge something

begin 'programs that are not there, or not ours'
run 1 aprof paths plan ./missing
expect_error 'missing: No such file'
cp /bin/true foreign
run 1 aprof paths plan ./foreign
expect_error 'was not built with aprof-pathcc'

begin 'steps out of order'
run 1 aprof paths run -- 1
expect_error 'there is no plan'
run 1 aprof paths merge
expect_error 'there is no plan'
compile_paths -O1 dispatch
run 0 aprof paths plan ./dispatch --policy=pbl --copies=2
run 1 aprof paths merge
expect_error "run the copies with 'aprof paths run'"
run 1 aprof paths report
expect_error 'aprof.paths.profile: No such file'

begin 'an edge profile of another build'
run 0 aprof paths edges -- ./dispatch 5
mv aprof.paths.edges old.edges
compile_paths -O2 dispatch
run 1 aprof paths plan ./dispatch --policy=hits --edges=old.edges
expect_error 'edge profile of another program or build'

begin 'a record that belongs to another build of the program'
cp dispatch.aprof.link old.link
compile_paths -O1 dispatch
cp old.link dispatch.aprof.link
run 1 aprof paths plan ./dispatch
expect_error 'is not the program that'

begin 'bitcode that is none'
compile_paths -O1 dispatch
cp dispatch good
echo 'not bitcode' >dispatch.aprof.bc
status=0
aprof paths plan ./dispatch >out 2>err || status=$?
same "$status" 1 'status with foreign bitcode'
grep -q 'not LLVM bitcode' err || fail 'no message about foreign bitcode'

begin 'counts: cut short, missing, of another plan'
compile_paths -O1 dispatch
run 0 aprof paths plan ./dispatch --policy=pbl --copies=2
run 0 aprof paths run -- 5
run 0 aprof paths merge
cp aprof.paths.counters-0002.1 kept
head -c 5000 kept >aprof.paths.counters-0002.1
run 1 aprof paths merge
expect_error 'cut short or damaged'
head -c 100 kept >aprof.paths.counters-0002.1
run 1 aprof paths merge
expect_error 'too short'
rm aprof.paths.counters-0002.1
run 1 aprof paths merge
expect_error 'wrote no counts'
mkfifo aprof.paths.counters-0002.1
run 1 timeout 20 aprof paths merge
expect_error 'too short'
rm aprof.paths.counters-0002.1
cp aprof.paths.counters-0001.1 aprof.paths.counters-0002.1
run 1 aprof paths merge
expect_error 'belongs to another plan'
run 0 aprof paths plan ./dispatch --policy=p3 --copies=2
run 1 aprof paths merge
expect_error 'belongs to another plan'

begin 'a copy that is missing, and one that ended otherwise than the others'
run 0 aprof paths run -- 5
rm aprof.paths.copy-0002
run 1 aprof paths run -- 5
expect_error 'make the copies again'
printf '#!/bin/sh\nkill -9 $$\n' >aprof.paths.copy-0002
chmod +x aprof.paths.copy-0002
run 1 aprof paths run -- 5
grep -q 'copies ended differently: copy 1 with exit status 0, copy 2 with signal 9' err ||
    fail 'a killed copy goes unnoticed'

begin 'damaged text'
run 0 aprof paths plan ./dispatch --policy=p3 --copies=2
run 0 aprof paths run -- 5
run 0 aprof paths merge
sed 's/^path	\([0-9]*\)/path	1\1/' aprof.paths.profile >damaged
cp damaged aprof.paths.profile
run 1 aprof paths report
expect_error 'corrupted: its checksum does not match'
sed '$d' aprof.paths.plan >damaged
cp damaged aprof.paths.plan
run 1 aprof paths report
expect_error 'truncated: its last line is missing'

begin 'threads are refused where copies must take the same paths, and where nobody asked for them'
compile_paths '-O1 -pthread' threads
run 0 aprof paths plan ./threads --policy=pbl --copies=2
run 1 aprof paths run -- 5
expect_error 'copies of a threaded program do not take the same paths'
run 1 aprof paths merge
expect_error 'was stopped because the program starts threads'
run 0 aprof paths plan ./threads --policy=sbl
run 1 aprof paths run -- 5
expect_error 'plan it again with --threads'

# The filter kills the thread that enlarges the counters' file and holds the lock.
begin 'a thread that was killed keeps no other thread waiting'
cat >killed.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
static void *run(void *argument)
{
    return argument;
}
int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return 3;
}
END
run 0 aprof-pathcc -O1 -pthread -o killed killed.c
run 0 aprof paths plan ./killed --policy=sbl --threads
status=0
timeout -s KILL 60 aprof paths run -- >out 2>err || status=$?
{ test "$status" = 3 || test "$status" = 77; } || fail "status $status: $(cat err)"

begin 'copies that do not run alike: told, kept in the profile, and a status of 1'
cat >chance.c <<'END'
#include <stdio.h>
#include <time.h>
static int odd(long n) { return n % 2 ? 1 : 2; }
int main(void)
{
    struct timespec now;
    int sum = 0;
    clock_gettime(CLOCK_REALTIME, &now);
    for (long i = 0; i < now.tv_nsec % 100000; i++)
        sum += odd(i);
    return sum == 7;
}
END
run 0 aprof-pathcc -O0 -o chance chance.c
run 0 aprof paths plan ./chance --policy=pbl --copies=2
run 0 aprof paths run
run 1 aprof paths merge
grep -q 'copies differ' err || fail 'chance goes unnoticed'
run 0 aprof paths report
expect 'copies differ'

finish
