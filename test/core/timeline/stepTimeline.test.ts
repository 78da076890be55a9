import { expect, test } from "vitest";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import type { StepPhases } from "../../../src/core/runFolder/rollouts/stepPhases.ts";
import { rolloutTimes } from "../../../src/core/timeline/rolloutSpans.ts";
import { stepTimeline, type TimelineFacts } from "../../../src/core/timeline/stepTimeline.ts";
import { packTimeline, type Timeline, unpackTimeline } from "../../../src/shared/timeline.ts";
import { aRecord, aRecordedTurn } from "../runFolder/builders.ts";

const BEGAN_MS = 1_000_000;

interface Played {
  readonly fromS: number;
  readonly queuedS?: number;
  readonly waitedS?: number;
  /** Seconds of sampling and of tools, turn by turn. */
  readonly turns: readonly (readonly [number, number])[];
  readonly environment?: string;
}

/** A rollout whose session opens in one second, with no time between turns. */
function played(
  rollout: number,
  { fromS, queuedS = 0, waitedS = 0, turns, environment }: Played,
): RolloutRecord {
  const startedAtMs = BEGAN_MS + 1000 * fromS;
  let atMs = startedAtMs + 1000 * (waitedS + 1);
  const recorded = turns.map(([sampling, tool]) => {
    const own = aRecordedTurn({
      startedAtMs: atMs,
      durationMs: 1000 * (sampling + tool),
      samplingMs: 1000 * sampling,
    });
    atMs += own.durationMs;
    return own;
  });
  return aRecord({
    ...(environment === undefined ? {} : { environment }),
    rollout,
    startedAtMs,
    durationMs: atMs - startedAtMs,
    turns: recorded,
    beginning: { queuedMs: 1000 * queuedS, retriedMs: 0, waitedMs: 1000 * waitedS, openedMs: 1000 },
  });
}

const PHASES: StepPhases = {
  startedAtMs: BEGAN_MS,
  takenMs: 20_000,
  pausedMs: 0,
  submittedMs: 20_500,
  trainedMs: 24_500,
  savedMs: 25_000,
  endedMs: 25_100,
};

function timelineOf(
  records: readonly RolloutRecord[],
  changes: Partial<TimelineFacts> = {},
): Timeline {
  return stepTimeline({
    source: "training",
    step: 3,
    rollouts: records.map(rolloutTimes),
    phases: PHASES,
    isOver: true,
    limits: { maxConcurrentRollouts: 2 },
    ...changes,
  });
}

function texts(timeline: Timeline): readonly string[] {
  return timeline.path.map(
    ({ kind, row, fromMs, toMs }) => `${row ?? "step"} ${kind} ${fromMs}-${toMs}`,
  );
}

test("a rollout's time is split into queue, wait, session, sampling, and tools", () => {
  const record = played(0, {
    fromS: 2,
    queuedS: 2,
    waitedS: 3,
    turns: [
      [4, 1],
      [2, 0],
    ],
  });
  expect(timelineOf([record]).rows[0]?.spans).toEqual([
    { kind: "queue", fromMs: 0, toMs: 2_000 },
    { kind: "place", fromMs: 2_000, toMs: 5_000 },
    { kind: "session", fromMs: 5_000, toMs: 6_000 },
    { kind: "sampling", fromMs: 6_000, toMs: 10_000 },
    { kind: "tool", fromMs: 10_000, toMs: 11_000 },
    { kind: "sampling", fromMs: 11_000, toMs: 13_000 },
  ]);
});

test("time in which an agent's program starts, runs, and ends counts as the agent's", () => {
  const record = played(0, { fromS: 0, turns: [[4, 1]] });
  const agent = { exit: "0", output: "", refusals: [] };
  const turns = record.turns.map((turn) => ({ ...turn, startedAtMs: turn.startedAtMs + 2_000 }));
  const spans = (changes: Partial<RolloutRecord>) =>
    timelineOf([{ ...record, durationMs: 9_000, agent, ...changes }]).rows[0]?.spans;
  expect(spans({ turns })).toEqual([
    { kind: "session", fromMs: 0, toMs: 1_000 },
    { kind: "agent", fromMs: 1_000, toMs: 3_000 },
    { kind: "sampling", fromMs: 3_000, toMs: 7_000 },
    { kind: "tool", fromMs: 7_000, toMs: 8_000 },
    { kind: "agent", fromMs: 8_000, toMs: 9_000 },
  ]);
  expect(spans({ turns: [] })).toEqual([
    { kind: "session", fromMs: 0, toMs: 1_000 },
    { kind: "agent", fromMs: 1_000, toMs: 9_000 },
  ]);
});

test("the critical path goes from the last rollout to the one whose slot it waited for", () => {
  const first = played(0, { fromS: 0, turns: [[4, 5]] });
  const short = played(1, { fromS: 0, turns: [[1, 1]] });
  const last = played(2, { fromS: 10, queuedS: 10, turns: [[9, 0]] });
  expect(texts(timelineOf([first, short, last]))).toEqual([
    "0 session 0-1000",
    "0 sampling 1000-5000",
    "0 tool 5000-10000",
    "2 session 10000-11000",
    "2 sampling 11000-20000",
    "step prepare 20000-20500",
    "step training 20500-24500",
    "step save 24500-25000",
    "step finish 25000-25100",
  ]);
});

test("a wait for a session leads only to a rollout of the same environment", () => {
  const other = played(0, { fromS: 0, turns: [[8.9, 0]] });
  const own = played(1, { fromS: 0, turns: [[8.8, 0]], environment: "local/depot" });
  const last = played(2, { fromS: 0, waitedS: 10, turns: [[9, 0]], environment: "local/depot" });
  expect(new Set(timelineOf([other, own, last]).path.map(({ row }) => row))).toEqual(
    new Set([1, 2, null]),
  );
});

test("rollouts whose waits for a session end at the same time release slots, but no sessions", () => {
  const unopened = [0, 1].map((rollout) => {
    const record = played(rollout, { fromS: 0, waitedS: 10, turns: [] });
    return { ...record, durationMs: 10_000, beginning: { ...record.beginning, openedMs: 0 } };
  });
  const last = played(2, { fromS: 10, queuedS: 10, turns: [[9, 0]] });
  expect(texts(timelineOf(unopened, { phases: null }))).toEqual(["0 place 0-10000"]);
  expect(texts(timelineOf([...unopened, last], { phases: null }))).toEqual([
    "0 place 0-10000",
    "2 session 10000-11000",
    "2 sampling 11000-20000",
  ]);
});

test("rollouts sampled ahead are on the path only from the start of their step", () => {
  const ahead = played(0, { fromS: -10, turns: [[19, 10]] });
  const timeline = timelineOf([ahead]);
  expect(timeline.fromMs).toBe(-10_000);
  expect(texts(timeline).slice(0, 3)).toEqual([
    "0 sampling 0-10000",
    "0 tool 10000-20000",
    "step prepare 20000-20500",
  ]);
});

test("if all rollouts had ended earlier, the path has only the update, and the timeline reports that", () => {
  const ahead = played(0, { fromS: -30, turns: [[9, 1]] });
  const timeline = timelineOf([ahead], { phases: { ...PHASES, takenMs: 0, submittedMs: 10 } });
  expect(timeline.path.map(({ kind }) => kind)).toEqual(["prepare", "training", "save", "finish"]);
  expect(timeline.stalls.map(({ kind }) => kind)).toContain("ready");
});

test("a step in progress has bars and waits, but no critical path", () => {
  const waits = played(0, { fromS: 5, queuedS: 5, turns: [[4, 1]] });
  const timeline = timelineOf([waits], { phases: null, isOver: false });
  expect(timeline.startedAtMs).toBe(BEGAN_MS);
  expect(timeline).toMatchObject({ path: [], phases: [] });
  expect(timeline.stalls).toMatchObject([
    { kind: "slots", rollouts: 1, of: 1, medianMs: 5_000, limit: 2 },
  ]);
});

test("stalls name the environment at capacity, the slowest rollout with its tools, and the tail", () => {
  const usual = Array.from({ length: 6 }, (_, i) =>
    played(i, {
      fromS: 0,
      turns: [
        [2, 1],
        [2, 0],
      ],
    }),
  );
  const waiting = [6, 7].map((i) =>
    played(i, { fromS: 0, waitedS: 4, turns: [[2, 1]], environment: "local/depot" }),
  );
  const slow = played(8, {
    fromS: 0,
    turns: [
      [1, 5],
      [1, 5],
      [1, 5],
      [1, 0],
    ],
  });
  const { stalls } = timelineOf([...usual, ...waiting, slow]);
  expect(stalls).toEqual([
    {
      kind: "slowest",
      row: 8,
      factor: 20 / 6,
      turns: 4,
      toolTurns: 3,
      usualTurns: 2,
      costMs: 14_000,
    },
    { kind: "tail", rollouts: 1, of: 9, costMs: 12_000 },
    {
      kind: "places",
      rollouts: 2,
      of: 2,
      medianMs: 4_000,
      environment: "local/depot",
      costMs: 4_000,
    },
  ]);
});

test("a step without waits and with equally long rollouts has no stall", () => {
  const even = Array.from({ length: 8 }, (_, i) => played(i, { fromS: 0, turns: [[19, 0]] }));
  expect(timelineOf(even).stalls).toEqual([]);
});

test("a timeline is restored as it was sent", () => {
  const timeline = timelineOf([
    played(0, { fromS: 0, turns: [[4, 5]] }),
    played(1, {
      fromS: -3,
      queuedS: 2,
      turns: [
        [1, 1],
        [3, 0],
      ],
    }),
  ]);
  expect(unpackTimeline(packTimeline(timeline, 0))).toMatchObject({ ...timeline });
});
