/* A program that runs and ends in many ways; the first argument selects one.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Each way calls `work` as often as base.sh expects.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function)) static

extern char **environ;
static char **arguments;
static volatile int sink;

__attribute__((noinline)) static void work(int times)
{
    sink += times;
}

PLAIN void work_times(int times)
{
    for (int i = 0; i < times; i++)
        work(i);
}

PLAIN void wait_for(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) < 0)
        exit(90);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
}

/* ---------------------------------------------------------------- ends of a process */

PLAIN int end_return(void)
{
    work_times(5);
    return 7;
}

PLAIN int end_exit_now(void)
{
    work_times(5);
    _exit(7);
}

PLAIN int end_Exit(void)
{
    work_times(5);
    _Exit(7);
}

PLAIN void at_quick(void)
{
    work_times(2);
}

PLAIN int end_quick(void)
{
    at_quick_exit(at_quick);
    work_times(5);
    quick_exit(7);
}

PLAIN int end_abort(void)
{
    work_times(5);
    abort();
}

PLAIN int end_fault(void)
{
    work_times(5);
    *(volatile int *)8 = 1;
    return 0;
}

PLAIN int end_term(void)
{
    work_times(5);
    raise(SIGTERM);
    return 0;
}

PLAIN int overflow(int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return overflow(depth + 1) + room[0];
}

PLAIN int end_stack_overflow(void)
{
    work_times(5);
    return overflow(0);
}

PLAIN int end_fclose_all(void)
{
    work_times(5);
    fflush(NULL);
    fcloseall();
    return 7;
}

/* ---------------------------------------------------------------- exec, fork */

PLAIN int exec_fine(void)
{
    work_times(5);
    execl("/bin/echo", "echo", "other", NULL);
    return 90;
}

PLAIN int exec_self(void)
{
    work_times(5);
    setenv("AGAIN", "1", 1);
    char *const words[] = {arguments[0], (char *)"return", NULL};
    execvp(arguments[0], words);
    return 90;
}

PLAIN int exec_fails(void)
{
    work_times(5);
    if (execl("/nowhere/program", "x", NULL) != -1 || errno != ENOENT)
        return 90;
    if (execl("/dev/null", "x", NULL) != -1 || errno != EACCES)
        return 91;
    if (execlp("aprof-no-such-program", "x", NULL) != -1 || errno != ENOENT)
        return 92;
    if (execle("text", "x", NULL, environ) != -1 || errno != ENOEXEC) /* a file of text */
        return 93;
    work_times(4);
    return 7;
}

PLAIN int forks(void)
{
    work_times(5);
    pid_t child = fork();
    if (child == 0) {
        work_times(3);
        exit(1);
    }
    wait_for(child);
    work_times(2);
    return 7;
}

PLAIN int forks_only(void)
{
    work_times(5);
    pid_t child = _Fork();
    if (child == 0) {
        work_times(3);
        _exit(1);
    }
    wait_for(child);
    return 7;
}

PLAIN int vforks(void)
{
    work_times(5);
    pid_t child = vfork();
    if (child == 0) {
        work(1);
        _exit(1);
    }
    wait_for(child);
    child = vfork();
    if (child == 0) {
        execl("/bin/echo", "echo", "other", NULL);
        _exit(1);
    }
    wait_for(child);
    return 7;
}

PLAIN int spawns(void)
{
    pid_t child;
    char *const words[] = {(char *)"echo", (char *)"other", NULL};
    work_times(5);
    if (posix_spawnp(&child, "echo", NULL, NULL, words, environ))
        return 90;
    wait_for(child);
    if (system("exit 3") != 3 << 8)
        return 91;
    return 7;
}

PLAIN int becomes_daemon(void)
{
    work_times(5);
    if (daemon(1, 1) < 0)
        return 90;
    work_times(3);
    return 7;
}

/* ---------------------------------------------------------------- threads */

PLAIN void *thread_plain(void *times)
{
    work_times((int)(long)times);
    return NULL;
}

PLAIN int many_threads(void)
{
    for (int i = 0; i < 2000; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, thread_plain, (void *)3))
            return 90;
        pthread_join(thread, NULL);
    }
    return 7;
}

PLAIN int threads_at_once(void)
{
    pthread_t threads[300];
    for (int i = 0; i < 300; i++)
        if (pthread_create(&threads[i], NULL, thread_plain, (void *)3))
            return 90;
    for (int i = 0; i < 300; i++)
        pthread_join(threads[i], NULL);
    return 7;
}

static pthread_key_t key;

PLAIN void on_key(void *rounds)
{
    work_times(1);
    if (--*(int *)rounds > 0)
        pthread_setspecific(key, rounds);
}

/* Destructors of the program's own keys run instrumented code, in three rounds. */
PLAIN void *thread_with_key(void *rounds)
{
    pthread_setspecific(key, rounds);
    work_times(1);
    return NULL;
}

PLAIN int thread_keys(void)
{
    int rounds = 3;
    pthread_t thread;
    pthread_key_create(&key, on_key);
    pthread_create(&thread, NULL, thread_with_key, &rounds);
    pthread_join(thread, NULL);
    return 7;
}

PLAIN void *thread_forever(void *ready)
{
    work_times(3);
    __atomic_store_n((int *)ready, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
    return NULL;
}

PLAIN int cancelled(void)
{
    int ready = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, thread_forever, &ready);
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        usleep(100);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    return 7;
}

/* Threads that still run when the process ends; their calls until then count. */
PLAIN int alive_at_end(void)
{
    int ready = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, thread_forever, &ready);
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        usleep(100);
    return 7;
}

PLAIN void *busy(void *unused)
{
    (void)unused;
    for (;;)
        work(1);
    return NULL;
}

PLAIN int busy_at_end(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, busy, NULL);
    usleep(20000);
    return 7;
}

PLAIN int main_leaves_first(void)
{
    pthread_t thread;
    work_times(2);
    pthread_create(&thread, NULL, thread_plain, (void *)3);
    pthread_exit(NULL);
}

/* ---------------------------------------------------------------- signals */

static jmp_buf back;

PLAIN void on_signal(int sig)
{
    (void)sig;
    work_times(2);
}

PLAIN void on_fault(int sig)
{
    (void)sig;
    work_times(2);
    siglongjmp(back, 1);
}

/* The program sees the default action instead of the runtime's handler, and the program's own
 * handlers work. */
PLAIN int handlers(void)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    stack_t stack;
    if (sigaction(SIGTERM, NULL, &old) || old.sa_handler != SIG_DFL || old.sa_flags)
        return 90;
    if (signal(SIGUSR1, on_signal) != SIG_DFL || signal(SIGUSR1, on_signal) != on_signal)
        return 91;
    raise(SIGUSR1);
    if (sigaction(SIGTERM, &action, &old) || old.sa_handler != SIG_DFL)
        return 92;
    raise(SIGTERM);
    action.sa_handler = SIG_DFL;
    if (sigaction(SIGTERM, &action, &old) || old.sa_handler != on_signal)
        return 93;
    if (sigaction(SIGTERM, NULL, &old) || old.sa_handler != SIG_DFL || !(old.sa_flags & SA_RESTART))
        return 94;
    if (sigaltstack(NULL, &stack) || stack.ss_flags != SS_DISABLE || stack.ss_sp)
        return 95;
    if (sigset(SIGHUP, on_signal) != SIG_DFL || sigset(SIGHUP, SIG_DFL) != on_signal)
        return 96;
    if (signal(SIGKILL, on_signal) != SIG_ERR || errno != EINVAL)
        return 97;
    signal(SIGSEGV, on_fault);
    if (!sigsetjmp(back, 1))
        *(volatile int *)8 = 1;
    work_times(1);
    return 7;
}

/* After a handler was removed, SIGINT's default action ends the process. */
PLAIN int back_to_default(void)
{
    signal(SIGINT, on_signal);
    raise(SIGINT);
    signal(SIGINT, SIG_DFL);
    raise(SIGINT);
    return 90;
}

/* Signals interrupt hooks: the program does not hang, and the main thread loses only calls in
 * handlers.
 */
PLAIN int storm(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 2000000; i++)
        work(i);
    setitimer(ITIMER_REAL, &never, NULL);
    return 7;
}

/* ---------------------------------------------------------------- libraries */

PLAIN void *open_and_call(const char *path, int times)
{
    void *library = dlopen(path, RTLD_NOW);
    void (*function)(int);
    if (!library)
        exit(80);
    void *found = dlsym(library, "library_work");
    memcpy(&function, &found, sizeof found);
    function(times);
    return library;
}

/* Opens two libraries of the same size one after the other, never at the same address. */
PLAIN int libraries(void)
{
    for (int i = 0; i < 3; i++) {
        void *one = open_and_call("./libone.so", 3);
        if (dlclose(one))
            return 90;
        void *two = open_and_call("./libtwo.so", 4);
        if (dlclose(two))
            return 91;
    }
    return 7;
}

PLAIN int library_stays(void)
{
    open_and_call("./libone.so", 3);
    return 7;
}

/* ---------------------------------------------------------------- reports while it runs */

PLAIN unsigned long file_number(const char *path)
{
    struct stat file;
    return stat(path, &file) ? 0 : file.st_ino;
}

/* Waits until another file has the name in the second argument. A new file is
 * written next to the file that it replaces, so it has another number. */
PLAIN void wait_for_another(unsigned long before)
{
    while (file_number(arguments[2]) == before)
        usleep(1000);
}

PLAIN void wait_for_report(void)
{
    wait_for_another(file_number(arguments[2]));
}

PLAIN void ask_for_report(void)
{
    unsigned long before = file_number(arguments[2]);
    kill(getpid(), SIGUSR1);
    wait_for_another(before);
}

/* Waits for a message in the file of errors. */
PLAIN void wait_for_message(const char *text)
{
    char messages[4096];
    int fd = open("err", O_RDONLY);
    ssize_t n;
    do {
        usleep(1000);
        n = pread(fd, messages, sizeof messages, 0);
    } while (n <= 0 || !memmem(messages, (size_t)n, text, strlen(text)));
    close(fd);
}

/* The report contains nothing that happened after the latest request. */
PLAIN int killed(void)
{
    work_times(5);
    ask_for_report();
    work_times(4);
    ask_for_report();
    work_times(3);
    return kill(getpid(), SIGKILL);
}

/* The copy for the second visible report was made after the first report. */
PLAIN int killed_later(void)
{
    work_times(5);
    wait_for_report();
    wait_for_report();
    return kill(getpid(), SIGKILL);
}

/* The report of exec also contains the calls that the earlier report contains. */
PLAIN int exec_later(void)
{
    work_times(5);
    ask_for_report();
    work_times(4);
    return exec_fine();
}

/* Exec removes the report; after exec has failed, the report is restored. The test keeps the
 * removed file open, so that no other file gets its number. */
PLAIN int exec_fails_later(void)
{
    unsigned long before;
    int held;
    work_times(5);
    ask_for_report();
    before = file_number(arguments[2]);
    held = open(arguments[2], O_RDONLY | O_CLOEXEC);
    execl("/", "x", NULL);
    wait_for_another(before);
    while (file_number(arguments[2]) == 0)
        usleep(1000);
    close(held);
    return kill(getpid(), SIGKILL);
}

/* The folder of the report disappears; the next report is elsewhere. */
PLAIN int changes_root(void)
{
    if (mkdir("root", 0700) || chdir("root") || chroot("."))
        return 90;
    return end_return();
}

PLAIN int killed_elsewhere(void)
{
    if (rename("gone", "went"))
        return 90;
    wait_for_report();
    wait_for_message("dump: failed");
    usleep(20000);
    return kill(getpid(), SIGKILL);
}

/* ---------------------------------------------------------------- table */

static const struct {
    const char *name;
    int (*function)(void);
} lives[] = {
    {"return", end_return},
    {"_exit", end_exit_now},
    {"_Exit", end_Exit},
    {"quick_exit", end_quick},
    {"abort", end_abort},
    {"fault", end_fault},
    {"term", end_term},
    {"overflow", end_stack_overflow},
    {"fcloseall", end_fclose_all},
    {"exec", exec_fine},
    {"exec-self", exec_self},
    {"exec-fails", exec_fails},
    {"fork", forks},
    {"_Fork", forks_only},
    {"vfork", vforks},
    {"spawn", spawns},
    {"daemon", becomes_daemon},
    {"many-threads", many_threads},
    {"at-once", threads_at_once},
    {"keys", thread_keys},
    {"cancel", cancelled},
    {"alive", alive_at_end},
    {"busy", busy_at_end},
    {"main-leaves", main_leaves_first},
    {"handlers", handlers},
    {"default", back_to_default},
    {"storm", storm},
    {"libraries", libraries},
    {"library", library_stays},
    {"chroot", changes_root},
    {"killed", killed},
    {"killed-later", killed_later},
    {"exec-later", exec_later},
    {"exec-fails-later", exec_fails_later},
    {"killed-elsewhere", killed_elsewhere},
};

static void before_main(void) __attribute__((constructor));
static void after_main(void) __attribute__((destructor));

static void before_main(void)
{
    sink++;
}

static void after_main(void)
{
    sink++;
}

PLAIN ssize_t late_write(void *cookie, const char *bytes, size_t n)
{
    (void)cookie, (void)bytes;
    work_times(1);
    return (ssize_t)n;
}

/* A stream with a buffer that is written after all destructors. */
PLAIN void leave_output(void)
{
    static const cookie_io_functions_t functions = {.write = late_write};
    FILE *stream = fopencookie(NULL, "w", functions);
    if (stream)
        fputs("x", stream);
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    arguments = argv;
    if (argc > 2 && strcmp(argv[2], "late") == 0)
        leave_output();
    for (size_t i = 0; argc > 1 && i < sizeof lives / sizeof *lives; i++)
        if (strcmp(argv[1], lives[i].name) == 0)
            return lives[i].function();
    return 99;
}
