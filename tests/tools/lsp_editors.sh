#!/bin/sh
# `aprof lsp` with real editors: Neovim and Emacs, each if it is installed.
# SPDX-License-Identifier: GPL-2.0-or-later
. "${0%/*}/../lib.sh"

aprof lsp <&- >out 2>err || :
! grep -q 'without json-c' err || skip 'built without json-c'

mkdir src
awk 'BEGIN { for (i = 1; i <= 60; i++) print "heap_sort(" i ");" }' >src/sort.c
touch -d '2026-01-01' src/sort.c
cp "$data/growth.aprof" .
echo 'heap_sort calls 1' >.aprof-bounds
sorted=$(aprof report --format=tsv growth.aprof | awk -F '\t' '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["routine"] == "heap_sort" {
        printf "%s, %.1f%% self, %d calls", $at["average_growth"], $at["self_share"], $at["calls"] }')
HOME=$PWD XDG_STATE_HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD
export HOME XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME

in_neovim()
{
    begin 'Neovim shows lenses, a hover and diagnostics'
    cat >init.lua <<END
vim.api.nvim_create_autocmd("FileType", { pattern = "c", callback = function(event)
  local id = vim.lsp.start_client({ cmd = { "aprof", "lsp", "--source-path=/src=$PWD/src" }, root_dir = "$PWD",
    on_attach = function() vim.lsp.codelens.refresh() end })
  vim.lsp.buf_attach_client(event.buf, id)
end })
END
    cat >show.lua <<'END'
local buffer = vim.api.nvim_get_current_buf()
vim.wait(10000, function() return #vim.lsp.codelens.get(buffer) > 0 and #vim.diagnostic.get(buffer) > 0 end)
for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
  io.write("lens ", lens.range.start.line + 1, ": ", lens.command.title, "\n")
end
for _, found in ipairs(vim.diagnostic.get(buffer)) do
  io.write("diagnostic ", found.lnum + 1, ": ", found.source, " ", found.message, "\n")
end
local place = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 3, character = 2 } }
for _, answer in pairs(vim.lsp.buf_request_sync(buffer, "textDocument/hover", place, 10000)) do
  io.write(answer.result.contents.kind, " ", answer.result.contents.value)
end
END
    run 0 timeout 60 nvim --headless -u init.lua src/sort.c +'luafile show.lua' +qall
    expect "lens 40: $sorted"
    expect 'diagnostic 40: aprof heap_sort: bound calls 1 broken: measured'
    expect 'markdown **heap'
    expect 'aprof report ./growth.aprof heap_sort'
}

in_emacs()
{
    begin 'Emacs shows a hover and diagnostics'
    cat >show.el <<END
(dolist (folder (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa*/*")) (add-to-list 'load-path folder))
(require 'eglot)
(require 'project)
(setq eglot-sync-connect 10)
(setq project-find-functions (list (lambda (_) (cons 'transient "$PWD/"))))
(add-to-list 'eglot-server-programs '((c-mode c++-mode) "aprof" "lsp" "--source-path=/src=$PWD/src"))
(find-file "src/sort.c")
(eglot-ensure)
(run-hooks 'post-command-hook)
(forward-char 2)
(princ (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                              (eglot--TextDocumentPositionParams)) :contents) :value))
(let ((turns 100))
  (while (and (> turns 0) (not (flymake-diagnostics))) (setq turns (1- turns)) (accept-process-output nil 0.1)
         (flymake-start)))
(dolist (found (flymake-diagnostics))
  (princ (format "diagnostic %d: %s\n" (line-number-at-pos (flymake-diagnostic-beg found)) (flymake-diagnostic-text found))))
(eglot-shutdown (eglot-current-server))
END
    run 0 timeout 60 emacs -Q --batch -l show.el
    expect 'aprof report ./growth.aprof heap_sort'
    expect 'diagnostic 40: '
    expect 'heap_sort: bound calls 1 broken'
}

has_eglot()
{
    command -v emacs >out &&
        emacs -Q --batch --eval '(progn (dolist (folder (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa*/*"))
            (add-to-list (quote load-path) folder)) (require (quote eglot)))' >out 2>&1
}

editors=0
if command -v nvim >out; then
    in_neovim
    editors=1
fi
if has_eglot; then
    in_emacs
    editors=1
fi
test $editors = 1 || skip 'Neovim and Emacs with eglot are not installed'
finish
