/** Texts of the Changes view. */

import * as l10n from "@vscode/l10n";

export const changesStrings = {
  reading: (percent: number) => l10n.t("{0}% read", percent),
  beforeHead: l10n.t("Before"),
  afterHead: l10n.t("After"),
  measures: {
    tokens: l10n.t("Tokens per rollout"),
    turns: l10n.t("Turns per rollout"),
    calls: l10n.t("Calls per rollout"),
    failedCalls: l10n.t("Failed calls"),
    malformedCalls: l10n.t("Malformed calls per rollout"),
    thinking: l10n.t("Characters of thinking"),
    answer: l10n.t("Characters of answers"),
    argument: l10n.t("Characters of arguments"),
    refusals: l10n.t("Refusals"),
  },
} as const;
