#!/bin/sh
# Tests that the end of a process takes bounded time, for any state of its other threads, even after their death.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

APROF=out=report,dump-every=1ms
APROF_EVENTS=$APROF
APROF_CONTEXTS=$APROF
export APROF APROF_EVENTS APROF_CONTEXTS

# compiled SOURCE: the program with each profiler and compiler, as ./SOURCE-PROFILER-COMPILER; their names in $programs.
compiled()
{
    programs=
    for profiler in trms trms,inline trms,inline,sample contexts contexts,inline events events,inline; do
        for compiler in gcc clang; do
            case $compiler-$profiler in gcc-*inline*) continue ;; esac
            command -v "$compiler" >/dev/null || continue
            name=$1-$profiler-$compiler
            APROF_CC_COMPILER=$compiler run 0 aprof-cc "--aprof=$profiler" -O1 -g -w -o "$name" "$1.c" -pthread
            programs="$programs $name"
        done
    done
}

begin 'threads that begin without pause do not keep the last report from being written'
cat >storm.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
__attribute__((noinline)) static long work(long n) { return n > 1 ? n + work(n - 1) : n; }
static void *thread(void *argument) { return (void *)work((long)argument); }
static void *forever(void *argument)
{
    pthread_t other;
    for (;; usleep(50))
        if (pthread_create(&other, NULL, thread, argument) == 0)
            pthread_detach(other);
    return NULL;
}
int main(void)
{
    pthread_t other;
    cpu_set_t one, all;
    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 3; i++)
        pthread_create(&other, NULL, forever, (void *)20);
    sleep(1);
    return 0;
}
END
compiled storm
for program in $programs; do
    rm -f report
    run 0 timeout -s KILL 30 "./$program"
    test -s report || fail "$program: no report"
done

# A filter kills the thread that writes reports during the run: at wait4 during the end of the process, at
# clone after the gate was closed.
begin 'who has died keeps nobody waiting'
cat >killed.c <<'END'
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static long work(long n) { __asm__ volatile(""); return n > 1 ? n + work(n - 1) : n; }
int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(argv[1]), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
        return 77;
    for (int i = 0; i < 20; i++) {
        usleep(10000);
        work(10);
    }
    return 0;
}
END
compiled killed
for program in $programs; do
    for call in 61 56; do # wait4, clone
        status=0
        rm -f report
        timeout -s KILL 30 "./$program" $call 2>err || status=$?
        test "$status" != 77 || continue
        same "$status" 0 "$program $call: status"
        grep -q 'end.exit' report || fail "$program $call: no report of the end"
    done
done

# The copy of the process that writes a report is stopped; the program's handler continues the copy.
begin 'signals come while a thread waits for the end'
cat >handled.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dirent.h>
static int copy;
static void handler(int sig)
{
    write(1, "handled\n", 8);
    kill(copy, SIGCONT);
}
static int is_stopped(void)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", copy);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    fgets(text, sizeof text, file);
    fclose(file);
    return strrchr(text, ')') && strrchr(text, ')')[2] == 'T';
}
static int child_of(const char *thread)
{
    char path[300], text[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/children", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    fgets(text, sizeof text, file);
    fclose(file);
    return atoi(text);
}
static int find_copy(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int found = 0;
    for (struct dirent *entry; !found && (entry = readdir(tasks));)
        found = child_of(entry->d_name);
    closedir(tasks);
    return found;
}
int main(int argc, char **argv)
{
    if (access("/proc/thread-self/children", R_OK) != 0)
        return 77;
    signal(SIGALRM, handler);
    do {
        if ((copy = find_copy()) <= 0)
            continue;
        kill(copy, SIGSTOP);
        usleep(1000);
    } while (copy <= 0 || !is_stopped());
    if (argc > 1)
        setuid(getuid());
    else
        alarm(1);
    return 0;
}
END
compiled handled
for program in $programs; do
    status=0
    timeout -s KILL 30 "./$program" >out 2>err || status=$?
    test "$status" != 77 || continue
    same "$status" 0 "$program: status"
    expect handled
done

begin 'a copy of the process that does not run keeps nobody waiting'
for program in $programs; do
    case $program in *-trms-gcc | *-events-gcc) ;; *) continue ;; esac
    status=0
    rm -f report
    timeout -s KILL 60 "./$program" setuid >out 2>err || status=$?
    test "$status" != 77 || continue
    same "$status" 0 "$program: status"
    grep -q 'the process that should write the report does not run' err || fail "$program: no message"
    grep -q 'end.exit' report || fail "$program: no report of the end"
done

# The timer's signal arrives while the report before exec is written, and is handled between the report and
# exec.
begin 'a handler jumps out of exec: the program goes on, and the last report is its own'
cat >jump.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>
static sigjmp_buf start;
static void handler(int sig) { siglongjmp(start, 1); }
__attribute__((noinline)) static long work(long n) { __asm__ volatile(""); return n > 1 ? n + work(n - 1) : n; }
static void *other(void *argument)
{
    return (void *)work(10);
}
int main(void)
{
    struct itimerval soon = {.it_value = {.tv_usec = 300}};
    pthread_t thread;
    signal(SIGALRM, handler);
    if (sigsetjmp(start, 1) == 0) {
        setitimer(ITIMER_REAL, &soon, NULL);
        execl("/bin/true", "true", NULL);
    }
    work(10);
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    return 3;
}
END
compiled jump
for program in $programs; do
    status=0
    rm -f report*
    APROF=out=report APROF_EVENTS=out=report APROF_CONTEXTS=out=report timeout -s KILL 30 "./$program" 2>err || status=$?
    # The signal arrived too late: after `true`, or while `true` ran.
    case $status in
    0 | 142) continue ;;
    esac
    same "$status" 3 "$program: status"
    same "$(echo report*)" report "$program"
    grep -q 'end.exit' report || fail "$program: no report of the end"
done
finish
