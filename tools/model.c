/* The verbs for all kinds of reports; see model.h.
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "tools/model.h"

#define KIND(name) &model_##name,
static const struct report_model *const models[] = {
#include "tools/kinds.inc"
};

const struct report_model *model_of_kind(enum report_kind kind)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (models[i]->kind == kind)
            return models[i];
    }
    return NULL;
}

const struct report_model *model_of(const struct command *command)
{
    int kind = 0;
    while (command->kinds != OPTION_FOR(kind))
        kind++;
    return model_of_kind((enum report_kind)kind);
}

void *model_new(const struct report_model *model)
{
    return memory_get_zeroed(1, model->report_bytes);
}

void model_free(const struct report_model *model, void *report)
{
    if (report)
        model->free(report);
    free(report);
}

void *model_read(const struct report_model *model, const char *path,
                 const struct common_options *settings, struct failure *why)
{
    void *report = model_new(model);
    if (model->read(report, path, settings, why))
        return report;
    free(report);
    return NULL;
}

bool model_close(struct output *output, bool good, struct failure *why)
{
    if (good)
        return output_close(output, why);
    output_discard(output);
    return false;
}
