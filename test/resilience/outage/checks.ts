/** What a disturbed run must share with an undisturbed one, and what its services must have received. */

import { isDeepStrictEqual } from "node:util";
import {
  flattenMetrics,
  type MetricsRow,
} from "../../../src/core/runFolder/metrics/metricsTree.ts";
import { isMetricsRow } from "../../../src/core/runFolder/reader.ts";
import { FAULT_KINDS, type FaultLedger } from "./faultPlan.ts";
import type { Outcome } from "./outcome.ts";
import type { ScenarioResult } from "./scenario.ts";
import type { Stage } from "./stage.ts";

export interface Check {
  readonly what: string;
  readonly counts: string;
  readonly isGood: boolean;
}

/** What its services recorded. */
type Notes = Pick<Stage, "training" | "uploads" | "wandb">;

export interface Played {
  readonly outcome: Outcome;
  readonly stage: Notes;
}

export interface Reported {
  readonly outcome: Outcome;
  readonly stage: Pick<Notes, "uploads" | "wandb">;
}

const SHOWN = 3;

function check(what: string, isGood: boolean, counts: string): Check {
  return { what, counts, isGood };
}

/** A check that lists its findings. */
function none(what: string, wrong: readonly string[], counts: string): Check {
  const shown = wrong.slice(0, SHOWN).join(", ");
  return check(what, wrong.length === 0, wrong.length === 0 ? counts : `${counts}; ${shown}`);
}

export function runChecks(whole: Played, disturbed: Played, steps: number): readonly Check[] {
  return [
    ...resultChecks(whole.outcome, disturbed, steps),
    ...requestChecks(whole.stage, disturbed.stage),
  ];
}

/** Checks the training data, and what the services received that a run is reported to. */
export function resultChecks(whole: Outcome, disturbed: Reported, steps: number): readonly Check[] {
  return [
    ...trainedChecks(whole, disturbed.outcome, steps),
    ...wandbChecks(disturbed, steps),
    ...uploadChecks(disturbed),
  ];
}

function trainedChecks(whole: Outcome, disturbed: Outcome, steps: number): readonly Check[] {
  const numbers = disturbed.rows.filter(isMetricsRow).map(({ step }) => step);
  const once = Array.from({ length: steps }, (_, step) => step);
  const bodies = disturbed.rollouts.reduce((sum, each) => sum + each.length, 0);
  return [
    check(
      "metrics: every step once, in order",
      isDeepStrictEqual(numbers, once),
      `${numbers.length} rows`,
    ),
    compared("metrics: the numbers of every row", whole.comparable, disturbed.comparable),
    compared("tokens, log-probs and advantages", whole.tokens, disturbed.tokens),
    compared(`rollouts: what was said and earned (${bodies})`, whole.rollouts, disturbed.rollouts),
    compared("weights: state and sampler at the end", whole.weights, disturbed.weights),
  ];
}

/** Describes the first entry that differs. */
function compared(what: string, whole: readonly unknown[], disturbed: readonly unknown[]): Check {
  const wrong = whole.flatMap((entry, i) =>
    isDeepStrictEqual(entry, disturbed[i])
      ? []
      : [`entry ${i}: ${difference(entry, disturbed[i])}`],
  );
  if (disturbed.length !== whole.length) wrong.push(`${disturbed.length} entries`);
  return none(what, wrong, `${whole.length - wrong.length} of ${whole.length} equal`);
}

/** The position at which two values differ. */
function difference(a: unknown, b: unknown): string {
  const [left, right] = [JSON.stringify(a) ?? "nothing", JSON.stringify(b) ?? "nothing"];
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  const from = Math.max(0, at - 60);
  return `…${left.slice(from, at + 40)} is …${right.slice(from, at + 40)}`;
}

function requestChecks({ training: whole }: Notes, { training }: Notes): readonly Check[] {
  return [
    none(
      "training requests: a resend has the same bytes",
      training.changed,
      `${training.count} requests, ${training.resends} resends`,
    ),
    none(
      "training requests: each ran once",
      training.notOnce,
      `${training.count - training.notOnce.length} of ${training.count}`,
    ),
    ...["forward_backward", "optim_step"].map((operation) => {
      const [all, own] = [whole.contents(operation), training.contents(operation)];
      const same = isDeepStrictEqual(all, own);
      return check(`${operation}: asked for the same`, same, `${all.length} and ${own.length}`);
    }),
  ];
}

function wandbChecks({ outcome, stage }: Reported, steps: number): readonly Check[] {
  const { wandb } = stage;
  const reported = wandb.rows();
  const numbers = reported.map((row) => Number(row["step"]));
  const wrong = outcome.comparable.filter((row, i) => !holds(reported[i], row));
  return [
    check(
      "W&B: every row once, in order",
      isDeepStrictEqual(
        numbers,
        outcome.rows.map(({ step }) => step),
      ) && outcome.rows.filter(isMetricsRow).length === steps,
      `${numbers.length} rows`,
    ),
    none(
      "W&B: the numbers of every row",
      wrong.map(({ step }) => `step ${step}`),
      `${steps - wrong.length} of ${steps}`,
    ),
    none("W&B: nothing that no client may do", wandb.violations, `${wandb.violations.length}`),
    check(
      "W&B: knows that the run is complete",
      wandb.run.exitCode === 0,
      `exit code ${wandb.run.exitCode}`,
    ),
  ];
}

/** True if the sent row has every number of the written row. */
function holds(reported: Readonly<Record<string, unknown>> | undefined, row: MetricsRow): boolean {
  if (reported === undefined) return false;
  return Object.entries(flattenMetrics(row)).every(
    ([name, value]) => value === null || isDeepStrictEqual(reported[name], value),
  );
}

function uploadChecks({ outcome, stage }: Reported): readonly Check[] {
  const { uploads } = stage;
  const rollouts = outcome.rollouts.reduce((sum, each) => sum + each.length, 0);
  const count = (type: string): number =>
    uploads.events.filter(({ eventType }) => eventType === type).length;
  const names = uploads.events.flatMap((event) =>
    event.eventType === "rollout" ? [String(event["rolloutName"])] : [],
  );
  const distinct = uploads.events.length;
  return [
    check(
      "uploads: every rollout once",
      names.length === rollouts && new Set(names).size === rollouts,
      `${names.length} of ${rollouts}`,
    ),
    check(
      "uploads: every rollout to its end",
      count("rollout_update") === rollouts,
      `${count("rollout_update")} of ${rollouts}`,
    ),
    none("uploads: every message once", gaps(stage), `${count("message")} messages`),
    none(
      "uploads: a repeat has the same bytes",
      uploads.changed,
      `${distinct} distinct events, ${uploads.deliveries} deliveries`,
    ),
  ];
}

/** Rollouts whose messages do not count from 0 without a gap. */
function gaps({ uploads }: Pick<Notes, "uploads">): readonly string[] {
  const indices = new Map<string, number[]>();
  for (const { rolloutEventId, index } of uploads.events) {
    if (rolloutEventId === undefined || index === undefined) continue;
    indices.set(rolloutEventId, [...(indices.get(rolloutEventId) ?? []), index]);
  }
  const isWhole = (own: readonly number[]): boolean =>
    own.toSorted((a, b) => a - b).every((index, at) => index === at);
  return [...indices].filter(([, own]) => !isWhole(own)).map(([id]) => id);
}

export function faultChecks(ledger: FaultLedger): readonly Check[] {
  return [
    check("faults in all", ledger.total >= ledger.limit, `${ledger.total}`),
    ...FAULT_KINDS.map((kind) => {
      const count = ledger.count(kind);
      return check(`faults: ${kind}`, count > 0, `${count}`);
    }),
  ];
}

export function outageChecks({ proxies }: Stage): readonly Check[] {
  return Object.entries(proxies).map(([name, { refusals }]) =>
    check(`outage of ${name}: the run met it`, refusals > 0, `${refusals} broken connections`),
  );
}

/** The file, its problem, and what to do. */
export function diskChecks({ diskErrors }: ScenarioResult, folder: string): readonly Check[] {
  const isClear = (text: string): boolean =>
    text.includes(folder) && /disk is full: free some space.*resume/i.test(text);
  return diskErrors.map((text) =>
    check("full disk: reported with file and next step", isClear(text), text),
  );
}
