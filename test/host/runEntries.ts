/** Lists of runs and their entries, for tests. */

import type { RunEntry } from "../../src/api/runs.ts";
import { Emitter } from "../../src/core/util/emitter.ts";

export function aRun(changes: Partial<RunEntry> = {}): RunEntry {
  return {
    name: "demo",
    folder: "/projects/.tinker-rl/runs/demo",
    phase: "running",
    steps: 12,
    totalSteps: 200,
    reward: 0.634,
    used: null,
    fit: null,
    recentRewards: [0.1, 0.2, 0.2, 0.5, 0.6, 0.634],
    trend: {
      direction: "rising",
      since: 0,
      steps: 12,
      was: 0.1,
      now: 0.63,
      slope: 0.05,
      slopeError: 0.01,
    },
    heldOut: [],
    evaluated: [],
    alarms: [],
    pendingReports: { rollouts: 0, rows: 0, isSummaryMissing: false },
    startedAtMs: 1_000,
    repeats: 2,
    expiry: null,
    file: null,
    problem: null,
    status: null,
    best: null,
    isLive: true,
    ...changes,
  };
}

/** The window's list of these runs; `changed` reports a change. */
export function aRunList(runs: readonly RunEntry[]) {
  const changed = new Emitter<string | null>();
  return {
    runs,
    get: (folder: string) => runs.find((run) => run.folder === folder) ?? null,
    refresh: async () => undefined,
    send: async () => "",
    onDidChange: changed.event,
    changed,
  };
}
