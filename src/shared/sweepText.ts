/** Which setting of a sweep mattered, as text: the same in pages, terminals and reports. */

import * as l10n from "@vscode/l10n";
import {
  formatBounds,
  formatCount,
  formatMeasure,
  formatPercent,
  formatReward,
  plural,
} from "./format.ts";
import { phaseTexts, type ShownPhase } from "./phaseTexts.ts";
import type { SweepChange } from "./runFile.ts";
import type { ExplainedShare, SettingEffect, ShareGap, SweepEffects } from "./sweepEffects.ts";
import type { SweepBasis } from "./sweepResult.ts";

/** The answer in a sentence. `shown` formats keys. */
export function sweepSentence(
  { settings }: SweepEffects,
  shown: (key: string) => string = (key) => key,
): string {
  const [first, second] = settings;
  if (first === undefined) return l10n.t("Only the seed varies in this sweep.");
  const { key, share, gap, values } = first;
  if (share === null) return gapSentence(gap ?? "few-runs", shown(key), values[0]?.text ?? "");
  const [name, explains] = [shown(key), shareText(share)];
  const isOnly = second === undefined;
  if (share.low > 0) {
    return isOnly
      ? l10n.t("{0} mattered: it {1}.", name, explains)
      : l10n.t("{0} mattered most: it {1}.", name, explains);
  }
  return isOnly
    ? l10n.t("{0} did not clearly matter: it {1}.", name, explains)
    : l10n.t("No setting clearly mattered.");
}

/** The effect of one setting, without its name. */
export function effectText({ share, gap, values }: SettingEffect): string {
  return share === null ? gapText(gap ?? "few-runs", values[0]?.text ?? "") : shareText(share);
}

/** Null if combinations explain nothing beyond the settings themselves, or if that is unknown. */
export function combinationsText({ combinations, settings }: SweepEffects): string | null {
  if (combinations === null || settings.length < 2 || combinations.low === 0) return null;
  return l10n.t("Combinations of settings explain another {0} {1}.", ...percents(combinations));
}

/** The measure by which runs are compared, as a sentence. */
export function basisText(basis: SweepBasis): string {
  switch (basis.kind) {
    case "evaluation":
      return plural(
        basis.step,
        "Runs are compared by the evaluation of {1} after {0} step.",
        "Runs are compared by the evaluation of {1} after {0} steps.",
        basis.cell,
      );
    case "reward":
      return l10n.t("Runs are compared by the mean reward of the last 5 steps.");
    case "heldOut":
      return l10n.t("Runs are compared by the newest loss on held-out examples.");
    case "now":
      return l10n.t("Runs are compared by the mean loss of the last steps (at most 5).");
  }
}

/** Null where all runs count. */
export function leftOutText({ left }: SweepEffects): string | null {
  if (left === 0) return null;
  return plural(
    left,
    "{0} run is left out: it is not done, has no result, or changed a setting of the sweep.",
    "{0} runs are left out: they are not done, have no result, or changed a setting of the sweep.",
  );
}

/** More names would not be read. */
const NAMED_SETTINGS = 8;

interface RungSettings {
  readonly name: string;
  readonly result: number | null;
  readonly isKept: boolean;
}

interface RungDecision {
  readonly rung: { readonly step: number };
  readonly by: SweepBasis;
  readonly settings: readonly RungSettings[];
  /** Settings of runs that are not compared, because they have left the sweep. */
  readonly left: readonly string[];
}

/** Which settings of a sweep go on, with their results on this basis. */
export function rungText({ rung: { step }, by, settings, left }: RungDecision): string {
  const text = comparedText(step, by, settings);
  if (left.length === 0) return text;
  const names = left.slice(0, NAMED_SETTINGS).join(", ");
  const others = plural(
    left.length,
    "{1} goes on without being compared, because a setting of the sweep was changed while it ran.",
    "{0} runs go on without being compared, because a setting of the sweep was changed while they ran: {1}.",
    names,
  );
  return `${text} ${others}`;
}

function comparedText(step: number, by: SweepBasis, settings: readonly RungSettings[]): string {
  const kept = settings.filter(({ isKept }) => isKept);
  const dropped = settings.filter(({ isKept }) => !isKept);
  if (settings.length < 2) {
    return l10n.t("After step {0}, there is nothing left to compare.", step);
  }
  if (settings.every(({ result }) => result === null)) {
    return l10n.t(
      "After step {0}, all settings go on, because none has a result: in each, a run or more than 10% of its rollouts failed. Stop the sweep and look at the failed rollouts before they use more steps.",
      step,
    );
  }
  if (dropped.length === 0) {
    return l10n.t("After step {0}, all settings go on, because none is better.", step);
  }
  const names = (own: readonly RungSettings[]): string => {
    const named = own.slice(0, NAMED_SETTINGS).map(({ name, result }) => {
      return `${name} (${result === null ? l10n.t("no result") : resultText(by, result)})`;
    });
    const more = own.length - named.length;
    return [...named, ...(more > 0 ? [l10n.t("{0} more", more)] : [])].join(", ");
  };
  const text = plural(
    kept.length,
    "After step {1}, {0} of {2} settings goes on: {3}. Dropped: {4}.",
    "After step {1}, {0} of {2} settings go on: {3}. Dropped: {4}.",
    step,
    settings.length,
    names(kept),
    names(dropped),
  );
  return `${text} ${basisText(by)}`;
}

function resultText(by: SweepBasis, result: number): string {
  return by.kind === "heldOut" || by.kind === "now" ? formatMeasure(result) : formatReward(result);
}

/** Why no run was dropped. */
export function undecidedText(step: number): string {
  return l10n.t(
    "No run was dropped, because not all have reached step {0}. Continue the sweep to decide.",
    step,
  );
}

/** The state of a run in its sweep: `done`, or if it does not count `done, learning_rate changed at step 5`. */
export function sweptStateText(state: ShownPhase, left: SweepChange | null): string {
  const text = phaseTexts()[state];
  if (left === null) return text;
  const step = formatCount(left.step + 1);
  return l10n.t("{0}, {1} changed at step {2}", text, left.keys.join(", "), step);
}

/** The last part of a key, or the whole key if another key ends the same way. Pass `last` if that part may contain dots. */
export function shortKey(
  key: string,
  keys: readonly string[],
  last = key.slice(key.lastIndexOf(".") + 1),
): string {
  const isUnique = keys.every((other) => other === key || !other.endsWith(`.${last}`));
  return isUnique && !keys.includes(last) ? last : key;
}

function shareText(share: ExplainedShare): string {
  return l10n.t("explains {0} of the differences {1}", ...percents(share));
}

/** The share, and its interval. */
function percents({ share, ...bounds }: ExplainedShare): readonly [string, string] {
  return [formatPercent(share), formatBounds(bounds, formatPercent)];
}

/** `value` is the only one among runs that count. */
function gapText(gap: ShareGap, value: string): string {
  const texts = {
    "no-results": l10n.t("no result yet"),
    "one-value": l10n.t("one value only"),
    "one-value-done": l10n.t("only runs of {0} are done", value),
    "no-differences": l10n.t("all runs have the same result"),
    "not-alone": l10n.t("changed only together with another setting"),
    "no-seeds": l10n.t("unknown without repeated seeds"),
    "few-runs": l10n.t("unknown with so few runs"),
  };
  return texts[gap];
}

function gapSentence(gap: ShareGap, name: string, value: string): string {
  const sentences = {
    "no-results": l10n.t("No run of this sweep has a result yet."),
    "one-value": l10n.t("{0} has one value only, so there is nothing to compare.", name),
    "one-value-done": l10n.t(
      "Only runs of {0} {1} are done, so its values cannot be compared.",
      name,
      value,
    ),
    "no-differences": l10n.t("All runs have the same result."),
    "not-alone": l10n.t("{0} changed only together with another setting.", name),
    "no-seeds": l10n.t(
      "Unknown: no two runs differ only in their seed. Repeat the sweep with other seeds to distinguish an effect from chance.",
    ),
    "few-runs": l10n.t(
      "Unknown: too few runs are done to distinguish an effect from chance. Repeat the sweep with other seeds.",
    ),
  };
  return sentences[gap];
}
