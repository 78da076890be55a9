/** Run-folder builders for tests: each takes only the fields that the test cares about. */

import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import type { StoredResult } from "../../../src/core/runFolder/evaluationLog.ts";
import type {
  RolloutFacts,
  StepFacts,
  TurnFacts,
} from "../../../src/core/runFolder/metrics/stepFacts.ts";
import type { RolloutSummary } from "../../../src/core/runFolder/reader.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { NO_RUN_USAGE, NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import type { RunFile } from "../../../src/shared/runFile.ts";

type RecordedTurn = RolloutRecord["turns"][number];
type RecordedResult = RecordedTurn["results"][number];

export function aRecord(changes: Partial<RolloutRecord> = {}): RolloutRecord {
  return {
    step: 0,
    group: 0,
    rollout: 0,
    taskKey: "local/calculator:train:3",
    environment: "local/calculator",
    split: "train",
    index: 3,
    attempt: 0,
    systemText: "You have tools.",
    promptText: "What is 2 + 3?",
    images: [],
    conversation: [],
    tools: [
      {
        name: "answer",
        description: "Gives the answer and ends the task.",
        parameters: '{"type":"object","properties":{"value":{"type":"integer"}}}',
      },
    ],
    turns: [aRecordedTurn()],
    rewards: [1],
    rewardBreakdown: {
      group: null,
      nonterminal: null,
      sum: 1,
      reduction: "sum",
      reduced: 1,
      clamped: 1,
    },
    reward: 1,
    stop: "reached_terminal_state",
    error: null,
    startedAtMs: 1_000,
    durationMs: 300,
    beginning: { queuedMs: 0, retriedMs: 0, waitedMs: 0, openedMs: 0 },
    ...changes,
  };
}

export function aRecordedTurn(changes: Partial<RecordedTurn> = {}): RecordedTurn {
  return {
    sampledText: '<tool_call>{"name":"answer","arguments":{"value":5}}</tool_call>',
    reasoning: null,
    content: "",
    lead: 0,
    calls: [{ name: "answer", args: '{"value":5}', raw: '{"name":"answer"}' }],
    errors: [],
    results: [aRecordedResult()],
    nudge: null,
    stopReason: "stop",
    isTruncated: false,
    startedAtMs: 1_000,
    durationMs: 250,
    samplingMs: 250,
    tokens: 12,
    stream: 0,
    ...changes,
  };
}

export function aRecordedResult(changes: Partial<RecordedResult> = {}): RecordedResult {
  return {
    name: "answer",
    text: "Richtig ✓",
    isError: false,
    reward: 1,
    finished: true,
    ...changes,
  };
}

export function aTurn(changes: Partial<TurnFacts> = {}): TurnFacts {
  return {
    sampledTokens: 10,
    thinkingTokens: 0,
    isTruncated: false,
    isParsed: true,
    hasUnclosedThink: false,
    isMissingLogprobs: false,
    ...changes,
  };
}

/** The record of an agent with requests of its own in two conversations, ending with an error. */
export function anAgentRecord(): RolloutRecord {
  return aRecord({
    systemText: null,
    conversation: [
      { type: "system_message", content: "Be brief." },
      { type: "user_message", content: "Add 2 to 3." },
    ],
    turns: [aRecordedTurn(), aRecordedTurn({ stream: 1, asked: "Was it right?" })],
    agent: {
      exit: "1",
      output: "TypeError: no sum",
      refusals: [{ message: "n must be 1.", count: 2 }],
      failure: "The agent of local/calculator ended with code 1.",
    },
    reward: null,
    stop: "agent_failed",
  });
}

export function rolloutFacts(changes: Partial<RolloutFacts> = {}): RolloutFacts {
  return {
    environment: "local/calculator",
    group: 0,
    reward: 1,
    isIncluded: true,
    isSent: true,
    successReward: 1,
    advantage: 0.5,
    stop: "reached_terminal_state",
    errorClass: null,
    attempts: 1,
    turns: [aTurn()],
    turnRewards: [1],
    tools: [],
    promptTokens: 20,
    observationTokens: 5,
    tokensLeft: 10_000,
    usage: { used: NO_TOKENS, discarded: NO_TOKENS },
    streamBreaks: 0,
    queueS: 0,
    sessionS: 0.1,
    samplingS: 1,
    ...changes,
  };
}

export function stepFacts(changes: Partial<StepFacts> = {}): StepFacts {
  return {
    step: 3,
    progress: {
      epoch: 0,
      cursor: 8,
      doneFraction: 0.25,
      etaS: 60,
      elapsedS: 20,
      optimizerUpdates: 3,
      attempt: 1,
    },
    environments: ["local/calculator"],
    hasFixedMix: false,
    learningRate: 1e-3,
    loss: -1.5,
    serverMetrics: {},
    substeps: 1,
    groups: [{ group: 0, excluded: null, isPartial: false }],
    rollouts: [],
    datums: [],
    masked: [],
    clip: null,
    times: { rolloutS: 10, prepareS: 0, trainS: 2, samplerS: 1, totalS: 13 },
    usage: { step: NO_TOKENS, total: NO_RUN_USAGE, prices: null },
    ...changes,
  };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** A stopped run. */
export function aRunFile(changes: Partial<RunFile> = {}): RunFile {
  return {
    schemaVersion: 1,
    runId: "r",
    name: "demo",
    pid: 1,
    host: "here",
    owner: "terminal",
    startedAtMs: 0,
    heartbeatAtMs: 0,
    generation: 0,
    attempt: 1,
    phase: "stopped",
    configPath: "/c.yaml",
    control: null,
    ...changes,
  };
}

/** The entry of a lasting save. */
export function aCheckpointEntry(changes: Partial<CheckpointEntry> = {}): CheckpointEntry {
  return {
    name: "checkpoint_000002",
    step: 2,
    epoch: 0,
    position: 8,
    kind: "periodic",
    state_path: "tinker://s:train:0/weights/a",
    sampler_path: null,
    expires_at: null,
    metrics: {},
    renderer: "r",
    created_at: "2026-01-01T00:00:00.000Z",
    ...changes,
  };
}

/** A rollout as in a step's index. */
export function aRolloutSummary(
  rollout: number,
  changes: Partial<RolloutSummary> = {},
): RolloutSummary {
  return {
    kind: "ended",
    source: "training",
    step: 0,
    group: 0,
    rollout,
    taskKey: "k",
    environment: "local/calculator",
    temperature: null,
    split: "train",
    index: 7,
    offset: 0,
    length: 1,
    attempt: 0,
    reward: 1,
    error: null,
    stop: "reached_terminal_state",
    turns: 2,
    tokens: 812,
    toolCalls: 2,
    failedToolCalls: 0,
    durationMs: 10,
    score: { advantage: 1.12, trainingUse: "trained" },
    tokenData: [],
    ...changes,
  } as RolloutSummary;
}

/** The result of a test split at temperature 0, as in the evaluation log. */
export function aStoredResult(changes: Partial<StoredResult> = {}): StoredResult {
  return {
    environment: "local/calculator",
    split: "test",
    temperature: 0,
    tasks: 1,
    rollouts: 1,
    rewardMean: 0.5,
    low: 0,
    high: 1,
    successFraction: 0,
    failed: 0,
    tokensMean: 9,
    turnsMean: 1,
    failureReward: 0,
    successReward: 1,
    passAtK: [],
    ...changes,
  };
}
