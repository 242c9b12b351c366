#!/bin/sh
# Unpacks, without installing them, the packages for cross-building for arm64 and for running the results.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: arm64_root.sh FOLDER
#
# Debian's cross compilers conflict with gcc-multilib, so they are unpacked, too. The compilers use the
# assembler and linker of the installed package binutils-aarch64-linux-gnu. FOLDER becomes:
#
#   root/       the arm64 packages of this release of Debian: headers, libraries, Valgrind
#   cross/      gcc and g++ for arm64, which run on this machine
#   bin/        aarch64-linux-gnu-gcc, -g++ and -pkg-config, for that root; aarch64-run PROGRAM ARG..., which
#               runs a program of arm64 in emulation (qemu-user)
#   complete    made last: a folder that contains this file is not changed
#
# apt has a separate configuration in FOLDER, so that the machine's architectures do not change. Packages in
# FOLDER/archives are not downloaded again. Exit status: 0; 1 if something is missing.
set -eu

die() {
    echo "aprof: arm64_root: $1" >&2
    exit 1
}

[ $# -eq 1 ] || die 'usage: arm64_root.sh FOLDER'
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ ! -e "$folder/complete" ] || exit 0
for command in qemu-aarch64 aarch64-linux-gnu-ld apt-get dpkg-deb; do
    command -v "$command" >/dev/null || die "$command is missing: scripts/install-deps.sh test"
done

release=$(apt-cache policy libgcc-s1 | sed -n 's/ *Installed: \([0-9]*\)\..*/\1/p')
packages="libc6-dev libc6-dbg libgcc-$release-dev libstdc++-$release-dev libgomp1 libiberty-dev libgsl-dev zlib1g-dev
    libcmocka-dev valgrind"
compilers="cpp-$release-aarch64-linux-gnu gcc-$release-aarch64-linux-gnu g++-$release-aarch64-linux-gnu
    libgcc-$release-dev-arm64-cross libstdc++-$release-dev-arm64-cross"

# With an empty list of installed packages, apt fetches all dependencies.
mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$folder/root" "$folder/bin"
: >"$folder/status"
apt() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Architectures::=arm64 \
        -o Dir::State::status="$folder/status" -o Dir::State::Lists="$folder/lists" \
        -o Dir::Cache="$folder" -o APT::Sandbox::User="$(id -un)" -o Debug::NoLocking=1 "$@"
}
apt update >"$folder/log" 2>&1 || die "no packages of arm64: $folder/log"
# shellcheck disable=SC2086
apt install -y --no-install-recommends --download-only $packages >"$folder/log" 2>&1 ||
    die "packages of arm64 cannot be downloaded: $folder/log"
mkdir -p "$folder/cross/archives"
# shellcheck disable=SC2086
(cd "$folder/cross/archives" && apt-get -qq download $compilers) >"$folder/log" 2>&1 ||
    die "cross compilers cannot be downloaded: $folder/log"
for archive in "$folder"/archives/*.deb; do
    dpkg-deb -x "$archive" "$folder/root"
done
for archive in "$folder"/cross/archives/*.deb; do
    dpkg-deb -x "$archive" "$folder/cross"
done

# Symbolic links with absolute targets would lead out of the root.
find "$folder/root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$folder/root$(readlink "$link")" "$link"
done

write_script() {
    cat >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
for name in gcc g++; do
    write_script "aarch64-linux-gnu-$name" <<END
#!/bin/sh
exec '$folder/cross/usr/bin/aarch64-linux-gnu-$name-$release' -B/usr/aarch64-linux-gnu/bin/ --sysroot='$folder/root' "\$@"
END
done
write_script aarch64-linux-gnu-pkg-config <<END
#!/bin/sh
PKG_CONFIG_LIBDIR='$folder/root/usr/lib/aarch64-linux-gnu/pkgconfig:$folder/root/usr/share/pkgconfig'
PKG_CONFIG_SYSROOT_DIR='$folder/root'
PKG_CONFIG_SYSTEM_INCLUDE_PATH='/usr/include:$folder/root/usr/include'
PKG_CONFIG_SYSTEM_LIBRARY_PATH='/usr/lib/aarch64-linux-gnu:$folder/root/usr/lib/aarch64-linux-gnu'
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_SYSTEM_INCLUDE_PATH PKG_CONFIG_SYSTEM_LIBRARY_PATH
exec pkg-config "\$@"
END
# The processor model is old, because Valgrind 3.19 lacks instructions that newer processors announce.
write_script aarch64-run <<END
#!/bin/sh
export QEMU_CPU="\${QEMU_CPU-cortex-a57}"
exec qemu-aarch64 -L '$folder/root' "\$@"
END
touch "$folder/complete"
