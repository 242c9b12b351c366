/* Parts of formats that `aprof gate` and `aprof test` share; see gate_formats.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/gate_formats.h"
#include "lib/base/json.h"
#include "lib/base/table.h"

#include <inttypes.h>

void gate_write_line(const char *line, bool markdown, FILE *to)
{
    if (!markdown) {
        table_write_wrapped(line, "    ", table_width(TABLE_WIDTH_NOT_GIVEN, to), to);
        return;
    }
    fputs("- ", to);
    table_write_markdown_text(line, to);
    putc('\n', to);
}

void gate_write_details(const struct gate_finding *f, bool markdown, FILE *to)
{
    for (size_t i = 0; i < f->details.count; i++)
        gate_write_line(f->details.at[i], markdown, to);
    if (!f->text)
        return;
    fputs(markdown ? "  `" : "    ", to);
    table_write_safe(f->text, to);
    fputs(markdown ? "`\n" : "\n", to);
}

/* JUnit ---------------------------------------------------------------------------------------- */

/* Characters that XML 1.0 does not allow become '?'. */
static void write_xml(const char *text, FILE *to)
{
    while (*text) {
        size_t length = json_utf8_length((const unsigned char *)text);
        unsigned char byte = (unsigned char)*text;
        if (byte == '&' || byte == '<' || byte == '>' || byte == '"')
            fprintf(to, "&#%d;", byte);
        else if (length == 0 || byte < ' ' || byte == 127)
            putc('?', to);
        else
            fwrite(text, 1, length, to);
        text += length ? length : 1;
    }
}

static void write_xml_line(const char *file, uint32_t line, FILE *to)
{
    write_xml(file, to);
    if (line)
        fprintf(to, ":%" PRIu32, line);
    putc('\n', to);
}

void junit_open(const char *suite, size_t tests, size_t failures, size_t skipped, FILE *to)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", to);
    fprintf(to,
            "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\""
            " skipped=\"%zu\">\n",
            suite, tests, failures, skipped);
}

void junit_close(FILE *to)
{
    fputs("  </testsuite>\n</testsuites>\n", to);
}

void junit_write_case(const char *class, const char *name, const struct gate_finding *f, FILE *to)
{
    fprintf(to, "    <testcase classname=\"%s\" name=\"", class);
    write_xml(name, to);
    if (!f || f->level == GATE_PASSED) {
        fputs("\"/>\n", to);
        return;
    }
    fprintf(to, "\">\n      <%s message=\"", f->level == GATE_FAILED ? "failure" : "skipped");
    write_xml(f->message, to);
    fputs("\">", to);
    if (*f->file)
        write_xml_line(f->file, f->line, to);
    for (size_t i = 0; i < f->details.count; i++) {
        write_xml(f->details.at[i], to);
        putc('\n', to);
    }
    if (f->text) {
        write_xml(f->text, to);
        putc('\n', to);
    }
    fprintf(to, "</%s>\n    </testcase>\n", f->level == GATE_FAILED ? "failure" : "skipped");
}
