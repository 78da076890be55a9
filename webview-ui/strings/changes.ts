/** What changed over the steps of a run. */

import * as l10n from "@vscode/l10n";
import { formatCount, formatShare } from "../../src/shared/format.ts";

export const changesStrings = {
  ranges: l10n.t("Steps that are compared"),
  before: l10n.t("Before: steps"),
  after: l10n.t("After: steps"),
  from: l10n.t("from"),
  to: l10n.t("to"),
  tooFew: l10n.t("There is nothing to compare before two steps have rollouts."),
  reading: (percent: number) => l10n.t("{0} % read", percent),
  behaviour: l10n.t("What the model does"),
  behaviourHint: (shown: number, steps: number) =>
    shown < steps
      ? l10n.t(
          "{0} of {1} steps; tools, texts and refusals from up to 32 rollouts each. Enter opens a step.",
          formatCount(shown),
          formatCount(steps),
        )
      : l10n.t(
          "Tools, texts and refusals from up to 32 rollouts of each step. Enter opens a step.",
        ),
  phrases: l10n.t("What it says"),
  phrasesHint: (before: number, after: number) =>
    l10n.t(
      "Rollouts that have a phrase, of {0} before and {1} after, the surest changes first. One rollout of each group is tested (Fisher’s exact test); about 1 in 20 of the listed phrases may be chance.",
      formatCount(before),
      formatCount(after),
    ),
  more: l10n.t("More often"),
  less: l10n.t("Less often"),
  noPhrases: l10n.t("No phrase changed more than chance would have it."),
  phrase: l10n.t("Phrase"),
  beforeHead: l10n.t("Before"),
  afterHead: l10n.t("After"),
  examples: (words: string) => l10n.t("Examples of “{0}”", words),
  searchFor: l10n.t("Search for it"),
  share: (count: number, total: number) =>
    total === 0 ? "–" : `${formatCount(count)} (${formatShare(count / total)})`,
  endings: l10n.t("Who ends alike"),
  endingsHint: (step: number) =>
    l10n.t(
      "Rollouts of one group in step {0} whose last words are alike in at least half of their word triples.",
      formatCount(step),
    ),
  noEndings: l10n.t("In no group do three rollouts end alike."),
  alike: (count: number, size: number) =>
    l10n.t("{0} of {1}", formatCount(count), formatCount(size)),
  group: (group: number) => l10n.t("group {0}", group),
  place: (step: number, group: number, rollout: number) =>
    l10n.t("step {0}, group {1}, rollout {2}", formatCount(step), group, rollout),
  measures: {
    tokens: l10n.t("Tokens of a rollout"),
    turns: l10n.t("Turns of a rollout"),
    calls: l10n.t("Calls of a rollout"),
    failedCalls: l10n.t("Failed calls"),
    malformedCalls: l10n.t("Malformed calls of a rollout"),
    thinking: l10n.t("Characters of thinking"),
    answer: l10n.t("Characters of answers"),
    argument: l10n.t("Characters of arguments"),
    refusals: l10n.t("Refusals"),
  },
  split: (split: string) => l10n.t("Reward: {0}", split),
  stop: (stop: string) => l10n.t("Ends: {0}", stop),
  tool: (tool: string) => l10n.t("Uses {0}", tool),
  atStep: (step: number, value: string) => l10n.t("step {0}: {1}", formatCount(step), value),
  change: (first: string, last: string) => `${first} → ${last}`,
} as const;
