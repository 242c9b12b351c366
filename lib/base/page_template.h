/* The pages of the command, bundled by the build (template.sh), to be filled with data.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef LIB_BASE_PAGE_TEMPLATE_H
#define LIB_BASE_PAGE_TEMPLATE_H

#include <stddef.h>

/* HTML in which the data replace the line `<!-- data -->`. The text is empty if the build could not
 * bundle the page. */
extern const char page_template[];
extern const size_t page_template_bytes;

/* The page of `aprof history html`, in the same form. */
extern const char history_template[];

/* The page of `aprof serve`, which has no data. */
extern const char serve_template[];

#endif
