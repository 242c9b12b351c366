/* Changes its rights or its root, works, and then ends with status 3 or executes another program.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     leaves chroot FOLDER | setuid UID | stay -  [exec PROGRAM]
 *     leaves never FILE                            makes the file when the work is done
 */
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regress.h"

static volatile int cells[8];

ROUTINE void work(void)
{
    for (int i = 0; i < 8; i++)
        sink += cells[i];
}

static int leave(const char *how, const char *where)
{
    if (strcmp(how, "chroot") == 0)
        return chdir(where) || chroot(".");
    if (strcmp(how, "setuid") == 0)
        return setgroups(0, NULL) || setgid(atoi(where)) || setuid(atoi(where));
    return 0;
}

static void say_done(const char *file)
{
    close(open(file, O_WRONLY | O_CREAT, 0600));
    for (;;)
        usleep(1000);
}

int main(int argc, char **argv)
{
    if (argc < 2 || leave(argv[1], argc > 2 ? argv[2] : ""))
        return 9;
    work();
    if (strcmp(argv[1], "never") == 0)
        say_done(argv[2]);
    if (argc > 4)
        execl(argv[4], argv[4], (char *)NULL);
    return 3;
}
