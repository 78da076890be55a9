/** Inlay hints that show, next to a key, what the configuration's newest run measured about it. */

import {
  formatCost,
  formatCount,
  formatDuration,
  formatExact,
  formatKey,
  formatMeasure,
  formatQuantity,
  formatReward,
  formatRounded,
  formatShare,
} from "../../../../shared/format.ts";
import { coerce } from "../../fields/coerce.ts";
import { configShape, isSecret, shapeAt } from "../../fields/fields.ts";
import { isSame } from "../../fields/sameValue.ts";
import { valueAt } from "../../rules/issues.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { languageOf, readYaml, type YamlSource } from "../../source/yamlSource.ts";
import { ownPlace } from "../../stages.ts";
import { code } from "../text/markdown.ts";
import { allPairs } from "../text/nodeAt.ts";
import type { Pair } from "../text/yamlPairs.ts";
import type { MeasuredEnvironment, MeasuredRun } from "./measuredRun.ts";

export interface InlayHint {
  /** Shown after this offset. */
  readonly offset: number;
  readonly label: string;
  /** Says what the label is based on. */
  readonly markdown: string;
}

export interface InlayHintOptions {
  readonly path: string;
  /** Null when no run of the configuration has completed a step. */
  readonly run: MeasuredRun | null;
}

/** The label next to a key, in parts, and a sentence that explains it. */
interface Measure {
  readonly label: readonly (string | null)[];
  readonly says: string;
}

const SEPARATOR = " · ";
/** VS Code truncates the hints of a line beyond this length (`editor.inlayHints.maximumLength`). */
const MAX_LABEL = 43;

/** By dotted key. */
type Measures = Readonly<Record<string, (run: MeasuredRun) => Measure>>;

/** In text order; empty without a run. Never throws. */
export function inlayHints(text: string, { path, run }: InlayHintOptions): readonly InlayHint[] {
  if (run === null) return [];
  const source = readYaml(text, languageOf(path));
  const values = source.root === null ? null : coerce(source, source.root, configShape);
  const pairs = allPairs(source).filter(
    // The end of the run is shown only once, next to the key that determines it.
    ({ path }) => path.join() !== "num_epochs" || valueAt(values, ["max_steps"]) == null,
  );
  const changed = changedKeys(source, { pairs, values, run });
  return pairs.flatMap(({ path: place, pair }) => {
    const offset = placeOf(place, pair);
    const measure = measureFor(place, run);
    const parts = measure?.label.filter((part) => part !== null) ?? [];
    if (measure === null || offset === null || parts.length === 0) return [];
    const before = beforeText(place, changed, run);
    const all = `${before}${parts.join(SEPARATOR)}`;
    const markdown = [all, measure.says, basisText(run), ...changesText(changed)].join("\n\n");
    return [{ offset, label: shortLabel(before, parts), markdown }];
  });
}

/** As many of `parts` as the editor shows; they are sorted by importance. */
function shortLabel(before: string, parts: readonly string[]): string {
  const label = `· ${before}${parts.join(SEPARATOR)}`;
  return label.length <= MAX_LABEL || parts.length === 1
    ? label
    : shortLabel(before, parts.slice(0, -1));
}

/** After the value, or after an environment's name; null for a key without a value. */
function placeOf(path: KeyPath, { colonEnd, valueSpan }: Pair): number | null {
  const isEnvironment = path.length === 2 && path[0] === "environments";
  return isEnvironment ? colonEnd : (valueSpan?.end ?? null);
}

function measureFor(path: KeyPath, run: MeasuredRun): Measure | null {
  const [key = "", name = "", inner = ""] = path;
  const ofRun = key === "environments" ? undefined : ownOf(RUN_MEASURES, path.join("."));
  if (ofRun !== undefined) return ofRun(run);
  if (key !== "environments") return null;
  const environment = ownOf(run.environments, name);
  if (environment === undefined) return null;
  if (path.length === 2) return environmentMeasure(environment);
  if (path.length !== 3) return null;
  if (inner === "max_turns") return turnsMeasure(environment);
  return inner === "num_rollouts" ? groupsMeasure(run) : null;
}

const RUN_MEASURES: Measures = {
  batch_size: ({ step }) => ({
    label: [
      step.tokens === null ? null : `${formatRounded(step.tokens)} tokens/step`,
      step.costUsd === null ? null : formatCost(step.costUsd),
      step.seconds === null ? null : formatDuration(step.seconds),
    ],
    says: "The average step: tokens of all kinds, their cost if prices are known, and time.",
  }),
  max_steps: endMeasure,
  num_epochs: endMeasure,
  max_response_tokens: ({ turns }) => ({
    label: [turns.cut === null ? null : `${formatShare(turns.cut)} cut`, lengthsText(turns)],
    says: "The share of turns that this limit cut off, and the tokens per turn.",
  }),
  max_total_tokens: ({ rollouts }) => ({
    label: [
      rollouts.full === null ? null : `${formatShare(rollouts.full)} cut`,
      lengthsText(rollouts),
    ],
    says: "The share of rollouts that this limit ended, and the tokens per rollout.",
  }),
  rollout_timeout: ({ rollouts }) => ({
    label: [rollouts.timedOut === null ? null : `${formatShare(rollouts.timedOut)} timed out`],
    says: "The share of rollouts that this limit ended.",
  }),
  learning_rate: ({ learningRate, settings }) => ({
    label: [
      learningRate === null || learningRate === valueAt(settings, ["learning_rate"])
        ? null
        : `${formatExact(learningRate)} at its last step`,
    ],
    says: "The scheduled value at the last step.",
  }),
  grad_clip_norm: ({ step }) => ({
    label: [step.gradientNorm === null ? null : `norm ${formatMeasure(step.gradientNorm)}`],
    says: "The average gradient norm before clipping.",
  }),
  max_cost_usd: ({ used }) => ({
    label: [used.costUsd === null ? null : `${formatCost(used.costUsd)} used`],
    says: "The cost of the run's tokens, including evaluations and repeated steps.",
  }),
  max_tokens_total: ({ used }) => ({
    label: [used.tokens === null ? null : `${formatRounded(used.tokens)} used`],
    says: "The tokens of all kinds that the run used.",
  }),
  max_hours: ({ used }) => ({
    label: [used.seconds === null ? null : `${formatDuration(used.seconds)} used`],
    says: "The time of the run, over all its attempts.",
  }),
  "evaluation.every": ({ evaluation: { tokenShare, costUsd } }) => ({
    label: [
      tokenShare === null ? null : `${formatShare(tokenShare)} of all tokens`,
      tokenShare === null || costUsd === null ? null : formatCost(costUsd),
    ],
    says: "The share of the run's tokens that its evaluations used, and their cost.",
  }),
  "target_reward.reward": ({ reward }) => ({
    label: [reward === null ? null : `${formatReward(reward)} so far`],
    says: "The mean reward of the last steps.",
  }),
};

function endMeasure(run: MeasuredRun): Measure {
  const { isLive, steps, totalSteps, secondsLeft, step, used } = run;
  if (!isLive || totalSteps === null || steps >= totalSteps) {
    const took = used.seconds === null ? "" : ` in ${formatDuration(used.seconds)}`;
    const cost = used.costUsd === null ? null : formatCost(used.costUsd);
    const planned = totalSteps ?? steps;
    const part = steps < planned ? `${formatCount(steps)}/` : "";
    const done = `${part}${formatQuantity(Math.max(steps, planned), "step")}${took}`;
    return { label: [done, cost], says: "Completed steps, time, and cost of the run." };
  }
  const costLeft = step.costUsd === null ? null : (totalSteps - steps) * step.costUsd;
  const left = [
    ...(secondsLeft === null ? [] : [formatDuration(secondsLeft)]),
    ...(costLeft === null ? [] : [formatCost(costLeft)]),
  ];
  return {
    label: [
      left.length === 0 ? null : `${left.join(" and ")} left`,
      `step ${formatCount(steps)}/${formatCount(totalSteps)}`,
    ],
    says: "The rest of the run, at the pace and cost of its steps so far.",
  };
}

function environmentMeasure({ reward, success }: MeasuredEnvironment): Measure {
  return {
    label: [
      reward === null ? null : `reward ${formatReward(reward)}`,
      success === null ? null : `${formatShare(success)} solved`,
    ],
    says: "The mean reward in this environment, and the share of rollouts that reach its `success_reward`.",
  };
}

function turnsMeasure({ meanTurns, outOfTurns }: MeasuredEnvironment): Measure {
  return {
    label: [
      meanTurns === null ? null : `${meanTurns.toFixed(1)} on average`,
      // The metric is absent in a step where no rollout reached the limit.
      meanTurns === null ? null : `${formatShare(outOfTurns ?? 0)} reach it`,
    ],
    says: "The turns per rollout, and the share of rollouts that this limit ended.",
  };
}

function groupsMeasure({ mixedGroups }: MeasuredRun): Measure {
  return {
    label: [
      mixedGroups === null ? null : `rewards differ in ${formatShare(mixedGroups)} of groups`,
    ],
    says: "The share of groups, over all environments, whose rewards differ. Only these groups have advantages to learn from.",
  };
}

function lengthsText({
  meanTokens,
  mostTokens,
}: Pick<MeasuredRun["turns"], "meanTokens" | "mostTokens">): string | null {
  if (meanTokens === null) return null;
  const most = mostTokens === null ? "" : `, max ${formatRounded(mostTokens)}`;
  return `mean ${formatRounded(meanTokens)}${most}`;
}

/** `at 32: ` when the run used another value for this key. */
function beforeText(path: KeyPath, changed: readonly string[], run: MeasuredRun): string {
  if (!changed.includes(formatKey(path))) return "";
  const value = valueAt(run.settings, path);
  return typeof value === "number" ? `at ${value}: ` : "before: ";
}

/** Keys with plain values that the run set differently. For the run of a stage, compares with what that stage would use. */
function changedKeys(
  source: YamlSource,
  {
    pairs,
    values,
    run: { settings },
  }: {
    readonly pairs: readonly { readonly path: KeyPath }[];
    readonly values: unknown;
    readonly run: MeasuredRun;
  },
): readonly string[] {
  if (settings === undefined) return [];
  const stage = valueAt(settings, ["stage"]);
  return pairs.flatMap(({ path }) => {
    if (path[0] === "stages") return [];
    const field = shapeAt(path);
    const place = ownPlace(source, typeof stage === "string" ? stage : null, path);
    const written = valueAt(values, place);
    const isPlain = ["number", "boolean", "string"].includes(typeof written);
    if (field === undefined || field.type === "object" || !isPlain || isSecret(field)) return [];
    return isSame(written, valueAt(settings, path)) ? [] : [formatKey(path)];
  });
}

function basisText({ name, steps, totalSteps, measuredSteps }: MeasuredRun): string {
  const many = measuredSteps === 1 ? "its last step" : `its last ${measuredSteps} steps`;
  const total = totalSteps === null ? "" : ` of ${formatCount(totalSteps)}`;
  return `Measured by run ${code(name)} in ${many}, up to step ${formatCount(steps)}${total}.`;
}

const MAX_CHANGES = 4;

function changesText(changed: readonly string[]): readonly string[] {
  if (changed.length === 0) return [];
  const named = changed.slice(0, MAX_CHANGES).map(code).join(", ");
  const more = changed.length - MAX_CHANGES;
  const rest = more > 0 ? ` and ${formatQuantity(more, "other key")}` : "";
  return [`The run used different values for ${named}${rest}.`];
}

function ownOf<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
