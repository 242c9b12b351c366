# Loads the hook that reports methods of Ruby scripts; `aprof run` sets RUBYOPT to load this file.
# SPDX-License-Identifier: BSD-2-Clause

begin
  require File.join(File.dirname(__FILE__), '_aprof.so')
rescue LoadError => error
  warn "aprof: run: this Ruby cannot report functions of scripts: #{error.message}"
end
