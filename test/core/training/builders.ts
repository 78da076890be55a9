/** Builders of configurations, ledgers, and rollouts for tests: each takes only the fields that the test cares about. */

import type {
  Config,
  EnvironmentConfig,
  EvaluationConfig,
} from "../../../src/core/config/fields/schema.ts";
import {
  Ledger,
  type LedgerView,
  TOKEN_SOURCES,
  type TokenSource,
} from "../../../src/core/rollout/ledger.ts";
import type { FinishedRollout, RolloutTask } from "../../../src/core/rollout/rollout.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import type { RolloutFacts } from "../../../src/core/runFolder/metrics/stepFacts.ts";
import { buildDatum, type TrainingDatum } from "../../../src/core/training/update/datums.ts";
import type { TrainingBatch } from "../../../src/core/training/update/groups.ts";
import type { CountedRollout } from "../../../src/core/training/update/lossNormalization.ts";
import { configIn, textWith } from "../config/configText.ts";
import { aRecord, aRecordedTurn, rolloutFacts } from "../runFolder/builders.ts";

/** The environment that every builder uses. */
export const ENVIRONMENT = "Owner/Game";

/** Groups of 4 in batches of 4, with the server check off and everything else at its default. */
export function aConfig(changes: Partial<Config> = {}): Config {
  return { ...configIn(textWith()), probe_server: false, ...changes };
}

export function anEnvironment(changes: Partial<EnvironmentConfig> = {}): EnvironmentConfig {
  const environment = aConfig().environments[ENVIRONMENT];
  if (environment === undefined) throw new Error(`the minimal configuration has ${ENVIRONMENT}`);
  return { ...environment, ...changes };
}

export function someSettings(changes: Partial<RolloutSettings> = {}): RolloutSettings {
  return {
    systemPromptTemplate: null,
    temperature: 1,
    topP: 1,
    topK: -1,
    maxResponseTokens: 100,
    maxTotalTokens: 4_000,
    maxTurns: 50,
    maxToolCalls: null,
    maxSampledTokens: null,
    maxConsecutiveParseErrors: 3,
    maxNoToolTurns: 3,
    onTurnTruncation: "continue",
    onImage: "error",
    maxRetries: 3,
    rolloutTimeoutMs: 300_000,
    toolTimeoutMs: null,
    onToolTimeout: "answer",
    parallelToolCalls: false,
    recomputesLogprobs: true,
    recordsStability: false,
    samplingTimeoutMs: 600_000,
    sessionTimeoutMs: 120_000,
    groupScoring: true,
    rewards: anEnvironment(),
    teacher: null,
    secrets: {},
    ...changes,
  };
}

export function aTask(changes: Partial<RolloutTask> = {}): RolloutTask {
  return {
    step: 0,
    group: 0,
    rollout: 0,
    taskKey: `${ENVIRONMENT}:train:3#0`,
    environment: ENVIRONMENT,
    split: "train",
    index: 3,
    ...changes,
  };
}

export interface PlayedRolloutOptions extends Partial<RolloutTask> {
  /** Null means that the rollout failed. */
  readonly reward: number | null;
  /** Tokens sampled in each turn. */
  readonly turnTokens?: readonly number[];
  /** What metrics take of it. */
  readonly facts?: Partial<RolloutFacts>;
}

export function aRollout({
  reward,
  turnTokens = [3],
  facts,
  ...place
}: PlayedRolloutOptions): FinishedRollout {
  const task = aTask(place);
  const turns = turnTokens.map((tokens) => aRecordedTurn({ tokens }));
  const { group, environment } = task;
  return {
    record: aRecord({ ...task, reward, turns }),
    streams: reward === null ? [] : [aLedger()],
    images: [],
    stack: null,
    scoredFrom: null,
    facts: rolloutFacts({ environment, group, reward, ...facts }),
  };
}

/** A group of rollouts with these rewards; null makes a failed rollout. */
export function aGroup(
  rewards: readonly (number | null)[],
  place: Partial<RolloutTask> = {},
): readonly FinishedRollout[] {
  return rewards.map((reward, rollout) => aRollout({ ...place, rollout, reward }));
}

/** Prompt 1, 2, 3, then one turn of `sampled` tokens, each with log-probability -0.5. */
export function aLedger(sampled: readonly number[] = [4, 5, 6]): Ledger {
  const ledger = new Ledger([1, 2, 3]);
  ledger.addTurn(
    sampled,
    sampled.map(() => -0.5),
  );
  return ledger;
}

/** The source of each token, by name. */
export function sourcesOf({ sources }: LedgerView): readonly (TokenSource | undefined)[] {
  return Array.from(sources, (source) => TOKEN_SOURCES[source]);
}

export interface DatumOptions {
  readonly group?: number;
  readonly rollout?: number;
  readonly stream?: number;
  readonly advantage?: number;
  readonly ledger?: Ledger;
}

export function aDatum(options: DatumOptions = {}): TrainingDatum {
  const { group = 0, rollout = 0, stream = 0, advantage = 1, ledger = aLedger() } = options;
  const datum = buildDatum({ group, rollout, stream, ledger }, [advantage]);
  if (datum === null) throw new Error("nothing in this ledger is trained");
  return datum;
}

/** A datum with `tokens` input tokens; the last one predicts the single sampled token. */
export function aDatumOfLength(tokens: number, group: number, rollout = 0): TrainingDatum {
  const ledger = new Ledger(Array.from({ length: tokens }, (_, i) => i));
  ledger.addTurn([9], [-0.5]);
  return aDatum({ group, rollout, ledger });
}

/** A batch for one update that trains on exactly these datums. */
export function aBatch(data: readonly TrainingDatum[]): TrainingBatch {
  return { data, counted: data.map(asCounted) };
}

/** The rollout of a datum, as loss normalization counts it. */
function asCounted({ group, rollout, mask }: TrainingDatum): CountedRollout {
  return { group, rollout, tokens: mask.reduce((sum, trained) => sum + trained, 0) };
}

/** An evaluation of two tasks at every step. */
export function anEvaluation(changes: Partial<EvaluationConfig> = {}): EvaluationConfig {
  return {
    splits: { [ENVIRONMENT]: ["test"] },
    at_start: false,
    at_end: false,
    every: 1,
    num_samples: 2,
    rollouts_per_task: 1,
    seed: 0,
    failure_reward: null,
    temperatures: [1],
    ...changes,
  };
}
