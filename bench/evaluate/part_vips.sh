# The second case study of the paper on trms, Figures 5, 7 and 9: vips, an image processing library with threads.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154,SC2030,SC2031,SC2164,SC1091
#
# Sourced by evaluate.sh. vips is built from Debian's source package with debug information, without its
# optional libraries, because Debian's binary package has no names of static functions.

# This part runs in a subshell, because debian_source.sh sets $work.
build_vips() (
    work=$work/sources
    mkdir -p "$work"
    # shellcheck source=bench/debian_source.sh
    . "$here/../debian_source.sh"
    debian_source vips
    cd "$work"
    meson setup --auto-features=disabled -Ddeprecated=true -Dcplusplus=false -Dexamples=false \
        -Dintrospection=false -Dmodules=disabled -Dbuildtype=plain -Dc_args='-O2 -g' vips vips-build
    ninja -C vips-build
)

# A colour picture of SIDE by SIDE.
colours()
{
    printf 'P6 %d %d 255\n' "$1" "$1"
    "$generate" text 100000 | head -c "$(($1 * $1 * 3))"
}

# about REPORT NAME: the routines of the figures, and all routines.
about()
{
    for routine in vips_sink_disc vips_image_generate vips_region_prepare_to wbuffer_write_thread; do
        facts "$1" $routine $routine
    done
    totals "$1" "$2"
    curves "$1" "$2"
}

profiled_vips()
{
    VIPS_CONCURRENCY=4 aprof run --metrics=trms,rms --log-file=log --aprof-out-file=vips.aprof -- "$@" >&2
}

# The operations of the paper's benchmark on one picture.
benchmark()
{
    colours 600 >in.ppm
    "$built/tools/vips" colourspace in.ppm in.v lab
    "$built/tools/vips" im_LabS2LabQ in.v labq.v
    profiled_vips "$built/tools/vips" im_benchmarkn labq.v out.v 1
    about vips.aprof vips
}

# Pictures of 55 sizes, each written by two threads: 110 calls of wbuffer_write_thread, as many as in the paper.
pictures()
{
    # shellcheck disable=SC2046
    gcc -O2 -g -o vips_pictures "$here/vips_pictures.c" -I"$work/sources/vips/libvips/include" \
        -I"$built/libvips/include" $(pkg-config --cflags gobject-2.0) -L"$built/libvips" \
        -Wl,-rpath,"$built/libvips" -lvips $(pkg-config --libs gobject-2.0)
    colours 400 >in.ppm
    profiled_vips ./vips_pictures in.ppm out.v 55
    about vips.aprof vips-pictures
    keep_routine vips.aprof wbuffer_write_thread wbuffer_write_thread
}

built=$work/sources/vips-build
if has meson ninja; then
    [ -x "$built/tools/vips" ] || build_vips >"$work/vips.log" 2>&1
    cell benchmark benchmark
    cell pictures pictures
fi
