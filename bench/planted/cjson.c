/* Makes, prints and parses an array of objects with cJSON.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 *     cjson N
 */
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < n; i++) {
        char text[32];
        snprintf(text, sizeof text, "value %d", i);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToObject(object, "name", cJSON_CreateString(text));
        cJSON_AddItemToArray(array, object);
    }
    char *printed = cJSON_PrintUnformatted(array);
    cJSON *parsed = cJSON_Parse(printed);
    printf("%d\n", cJSON_GetArraySize(parsed));
    cJSON_Delete(parsed);
    cJSON_Delete(array);
    free(printed);
    return 0;
}
