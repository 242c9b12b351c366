/* Writes pictures of growing size with vips; each is cropped, rotated and sharpened.
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Usage: vips_pictures IN OUT COUNT
 *
 * OUT is written COUNT times; the last picture is the whole of IN. As in other programs with vips,
 * threads compute every picture in small regions, and two further threads write the picture. Exit
 * status: 0, 1 if vips fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <vips/vips.h>

static int write_picture(VipsImage *in, int width, int height, const char *to)
{
    VipsImage *t[3] = {NULL, NULL, NULL};
    int status = vips_crop(in, &t[0], 0, 0, width, height, NULL) ||
                 vips_affine(t[0], &t[1], 0.97, 0.03, -0.03, 0.97, NULL) ||
                 vips_gaussblur(t[1], &t[2], 1.5, NULL) || vips_image_write_to_file(t[2], to, NULL);
    for (int i = 0; i < 3; i++)
        g_clear_object(&t[i]);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 4 || VIPS_INIT(argv[0])) {
        fprintf(stderr, "usage: vips_pictures IN OUT COUNT\n");
        return 1;
    }
    int count = atoi(argv[3]);
    VipsImage *in = vips_image_new_from_file(argv[1], NULL);
    for (int i = 1; in && i <= count; i++) {
        int width = in->Xsize * i / count, height = in->Ysize * i / count;
        if (write_picture(in, width > 9 ? width : 9, height > 9 ? height : 9, argv[2])) {
            fprintf(stderr, "vips_pictures: %s\n", vips_error_buffer());
            return 1;
        }
    }
    if (!in)
        fprintf(stderr, "vips_pictures: %s\n", vips_error_buffer());
    g_clear_object(&in);
    vips_shutdown();
    return 0;
}
