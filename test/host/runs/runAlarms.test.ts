import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { alarmBegins } from "../../../src/core/alarms/alarmEvents.ts";
import type { AlarmNotice } from "../../../src/core/alarms/evaluateAlarms.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { appendMetrics } from "../../../src/core/runFolder/metrics/metrics.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { Emitter } from "../../../src/core/util/emitter.ts";
import { RunAlarms } from "../../../src/host/runs/runAlarms.ts";
import { RunFeeds } from "../../../src/server/runs/runFeed.ts";
import type { RunEntry, RunStore } from "../../../src/server/runs/runStore.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { aRun } from "../views/runEntries.ts";

const FOLDER = "/projects/.tinker-rl/runs/demo";
const CUT: AlarmNotice = {
  id: "truncated_turns",
  severity: "warning",
  seen: "Many.",
  meaning: "Bad.",
  edits: [{ path: ["max_response_tokens"], value: 96 }],
};

/** A store of one run whose entry a test replaces. */
function aStore(entry: RunEntry) {
  const changed = new Emitter<string | null>();
  const store = {
    runs: [entry],
    onDidChange: changed.event,
    become: (next: RunEntry) => {
      store.runs = [next];
      changed.fire(null);
    },
  };
  return store;
}

function setUp(isLive = true) {
  const fileSystem = createMemoryFileSystem();
  const own = aStore(aRun({ folder: FOLDER, isLive }));
  const store = own as unknown as RunStore; // what these two classes ask a store for
  const onError = (error: unknown): never => {
    throw error;
  };
  const alarms = new RunAlarms({
    store,
    onError,
    feeds: new RunFeeds({ store, fileSystem, onError }),
  });
  const changes: string[] = [];
  alarms.onDidChange((folder) => changes.push(folder));
  const events = createEventLog({
    fileSystem,
    clock: new FakeClock(),
    redactor: new Redactor(),
    folder: FOLDER,
    attempt: 1,
  });
  let step = 0;
  /** Writes a step after which the alarm fires or not. */
  const play = async (isFiring: boolean, begins = false): Promise<void> => {
    if (begins) await events.record(alarmBegins(step, CUT));
    const alarm = { truncated_turns: isFiring ? 1 : 0 };
    await appendMetrics(fileSystem, FOLDER, { step, alarm });
    step += 1;
    own.become(aRun({ folder: FOLDER, isLive, steps: step }));
    await vi.advanceTimersByTimeAsync(1_000);
  };
  return { alarms, changes, own, play };
}

describe("alarms of runs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("are known while a run is in progress, and reported when they change", async () => {
    const { alarms, changes, play } = setUp();
    await play(false);
    expect([alarms.of(FOLDER), changes]).toEqual([[], []]);
    await play(true, true);
    await play(true);
    expect(alarms.of(FOLDER)).toEqual([{ ...CUT, step: 1 }]);
    expect(changes).toEqual([FOLDER]);
    await play(false);
    expect([alarms.of(FOLDER), changes]).toEqual([[], [FOLDER, FOLDER]]);
  });

  it("stay known after its end", async () => {
    const { alarms, own, play } = setUp();
    await play(true, true);
    own.become(aRun({ folder: FOLDER, isLive: false, phase: "stopped" }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(alarms.of(FOLDER)).toHaveLength(1);
    expect(alarms.folders).toEqual([FOLDER]);
  });

  it("of a run that ended before are no one's concern", async () => {
    const { alarms, play } = setUp(false);
    await play(true, true);
    expect(alarms.folders).toEqual([]);
  });
});
