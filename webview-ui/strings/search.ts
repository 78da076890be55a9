/** The search in the texts of rollouts. */

import * as l10n from "@vscode/l10n";
import { formatCount, plural } from "../../src/shared/format.ts";
import type { SearchRole } from "../../src/shared/search.ts";

export const searchStrings = {
  label: l10n.t("Search in rollouts"),
  placeholder: l10n.t('Words, or a "phrase", in prompts, thinking, answers, calls and results'),
  matchCase: l10n.t("Aa"),
  matchCaseHint: l10n.t("Match case"),
  matchCaseKey: l10n.t("Match case (Alt+C)"),
  regex: ".*",
  regexHint: l10n.t("Search for a regular expression"),
  everyRun: l10n.t("All runs"),
  everyRunHint: l10n.t("Search in all runs of this window, newest first"),
  rolesLabel: l10n.t("Search in"),
  roles: {
    prompt: l10n.t("Prompt"),
    thinking: l10n.t("Thinking"),
    answer: l10n.t("Answer"),
    call: l10n.t("Call"),
    result: l10n.t("Result"),
    error: l10n.t("Error"),
  } satisfies Readonly<Record<SearchRole, string>>,
  hint: l10n.t(
    "All words must occur in a rollout. Upper and lower case are alike, unless “Aa” is chosen. The newest step comes first.",
  ),
  none: l10n.t("No rollout has this."),
  searching: (percent: number) => l10n.t("{0} % searched", percent),
  found: (count: number) => plural(count, "{0} rollout", "{0} rollouts"),
  cut: (count: number) =>
    l10n.t(
      "These are the first {0} rollouts. Search for more words to find others.",
      formatCount(count),
    ),
  results: l10n.t("Found rollouts"),
  hit: (group: number, rollout: number) => l10n.t("group {0}, rollout {1}", group, rollout),
  places: (count: number, isMore: boolean) =>
    plural(count, "{1} place", "{1} places", `${formatCount(count)}${isMore ? "+" : ""}`),
  turn: (turn: number) => l10n.t("turn {0}", turn),
} as const;
