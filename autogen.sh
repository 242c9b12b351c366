#!/bin/sh
# Makes ./configure from configure.ac; needed after a checkout, not after unpacking a release.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
cd "$(dirname "$0")"
exec autoreconf --install --force --warnings=all
