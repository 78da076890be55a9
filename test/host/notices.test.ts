import { beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../src/api/runs.ts";
import { Emitter } from "../../src/core/util/emitter.ts";
import { Notices } from "../../src/host/notices.ts";
import type { SweepEnded, TrainingEnded } from "../../src/host/runs/trainings.ts";
import { EXIT } from "../../src/shared/exitCodes.ts";
import { aTrainingRequest } from "../fakes/aTrainingRequest.ts";
import { FakeMemory } from "./fakeMemory.ts";
import { resetUser, user } from "./fakeWindow.ts";
import { aRun, aRunList } from "./runEntries.ts";

const editor = vi.hoisted(() => ({
  commands: [] as unknown[],
  /** Existing paths. */
  files: [] as string[],
}));
vi.mock("vscode", async () => {
  const { fakeVscode } = await import("./fakeVscode.ts");
  const stat = async ({ fsPath }: { readonly fsPath: string }) => {
    if (!editor.files.includes(fsPath)) throw new Error(`There is no ${fsPath}.`);
  };
  Object.assign(fakeVscode.workspace, { fs: { stat } });
  return {
    ...fakeVscode,
    commands: { executeCommand: async (...words: unknown[]) => editor.commands.push(words) },
    window: { ...(await import("./fakeWindow.ts")).fakeWindow, state: { focused: true } },
  };
});

const HOUR_MS = 3_600_000;

function notices(
  runs: readonly RunEntry[],
  memory = new FakeMemory(),
  ends?: Emitter<TrainingEnded>,
  sweepEnds?: Emitter<SweepEnded>,
): Notices {
  const none = (): { dispose(): void } => ({ dispose: () => undefined });
  const options = {
    store: aRunList(runs),
    labels: { isArchived: (folder: string) => folder.startsWith("/archived") },
    trainings: {
      onDidEnd: ends?.event ?? none,
      onDidEndSweep: sweepEnds?.event ?? none,
      onDidDetach: none,
    },
    alarms: { onDidChange: none },
    workspaceState: memory,
    dashboard: {
      isVisible: false,
      open: (...words: unknown[]) => editor.commands.push(words),
    },
    log: { error: (text: string) => user.texts.push(text) },
  };
  // Only the members that an offer needs.
  return new Notices(options as unknown as ConstructorParameters<typeof Notices>[0]);
}

const expiring = (changes: Partial<RunEntry> = {}): RunEntry =>
  aRun({
    phase: "stopped",
    isLive: false,
    name: "old",
    folder: "/runs/old",
    expiry: { atMs: Date.now() + 5 * HOUR_MS, repeats: null },
    ...changes,
  });

beforeEach(() => {
  Object.assign(editor, { commands: [], files: [] });
  resetUser();
});

it("reports the end of a sweep, and not that of its runs", async () => {
  const onError = (error: unknown): never => expect.unreachable(String(error));
  const ends = new Emitter<TrainingEnded>(onError);
  const sweepEnds = new Emitter<SweepEnded>(onError);
  notices([], new FakeMemory(), ends, sweepEnds);
  const sweep = { id: "s", name: "math-sweep", combination: 0, combinations: 2, settings: [] };
  const run = { exitCode: 0, error: null, folder: "/runs/b" };
  ends.fire({ ...run, request: aTrainingRequest("/p/c.yaml", { sweep }) });
  const end = { name: "math-sweep", isStaged: false, configPath: "/p/c.yaml", folder: "/runs/b" };
  sweepEnds.fire({ ...end, exitCode: EXIT.done });
  // Its runs are reported instead, or someone stopped it.
  sweepEnds.fire({ ...end, exitCode: EXIT.service });
  sweepEnds.fire({ ...end, exitCode: EXIT.stopped });
  sweepEnds.fire({ ...end, exitCode: EXIT.done, name: "math", isStaged: true });
  ends.fire({ ...run, folder: "/runs/z", request: aTrainingRequest("/p/c.yaml") });
  await vi.waitFor(() => expect(user.texts).toHaveLength(3));
  expect(user.texts).toEqual([
    "The sweep math-sweep is done.",
    "All stages of math are done.",
    "The run z is done.",
  ]);
});

it("reports that a queued training was not started, and starts it with one click", async () => {
  user.presses = ["Start Training"];
  notices([]).offerWaiting([
    { title: "train math.tinker.yaml", startsAgain: "/p/math.tinker.yaml" },
    { title: "resume old", startsAgain: null },
  ]);
  await vi.waitFor(() => expect(user.texts).toHaveLength(2));
  expect(user.texts).toEqual([
    "train math.tinker.yaml waited for another run and was not started.",
    "resume old waited for another run and was not started.",
  ]);
  expect(user.buttons).toEqual([["Start Training"], []]);
  expect(editor.commands).toEqual([["tinkerRL.startTraining", { fsPath: "/p/math.tinker.yaml" }]]);
});

describe("a run whose only state expires soon", () => {
  it("is reported once, and kept with one click", async () => {
    user.presses = ["Keep Last State"];
    const memory = new FakeMemory();
    notices([expiring()], memory).offerInterrupted();
    await vi.waitFor(() => expect(editor.commands).toHaveLength(1));
    expect(user.texts[0]).toMatch(
      /^The last state of old expires in (5 h 00|4 h 59) min\. After that, nothing is left/,
    );
    expect(editor.commands[0]).toEqual(["tinkerRL.keepLastState", { folder: "/runs/old" }]);
    const again = expiring({ folder: "/runs/other", name: "other" });
    notices([expiring(), again], memory).offerInterrupted();
    await vi.waitFor(() => expect(user.texts).toHaveLength(2));
    expect(user.texts[1]).toContain("other");
  });

  it("can be kept from the resume offer, and has no second notification", async () => {
    user.presses = ["Keep Last State"];
    notices([expiring({ phase: "interrupted" })]).offerInterrupted();
    await vi.waitFor(() => expect(editor.commands).toHaveLength(1));
    expect(user.buttons).toEqual([
      ["Resume", "Keep Last State", "Later", "Don't Offer for This Run"],
    ]);
    expect(editor.commands[0]).toEqual(["tinkerRL.keepLastState", { folder: "/runs/old" }]);
  });

  it.each([
    { expiry: { atMs: Date.now() + 50 * HOUR_MS, repeats: null } },
    { expiry: null },
    { isLive: true, phase: "running" as const },
    { phase: "done" as const },
    { folder: "/archived/old" },
  ])("reports no other run: %j", async (changes) => {
    notices([
      expiring(changes),
      expiring({ name: "last", folder: "/runs/last" }),
    ]).offerInterrupted();
    await vi.waitFor(() => expect(user.texts).toHaveLength(1));
    expect(user.texts[0]).toContain("last");
  });
});

it("offers no archived run, and the next one instead", async () => {
  const interrupted = { phase: "interrupted", isLive: false } as const;
  const archived = aRun({ ...interrupted, folder: "/archived/old", name: "old" });
  notices([archived, aRun({ ...interrupted, name: "last" })]).offerInterrupted();
  await vi.waitFor(() => expect(user.texts).toHaveLength(1));
  expect(user.texts[0]).toContain("The run last was interrupted");
});

it("says that a resume of an interrupted run without a save repeats all its steps", async () => {
  notices([aRun({ phase: "interrupted", isLive: false, repeats: null })]).offerInterrupted();
  await vi.waitFor(() => expect(user.texts).toHaveLength(1));
  expect(user.texts[0]).toContain("interrupted after step 12. A resume repeats 12 steps.");
});

describe("a training that ended badly", () => {
  const end = async (changes: Partial<TrainingEnded>): Promise<void> => {
    const ends = new Emitter<TrainingEnded>((error) => expect.unreachable(String(error)));
    notices([], new FakeMemory(), ends);
    const request = aTrainingRequest("/p/c.yaml", { title: "train c.yaml" });
    ends.fire({ exitCode: 1, error: null, folder: null, request, ...changes });
    await vi.waitFor(() => expect(user.texts).not.toEqual([]));
  };

  it("can be resumed while its folder is there", async () => {
    editor.files = ["/runs/demo/run.json"];
    await end({ folder: "/runs/demo" });
    expect(user.buttons).toEqual([["Resume", "Show Log"]]);
  });

  it("links to its rollouts when nothing was learned, which a resume would not change", async () => {
    editor.files = ["/runs/demo/run.json"];
    user.presses = ["Show Rollouts"];
    const error = { code: "empty-steps", message: "10 steps in a row gave nothing to train on." };
    await end({ folder: "/runs/demo", error });
    expect(user.buttons).toEqual([["Show Rollouts", "Open Configuration"]]);
    const target = { source: "training", step: 0, rollout: null };
    await vi.waitFor(() => expect(editor.commands).toEqual([["/runs/demo", { target }]]));
  });

  it.each([1, null])("is not offered again after its folder was deleted (%s)", async (exitCode) => {
    await end({ folder: "/runs/demo", exitCode });
    expect([user.texts, user.buttons]).toEqual([
      ["demo ended because its folder was deleted."],
      [[]],
    ]);
  });

  it("offers a new configuration when its configuration does not exist", async () => {
    user.presses = ["New Configuration…"];
    const message = "/p/c.yaml: error: the configuration file does not exist.";
    await end({ error: { code: "config-not-found", message } });
    await vi.waitFor(() => expect(editor.commands).toEqual([["tinkerRL.newConfig"]]));
    expect(user.texts).toEqual(["Not started: /p/c.yaml does not exist."]);
  });

  it("offers no new configuration for an evaluation, which would not have its weights", async () => {
    const request = aTrainingRequest("/p/c.yaml", { instead: { kind: "evaluate", models: [] } });
    await end({ error: { code: "config-not-found", message: "" }, request });
    expect([user.texts, user.buttons]).toEqual([["Not started: /p/c.yaml does not exist."], [[]]]);
  });

  it("reports a configuration that was renamed before it is opened", async () => {
    user.presses = ["Open Configuration"];
    await end({ error: { code: "network", message: "The service does not answer." } });
    await vi.waitFor(() => expect(user.texts).toHaveLength(2));
    expect(user.texts[1]).toBe("/p/c.yaml no longer exists.");
  });
});
