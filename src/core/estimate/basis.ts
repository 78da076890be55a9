/** Reads the steps of a run or dry run as the basis for the estimate of a planned run. */

import { groupBy } from "../../shared/groupBy.ts";
import type { Config } from "../config/fields/schema.ts";
import { learnsWithoutAdvantage } from "../config/rules/lossDefaults.ts";
import { trainsOnEqualRewards } from "../config/rules/updateCost.ts";
import { AppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { flattenMetrics, type MetricsRow } from "../runFolder/metrics/metricsTree.ts";
import { areEqualRewards } from "../runFolder/metrics/outcomes.ts";
import { createRunReader, type RolloutSummary } from "../runFolder/reader.ts";
import { type UsageEntry, usageEntries } from "../runFolder/usageLog.ts";
import { NO_TOKENS, type TokenUsage } from "../usage/tokenUsage.ts";

export interface MeasuredRollout {
  /** Tokens of its requests. */
  readonly tokens: TokenUsage;
  /** Tokens of its training data; 0 if it cannot be trained on, whatever the rewards of its group are. */
  readonly data: number;
  readonly isTrained: boolean;
  /** Null if it has no reward. */
  readonly reward: number | null;
}

export interface PlayedGroup {
  readonly environment: string;
  /** Share of its rollouts that resulted in training data. */
  readonly trainedFraction: number;
  /** The same, including rollouts that `off_policy_correction` removed completely after their forward pass. */
  readonly passedFraction: number;
  readonly rollouts: readonly MeasuredRollout[];
}

/** A rollout of an evaluation. */
export interface EvaluatedTokens {
  readonly environment: string;
  readonly temperature: number;
  readonly tokens: TokenUsage;
}

/** Seconds. */
export interface StepTime {
  readonly rollouts: number;
  readonly rolloutS: number;
  readonly trainS: number;
  readonly totalS: number;
}

export interface PlayedSteps {
  readonly groups: readonly PlayedGroup[];
  readonly evaluated: readonly EvaluatedTokens[];
  readonly times: readonly StepTime[];
  readonly serverCheck: TokenUsage;
}

export interface Basis extends PlayedSteps {
  /** True if the data had forward passes but no gradients, as in a dry run. */
  readonly isForwardOnly: boolean;
}

/** Training use of a rollout that `off_policy_correction` removed completely. */
const MASKED = "excluded:off_policy_correction";
/** Training use of a rollout in a group with equal rewards. */
const EQUAL = "excluded:zero_variance";
/** Training uses of rollouts that are not trained on, whatever the rewards of their group are. */
const UNTRAINABLE = new Set(["excluded:failed", "excluded:masked", "excluded:overlong"]);
/** From a long run, this many steps are read, evenly spread, because answers change while a model learns. */
const MAX_STEPS = 40;

/**
 * `config` is the planned run's configuration. It determines which rollouts would be trained on.
 * @throws AppError `estimate-without-basis` when no rollout in the folder has recorded tokens; `file-unreadable`
 */
export async function readBasis(
  fileSystem: FolderFiles,
  folder: string,
  config: Config,
): Promise<PlayedSteps> {
  const reader = createRunReader(fileSystem, folder);
  const rows = await reader.metrics();
  const chosen = spread(rows, MAX_STEPS);
  const rollouts = await Promise.all(chosen.map(({ step }) => reader.rollouts(step)));
  const used = await readEntries(fileSystem, folder);
  const groups = rollouts.flatMap((step) => playedGroups(step, used.rollouts, config));
  if (groups.length === 0) {
    const failed = rollouts.flat().find(({ error }) => error !== null);
    throw new AppError(
      "estimate-without-basis",
      failed === undefined
        ? `${folder} has no rollouts with tokens to estimate from. Choose a run with a completed step, or sample groups with --groups 2.`
        : `There is nothing to estimate from: no rollout in ${folder} has tokens. The first failed: ${failed.error}`,
    );
  }
  const times = chosen.map((row, i) => stepTime(row, rollouts[i]?.length ?? 0, config));
  return { groups, evaluated: used.evaluated, times, serverCheck: used.serverCheck };
}

/** At most `count` items, evenly spaced. */
export function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  const every = Math.ceil(items.length / count);
  return items.filter((_, i) => i % every === 0);
}

type RolloutEntry = Extract<UsageEntry, { for: "rollout" }>;

async function readEntries(fileSystem: FolderFiles, folder: string) {
  // For a rollout that was played more than once, the last entry counts.
  const rollouts = new Map<string, RolloutEntry>();
  const evaluated: EvaluatedTokens[] = [];
  let serverCheck = NO_TOKENS;
  for await (const entry of usageEntries(fileSystem, folder)) {
    if (entry.for === "rollout") rollouts.set(`${entry.position}/${entry.rollout}`, entry);
    if (entry.for === "evaluation") {
      const { environment, temperature, tokens } = entry;
      if (environment === undefined || temperature === undefined) continue;
      evaluated.push({ environment, temperature, tokens });
    }
    // Only one attempt counts, because a resume checks again.
    if (entry.for === "server_check" && entry.step === 0) serverCheck = entry.tokens;
  }
  return { rollouts, evaluated, serverCheck };
}

function playedGroups(
  step: readonly RolloutSummary[],
  used: ReadonlyMap<string, RolloutEntry>,
  config: Config,
): readonly PlayedGroup[] {
  return [...groupBy(step, ({ group }) => group).values()].flatMap((members) => {
    const environment = members[0]?.environment ?? "";
    const isMixed = !areEqualRewards(members.flatMap(({ reward }) => reward ?? []));
    const membersOf = (uses: readonly string[]): ReadonlySet<RolloutSummary> =>
      new Set(members.filter((member) => isTrained(member, { uses, isMixed, config })));
    const passed = membersOf(["trained", MASKED]);
    // Without a correction, rollouts that the past run's correction removed are trained on.
    const isCorrected = config.off_policy_correction !== "none";
    const trained = isCorrected ? membersOf(["trained"]) : passed;
    const rollouts = members.flatMap((member) => {
      const { taskKey, rollout, reward, score } = member;
      const position = taskKey.slice(taskKey.lastIndexOf("#") + 1);
      const entry = used.get(`${position}/${rollout}`);
      if (entry === undefined) return [];
      const data = UNTRAINABLE.has(score?.trainingUse ?? "") ? 0 : (entry.data ?? 0);
      return [{ tokens: entry.tokens, data, isTrained: trained.has(member), reward }];
    });
    if (rollouts.length === 0) return [];
    const trainedFraction = trained.size / members.length;
    const passedFraction = passed.size / members.length;
    return [{ environment, trainedFraction, passedFraction, rollouts }];
  });
}

interface Training {
  /** Training uses in the past run that count as trained. */
  readonly uses: readonly string[];
  readonly isMixed: boolean;
  readonly config: Config;
}

/** Groups with equal rewards and advantages of 0 are judged by the planned run's settings, not by those of the past run. */
function isTrained(
  { reward, score }: RolloutSummary,
  { uses, isMixed, config }: Training,
): boolean {
  const isIncluded = score !== null && uses.includes(score.trainingUse);
  if (isMixed) return isIncluded && (score.advantage !== 0 || learnsWithoutAdvantage(config));
  const isEqual = isIncluded || score?.trainingUse === EQUAL;
  return isEqual && reward !== null && trainsOnEqualRewards(config, reward);
}

/** Times of a step, with the number of passes of the planned run. */
function stepTime(
  row: MetricsRow,
  rollouts: number,
  { num_passes: passes }: Pick<Config, "num_passes">,
): StepTime {
  const flat = flattenMetrics(row);
  const seconds = (name: string): number => Number(flat[`time/${name}`] ?? 0);
  // Older rows have no time before the update. Their update time includes the sampler.
  const samplerS = flat["time/prepare_s"] === undefined ? 0 : seconds("sampler_s");
  const trainS = (seconds("train_s") * passes) / Number(flat["optim/num_passes"] ?? 1);
  return {
    rollouts,
    rolloutS: seconds("rollout_s"),
    trainS: trainS + samplerS,
    totalS: seconds("total_s") + trainS - seconds("train_s"),
  };
}
