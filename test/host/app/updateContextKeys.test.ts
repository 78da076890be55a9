import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { Emitter } from "../../../src/core/util/emitter.ts";
import { updateContextKeys } from "../../../src/host/app/updateContextKeys.ts";
import { aCheckpointEntry, aRunFile } from "../../core/runFolder/builders.ts";
import { aRun } from "../runEntries.ts";

const keys = vi.hoisted(() => new Map<string, unknown>());
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  commands: {
    executeCommand: async (_: string, key: string, value: unknown) => keys.set(key, value),
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
  keys.clear();
});
afterEach(() => vi.useRealTimers());

const none = new Emitter<never>().event;

interface Disk {
  /** Folders of runs with checkpoints. */
  readonly saved?: readonly string[];
  /** The one whose checkpoints are at Tinker. */
  readonly hosted?: string;
  /** Receives the folders that are read. */
  readonly read?: string[];
}

/** The keys set for `runs`, of which the last one changes. */
async function holding(
  runs: readonly RunEntry[],
  { saved = [], hosted = "", read = [] }: Disk = {},
): Promise<readonly string[]> {
  const changed = new Emitter<string | null>();
  updateContextKeys({
    keys: { onDidChange: none },
    trainings: { onDidChange: none },
    alarms: { onDidChange: none, idsOf: ({ alarms }: RunEntry) => alarms },
    labels: { isArchived: (folder: string) => folder === "/archived" },
    store: { runs, onDidChange: changed.event },
    saved: {
      usable: async (folder: string) => {
        read.push(folder);
        return saved.includes(folder) ? [aCheckpointEntry()] : [];
      },
      isHosted: async (folder: string) => folder === hosted,
    },
    view: {},
  } as never); // only the members it reads
  await vi.advanceTimersByTimeAsync(1_000);
  changed.fire(runs.at(-1)?.folder ?? "/any");
  await vi.advanceTimersByTimeAsync(1_000);
  return [...keys].flatMap(([key, value]) =>
    value === true ? [key.replace("tinkerRL.", "")] : [],
  );
}

const ended = { isLive: false, phase: "done", steps: 200, file: aRunFile() } as const;

it("sets no keys in a window without runs", async () => {
  expect(await holding([])).toEqual([]);
});

it.each([
  [aRun(), "hasPausable"],
  [aRun({ phase: "paused" }), "hasPaused"],
  [aRun({ phase: "pausing" }), "hasPaused"],
  [aRun({ ...ended, phase: "stopped" }), "hasResumable"],
  [aRun({ ...ended, alarms: ["equal_rewards"] }), "hasAlarms"],
  [aRun({ ...ended, folder: "/archived" }), "hasArchived"],
  [aRun({ ...ended, expiry: { atMs: 1, repeats: null } }), "hasExpiring"],
] as const)("sets the key of an action that a run allows (%#)", async (run, key) => {
  expect(await holding([run])).toEqual([key]);
});

it("sets the checkpoints key when a run has some, and the hosted key when they are at Tinker", async () => {
  const runs = ["/a", "/b"].map((folder) => aRun({ ...ended, folder }));
  expect(await holding(runs, { saved: ["/b"] })).toEqual(["hasCheckpoints"]);
  keys.clear();
  const both = await holding(runs, { saved: ["/a", "/b"], hosted: "/b" });
  expect(both).toEqual(["hasCheckpoints", "hasHosted"]);
});

it("reads the disk for the run that changed, and for no other", async () => {
  const read: string[] = [];
  const runs = ["/a", "/b"].map((folder) => aRun({ ...ended, folder }));
  expect(await holding(runs, { saved: ["/a"], read })).toEqual(["hasCheckpoints"]);
  expect(read).toEqual(["/a", "/b", "/b"]);
});
