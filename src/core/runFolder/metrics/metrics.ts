/** Builds the metrics row of one step. */

import { groupBy } from "../../../shared/groupBy.ts";
import { sum } from "../../../shared/mean.ts";
import { withoutUndefined } from "../../../shared/withoutUndefined.ts";
import type { FolderFiles } from "../../ports.ts";
import { gradientNorm } from "../../tinker/wire/metricNames.ts";
import { costOf } from "../../usage/prices.ts";
import { encodeJsonLine } from "../../util/jsonl.ts";
import { fraction, mean } from "../../util/stats.ts";
import { runPaths } from "../files/layout.ts";
import { type DatumTokens, divergenceMetrics } from "./divergence.ts";
import { countEach, groupMetrics } from "./groupMetrics.ts";
import {
  type MetricsRow,
  type MetricsTree,
  mergeMetrics,
  replaceNonFinite,
} from "./metricsTree.ts";
import {
  behaviorMetrics,
  environmentMetrics,
  responseTokens,
  rewardMetrics,
  stats,
} from "./rolloutMetrics.ts";
import type { RolloutFacts, StepFacts } from "./stepFacts.ts";

/** The stop reasons that `num_errors` counts. */
const ERROR_STOPS: ReadonlySet<string> = new Set(["error", "max_retries"]);

/**
 * The row of a step, trained or skipped. `rollout/*` covers all rollouts of the step, `rollout_included/*` the compared ones;
 * `num_groups` counts groups that were compared, `num_rollouts` rollouts that were sent. Non-finite numbers become null plus
 * `<name>_nonfinite`.
 */
export function buildMetricsRow(facts: StepFacts): MetricsRow {
  const { step, rollouts } = facts;
  const included = rollouts.filter(({ isIncluded }) => isIncluded);
  const tree: MetricsTree = {
    ...headline(facts),
    tinker: Object.fromEntries(
      Object.entries(facts.serverMetrics).map(([name, value]) => [
        name.replaceAll(":", "/"),
        value,
      ]),
    ),
    progress: progressMetrics(facts),
    group: groupMetrics(facts.groups, rollouts),
    rollout: {
      ...environmentMetrics(rollouts, facts),
      ...behaviorMetrics(rollouts),
      env: byEnvironment(facts),
    },
    rollout_included: rewardMetrics(included, facts),
    errors: errorMetrics(rollouts),
    advantage: advantageMetrics(included),
    optim: {
      lr: facts.learningRate,
      ...gradientMetrics(facts),
      ...divergenceMetrics(facts.datums, facts.masked, facts.clip),
    },
    train: trainMetrics(facts),
    ...times(facts),
    ...usageMetrics(facts.usage),
  };
  return { ...replaceNonFinite(mergeMetrics(tree, facts.extra ?? {})), step };
}

/** @throws AppError `disk` */
export async function appendMetrics(
  fileSystem: FolderFiles,
  folder: string,
  row: MetricsRow,
): Promise<void> {
  await fileSystem.append(runPaths(folder).metrics, encodeJsonLine(row));
}

function headline(facts: StepFacts): MetricsTree {
  const stops = facts.rollouts.map(({ stop }) => stop);
  const excluded = facts.groups.filter((group) => group.excluded !== null).length;
  return withoutUndefined({
    step: facts.step,
    skipped: facts.substeps === 0 ? true : undefined,
    lr: facts.learningRate,
    loss: facts.loss,
    num_groups: trainedGroups(facts),
    num_excluded_groups: excluded,
    num_rollouts: facts.rollouts.filter(({ isSent }) => isSent).length,
    num_datums: facts.datums.length,
    num_timed_out: stops.filter((stop) => stop === "rollout_timeout").length,
    num_errors: stops.filter((stop) => ERROR_STOPS.has(stop)).length,
  });
}

/** The number of groups that the update compared; 0 if nothing was trained. */
export function trainedGroups({
  groups,
  substeps,
}: Pick<StepFacts, "groups" | "substeps">): number {
  return substeps === 0 ? 0 : groups.filter(({ excluded }) => excluded === null).length;
}

/** Uses one name, whatever the service calls it. */
export function gradientMetrics({ serverMetrics }: Pick<StepFacts, "serverMetrics">): MetricsTree {
  const norm = gradientNorm(serverMetrics);
  return norm === null ? {} : { grad_norm: norm };
}

export function progressMetrics({ progress: done }: Pick<StepFacts, "progress">): MetricsTree {
  return {
    epoch: done.epoch,
    cursor: done.cursor,
    done_frac: done.doneFraction,
    eta_s: done.etaS,
    elapsed_s: done.elapsedS,
    optim_updates: done.optimizerUpdates,
    attempt: done.attempt,
  };
}

function byEnvironment({ environments, rollouts }: StepFacts): MetricsTree {
  const nameOf = metricNames(environments);
  return Object.fromEntries(
    [...groupBy(rollouts, ({ environment }) => environment)].map(([environment, own]) => [
      nameOf.get(environment) ?? environment,
      environmentMetrics(own, { hasFixedMix: false }),
    ]),
  );
}

/** Short names: the part after the last `/` if it is unique among the run's environments, else the full name. */
export function metricNames(environments: readonly string[]): ReadonlyMap<string, string> {
  const shortName = (name: string): string => name.slice(name.lastIndexOf("/") + 1);
  const shared = groupBy(new Set(environments), shortName);
  return new Map(
    environments.map((name) => {
      const short = shortName(name);
      return [name, shared.get(short)?.length === 1 ? short : name];
    }),
  );
}

function errorMetrics(rollouts: readonly RolloutFacts[]): MetricsTree {
  const classes = rollouts.flatMap(({ errorClass }) => (errorClass === null ? [] : [errorClass]));
  return { ...countEach(classes), total: classes.length };
}

function advantageMetrics(included: readonly RolloutFacts[]): MetricsTree {
  const advantages = included.flatMap(({ advantage }) => (advantage === null ? [] : [advantage]));
  return { ...stats(advantages), abs_mean: mean(advantages.map(Math.abs)) };
}

function trainMetrics({ datums, substeps }: StepFacts): MetricsTree {
  let actionTokens = 0;
  let idleTokens = 0;
  for (const { advantages, mask } of datums) {
    for (let token = 0; token < mask.length; token += 1) {
      if (mask[token] !== 1) continue;
      actionTokens += 1;
      if (advantages[token] === 0) idleTokens += 1;
    }
  }
  return {
    tokens: trainedTokens(datums),
    action_tokens: actionTokens,
    zero_advantage_frac: fraction(idleTokens, actionTokens),
    substeps,
  };
}

function trainedTokens(datums: readonly DatumTokens[]): number {
  return sum(datums.map(({ mask }) => mask.length));
}

function times({ rollouts, times: taken }: StepFacts): MetricsTree {
  const sampled = sum(rollouts.map(responseTokens));
  return {
    time: {
      rollout_s: taken.rolloutS,
      prepare_s: taken.prepareS,
      train_s: taken.trainS,
      sampler_s: taken.samplerS,
      total_s: taken.totalS,
      queue_s: mean(rollouts.map(({ queueS }) => queueS)),
      session_s: mean(rollouts.map(({ sessionS }) => sessionS)),
      sampling_s: stats(rollouts.map(({ samplingS }) => samplingS)),
      tool_s: stats(rollouts.map(({ tools }) => sum(tools.map(({ durationS }) => durationS)))),
    },
    throughput: { sampled_tok_s: fraction(sampled, taken.rolloutS) },
  };
}

/** Uses tinker-cookbook's names; `cost/…` only if prices are known. */
export function usageMetrics({ step, total, prices }: StepFacts["usage"]): MetricsTree {
  const { cumulative, discarded, evaluation } = total;
  const tokens = { ...step, cumulative, discarded, evaluation };
  if (prices === null) return { tokens };
  const cost = {
    step_usd: costOf(step, prices),
    cumulative_usd: costOf(cumulative, prices),
    discarded_usd: costOf(discarded, prices),
    evaluation_usd: costOf(evaluation, prices),
  };
  return { tokens, cost };
}
