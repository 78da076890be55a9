/** Builds the metrics row of one step of supervised fine-tuning. */

import { gradientMetrics, progressMetrics, usageMetrics } from "./metrics.ts";
import {
  type MetricsRow,
  type MetricsTree,
  mergeMetrics,
  replaceNonFinite,
} from "./metricsTree.ts";
import type { StepFacts } from "./stepFacts.ts";

export interface SupervisedFacts
  extends Pick<StepFacts, "step" | "progress" | "learningRate" | "serverMetrics" | "usage"> {
  /** Mean over the trained tokens, in nats, before the update. */
  readonly loss: number | null;
  readonly examples: number;
  readonly datums: number;
  /** All tokens of the data, and those that are trained on. */
  readonly tokens: number;
  readonly trainedTokens: number;
  /** After the update; null if not measured. */
  readonly heldOut: {
    readonly loss: number | null;
    readonly examples: number;
    readonly tokens: number;
  } | null;
  readonly trainS: number;
  readonly totalS: number;
  readonly extra: MetricsTree;
}

/** Non-finite numbers become null plus `<name>_nonfinite`. */
export function buildSupervisedRow(facts: SupervisedFacts): MetricsRow {
  const { step, heldOut, trainS, totalS } = facts;
  const tree: MetricsTree = {
    step,
    lr: facts.learningRate,
    loss: facts.loss,
    num_examples: facts.examples,
    num_datums: facts.datums,
    tinker: Object.fromEntries(
      Object.entries(facts.serverMetrics).map(([name, value]) => [
        name.replaceAll(":", "/"),
        value,
      ]),
    ),
    progress: progressMetrics(facts),
    optim: { lr: facts.learningRate, ...gradientMetrics(facts) },
    train: { tokens: facts.tokens, action_tokens: facts.trainedTokens, substeps: 1 },
    time: { train_s: trainS, total_s: totalS },
    throughput: { trained_tok_s: trainS > 0 ? facts.tokens / trainS : null },
    ...usageMetrics(facts.usage),
  };
  const measured = heldOut === null ? {} : { held_out: { ...heldOut } };
  return { ...replaceNonFinite([measured, facts.extra].reduce(mergeMetrics, tree)), step };
}
