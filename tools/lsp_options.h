/* The settings of `aprof lsp`, also for builds without json-c.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TOOLS_LSP_OPTIONS_H
#define TOOLS_LSP_OPTIONS_H

#define LSP_BOUNDS ".aprof-bounds" /* default file of bounds, in the folder of the workspace */

/* Paths of the command line; NULL: not given. */
struct lsp_options {
    const char *report, *bounds, *base, *database, *source_path;
};

/* Serves the client until it ends; returns the exit status. */
int lsp_serve(const struct lsp_options *options);

#endif
