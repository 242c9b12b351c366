#!/bin/sh
# Makes a build folder in which tests of compiled-in profilers compile and run programs of arm64.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: arm64_tests_root.sh FOLDER BUILD ARM64_BUILD ARM64_ROOT
#
# FOLDER becomes the build folder: tests start in it. BUILD is this machine's build folder with aprof-cc and
# `aprof`, ARM64_BUILD the cross-compiled build folder with the archives, and ARM64_ROOT the folder that
# arm64_root.sh made. In FOLDER/tools, aprof-cc, clang, and gcc (which is clang) compile for arm64. A program X
# that they link is stored as X.arm64, and X is a shell script that runs the program in emulation. nm reads
# X.arm64. vg-in-place runs the Valgrind tool of arm64 with X.arm64, in emulation.
set -eu

[ $# -eq 4 ] || {
    echo 'aprof: arm64_tests_root: usage: arm64_tests_root.sh FOLDER BUILD ARM64_BUILD ARM64_ROOT' >&2
    exit 1
}
mkdir -p "$1/tools"
folder=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
archives=$(cd "$3" && pwd)
root=$(cd "$4" && pwd)

ln -sfn "$archives" "$build/aarch64-linux-gnu"
for file in "$archives"/libaprof_*.a; do
    ln -sf "$file" "$folder"
done
for tool in aprof aprof-instrument; do
    ln -sf "$build/tools/$tool" "$folder/tools"
done

# Each script runs its compiler with options for arm64, and wraps the program that the compiler made.
write_compiler() {
    cat >"$folder/tools/$1" <<END
#!/bin/sh
test -z "\${APROF_ARM64_INNER-}" || exec '$2' "\$@" # aprof-cc calls clang
export APROF_ARM64_INNER=1
output=a.out
previous=
for word; do
    case \$previous in -o) output=\$word ;; esac
    previous=\$word
done
rm -f "\$output.arm64"
'$2' --target=aarch64-linux-gnu --sysroot='$root/root' --gcc-toolchain='$root/cross/usr' -fuse-ld=lld \\
    -Wno-unused-command-line-argument "\$@" || exit
case \$output in *.o | *.so | *.s | *.ll) exit ;; esac
test -x "\$output" && test ! -d "\$output" || exit 0
mv "\$output" "\$output.arm64"
printf '#!/bin/sh\\nexec "%s" "%s" "\$@"\\n' '$root/bin/aarch64-run' "\$(realpath "\$output").arm64" >"\$output"
chmod +x "\$output"
END
    chmod +x "$folder/tools/$1"
}
write_compiler aprof-cc "$build/tools/aprof-cc"
write_compiler aprof-c++ "$build/tools/aprof-c++"
write_compiler clang "$(command -v clang)"
write_compiler gcc "$(command -v clang)"
write_compiler clang++ "$(command -v clang++)"

cat >"$folder/tools/nm" <<END
#!/bin/sh
for word; do
    shift
    case \$word in -*) ;; *) ! test -f "\$word.arm64" || word=\$word.arm64 ;; esac
    set -- "\$@" "\$word"
done
exec '$(command -v nm)' "\$@"
END
chmod +x "$folder/tools/nm"

# The tool in emulation; the first word that is not an option is the program.
cat >"$folder/vg-in-place" <<END
#!/bin/sh
export VALGRIND_LIB='$archives/.in_place' VALGRIND_LAUNCHER="\$0"
found=no
for word; do
    shift
    case \$found\$word in
    no-* | yes*) ;;
    *)
        found=yes
        test ! -f "\$word.arm64" || word=\$word.arm64
        ;;
    esac
    set -- "\$@" "\$word"
done
exec '$root/bin/aarch64-run' '$archives/aprof-arm64-linux' "\$@"
END
chmod +x "$folder/vg-in-place"
