/* The sub-commands of `aprof`; lib/load/command_line.h explains their parts.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The only list of sub-commands is `aprof_verbs` in tools/local.mk. For example, `report` requires
 * the files tools/cmd_report.c, with `command_report`, and docs/aprof-report.1.
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include "lib/base/message.h"
#include "lib/load/command_line.h"

#define VERB(name) extern const struct command command_##name;
#include "tools/verbs.inc"
#undef VERB

#endif
