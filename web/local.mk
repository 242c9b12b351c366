# The page of `aprof html`, and the charting library that is bundled into it.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The library comes from npm's registry; a release has the bundled page, and needs neither node nor
# a network.

tools_aprof_SOURCES += web/page_template.c
web_sources = \
	web/bundle.mjs web/template.sh \
	web/.npmrc web/package-lock.json web/package.json web/packages.mjs \
	web/calls.js \
	web/changes.js \
	web/columns.js \
	web/data.js \
	web/detail.js \
	web/flame.js \
	web/growth.js \
	web/history.css \
	web/history.html \
	web/history.js \
	web/main.js \
	web/page.html \
	web/plot.js \
	web/scale.js \
	web/serve.css \
	web/serve.html \
	web/serve.js \
	web/source.js \
	web/state.js \
	web/style.css \
	web/table.js \
	web/text.js \
	web/thumbnail.js \
	web/where.js

web/page_template.c: $(web_sources)
	$(AM_V_GEN)$(MKDIR_P) web && $(SHELL) $(srcdir)/web/template.sh \
	    $(abs_srcdir)/web $(abs_builddir)/web "$(NODE)" "$(NPM)"

EXTRA_DIST += $(web_sources)
MAINTAINERCLEANFILES = web/page_template.c
CLEANFILES += web/page_template.c.partial web/npm.log
clean-local: clean-web
clean-web:
	rm -rf web/npm tests/web/npm
# A release is built without a network, so it has its page.
dist-hook: dist-page
dist-page:
	@! grep -q 'page_template_bytes = 0' $(distdir)/web/page_template.c || \
	    { echo "aprof: web: this build has no page: no release can be made of it" >&2; exit 1; }
.PHONY: clean-web dist-page
