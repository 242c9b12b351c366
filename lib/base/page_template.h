/* The pages that `aprof html` and `aprof history html` fill in, bundled by the build (template.sh).
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

#endif
