# The page of `aprof html`; the charting library comes from npm when the page is bundled.
# SPDX-License-Identifier: GPL-2.0-or-later

nodist_tools_aprof_SOURCES = web/page_template.c
web_sources = \
	web/bundle.mjs web/template.sh \
	web/.npmrc web/package-lock.json web/package.json \
	web/columns.js \
	web/data.js \
	web/detail.js \
	web/growth.js \
	web/main.js \
	web/page.html \
	web/plot.js \
	web/state.js \
	web/style.css \
	web/table.js \
	web/text.js \
	web/thumbnail.js

web/page_template.c: $(web_sources)
	$(AM_V_GEN)$(MKDIR_P) web && $(SHELL) $(srcdir)/web/template.sh \
	    $(abs_srcdir)/web $(abs_builddir)/web "$(NODE)" "$(NPM)"

EXTRA_DIST += $(web_sources)
CLEANFILES += web/page_template.c web/page_template.c.partial web/npm.log
clean-local: clean-web
clean-web:
	rm -rf web/npm tests/web/npm
.PHONY: clean-web
