/* Makes, prints and parses an object of many keys with jansson.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     jansson N
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    json_object_seed(1);
    json_t *object = json_object();
    for (int i = 0; i < n; i++) {
        char key[32];
        snprintf(key, sizeof key, "key %d", i);
        json_object_set_new(object, key, json_integer(i));
    }
    char *printed = json_dumps(object, JSON_COMPACT);
    json_t *parsed = json_loads(printed, 0, NULL);
    printf("%zu\n", json_object_size(parsed));
    json_decref(parsed);
    json_decref(object);
    free(printed);
    return 0;
}
