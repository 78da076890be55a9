import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { RUN_REQUESTS, type RunListReport, type RunReport } from "../../src/api/runs.ts";
import {
  TRAJECTORY_REQUESTS,
  type TrajectoriesRequest,
  type TrajectoryRows,
} from "../../src/api/trajectories.ts";
import { alarmBegins } from "../../src/core/alarms/alarmEvents.ts";
import { createEventLog } from "../../src/core/runFolder/events.ts";
import { appendMetrics } from "../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { resumeRun } from "../../src/core/runFolder/runFolder.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { systemClock } from "../../src/node/clock.ts";
import { aRecord, aRunFile } from "../core/runFolder/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { filesOnDisk, folderOfAllTests, folderOfThisTest } from "../fakes/onDisk.ts";
import { startedRun } from "../fakes/startedRun.ts";
import { anEditor } from "./anEditor.ts";
import { writeHardRun } from "./dashboard/writtenRun.ts";

const parent = folderOfAllTests();
const fileSystem = filesOnDisk();
let hard: { readonly folder: string; readonly step: number };
beforeAll(async () => {
  hard = await writeHardRun(fileSystem, parent, { rollouts: 8 });
});

/** A request that lasts until the test cancels it, with its reports. */
function lasting<Report>(editor: ReturnType<typeof anEditor>, method: string, request: object) {
  const canceling = new CancellationTokenSource();
  onTestFinished(() => canceling.cancel());
  const reports = editor.reports<Report>(method);
  const parameters = { ...request, progressToken: method };
  const over = editor.ask<RequestOutcome<null>>(method, parameters, canceling.token);
  return { reports, over, cancel: () => canceling.cancel() };
}

const PLACES = { opened: [], names: {}, archived: [] };

describe("the runs of a window", () => {
  it("are reported once they are read, and then only changes", async () => {
    const editor = anEditor();
    const { reports } = lasting<RunListReport>(editor, RUN_REQUESTS.watch, {});
    const look = (names: Readonly<Record<string, string>>) =>
      editor.ask(RUN_REQUESTS.look, { places: { ...PLACES, parents: [parent], names } });
    await look({});
    expect(reports).toEqual([
      { kind: "part", runs: [expect.objectContaining({ folder: hard.folder, name: "hard" })] },
      { kind: "list", folders: [hard.folder] },
    ]);
    await look({});
    expect(reports.slice(2)).toEqual([{ kind: "list", folders: [hard.folder] }]);
    await look({ [hard.folder]: "renamed" });
    expect(reports.slice(3)).toEqual([
      { kind: "part", runs: [expect.objectContaining({ name: "renamed" })] },
      { kind: "list", folders: [hard.folder] },
    ]);
  });

  it("are reported in full to a window that reconnects to the same server", async () => {
    const editor = anEditor();
    await editor.ask(RUN_REQUESTS.look, { places: { ...PLACES, parents: [parent] } });
    const { reports } = lasting<RunListReport>(editor, RUN_REQUESTS.watch, {});
    await vi.waitFor(() => expect(reports.map(({ kind }) => kind)).toEqual(["part", "list"]));
  });
});

describe("a run that is being viewed", () => {
  const CUT = {
    id: "truncated_turns",
    severity: "warning",
    seen: "Many.",
    meaning: "Bad.",
    edits: [{ path: ["max_response_tokens"], value: 96 }],
  } as const;

  it("is reported with its alarms after each read, and once more at the end", async () => {
    const folder = folderOfThisTest();
    const files = fileSystem.within(folder);
    const file = new TextEncoder().encode(JSON.stringify(aRunFile({ phase: "done" })));
    await fileSystem.writeAtomic(join(folder, "run.json"), file);
    const clock = new FakeClock();
    const redactor = new Redactor();
    const events = createEventLog({ fileSystem: files, clock, redactor, folder, attempt: 1 });
    const play = (step: number, isFiring: number) =>
      appendMetrics(files, folder, { step, alarm: { truncated_turns: isFiring } });
    await play(0, 0);

    const editor = anEditor();
    const { reports, over, cancel } = lasting<RunReport>(editor, RUN_REQUESTS.follow, { folder });
    await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ alarms: [], hasSteps: true }));
    await events.record(alarmBegins(1, CUT));
    await play(1, 1);
    const firing = { ...CUT, step: 1 };
    await vi.waitFor(() => expect(reports.at(-1)?.alarms).toEqual([firing]));
    expect(await editor.ask(RUN_REQUESTS.alarms, { folder })).toEqual({
      ok: true,
      value: [firing],
    });
    await play(2, 0);
    cancel();
    expect(await over).toEqual({ ok: true, value: null });
    expect(reports.at(-1)?.alarms).toEqual([]);
  });

  it("is reported with the step in progress after a resume repeats earlier steps", async () => {
    const lease = await startedRun(fileSystem, folderOfThisTest());
    const { folder, files } = lease;
    const redactor = new Redactor();
    const store = createRolloutStore({ fileSystem: files, redactor, folder });
    for (const step of [0, 1]) await appendMetrics(files, folder, { step });
    await store.addRollout(aRecord({ step: 2 }));
    const editor = anEditor();
    const { reports } = lasting<RunReport>(editor, RUN_REQUESTS.follow, { folder });
    await vi.waitFor(() => expect(reports.at(-1)?.hasSteps).toBe(true));

    const starter = { pid: 1, host: "here", owner: "terminal", configPath: "/x.yaml" } as const;
    const options = { fileSystem, clock: systemClock, isProcessAlive: () => false };
    await lease.update({ phase: "failed" });
    const before = reports.length;
    await resumeRun(options, { ...starter, folder, step: 1 });
    await vi.waitFor(() => expect(reports.slice(before).some((each) => each.hasSteps)).toBe(true));
    const events = createEventLog({
      fileSystem: files,
      clock: systemClock,
      redactor,
      folder,
      attempt: 2,
    });
    await store.addRollout(aRecord({ step: 1 }));
    const after = reports.length;
    const started = { kind: "run-started", level: "info", step: 1, data: {} } as const;
    await events.record({ ...started, message: "Attempt 2 starts." });
    await vi.waitFor(() => expect(reports.slice(after).some((each) => each.hasSteps)).toBe(true));
  });

  it("has a log", async () => {
    const log = await anEditor().ask<RequestOutcome<string>>(RUN_REQUESTS.log, {
      folder: hard.folder,
    });
    expect(log).toMatchObject({ ok: true, value: expect.stringContaining("Attempt 2") });
  });
});

describe("the rollouts of a run as rows", () => {
  const rowsOf = async (changes: Partial<TrajectoriesRequest>): Promise<TrajectoryRows> => {
    const request: TrajectoriesRequest = {
      folder: hard.folder,
      of: null,
      filter: null,
      order: "number",
      limit: 2,
      ...changes,
    };
    const outcome = await anEditor().ask<RequestOutcome<TrajectoryRows>>(
      TRAJECTORY_REQUESTS.rows,
      request,
    );
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value;
  };

  it("start with the newest steps and evaluations, and the number of older ones", async () => {
    const { rows, more, why } = await rowsOf({});
    expect(rows.length).toBe(2);
    expect(more).toBeGreaterThan(0);
    expect(why).toBe("");
    expect(rows[0]).toMatchObject({ step: hard.step, text: { label: expect.any(String) } });
  });

  it("are the groups of a step, and the rollouts of a group that match the filter", async () => {
    const set = { source: "training", step: hard.step } as const;
    const { rows: groups } = await rowsOf({ of: set });
    expect(groups.map(({ group }) => group)).toContain(0);
    const of = { ...set, group: 0 };
    const { rows } = await rowsOf({ of, order: "reward" });
    const rewards = rows.map(({ rollout }) => rollout);
    expect(rewards.length).toBeGreaterThan(1);
    const { rows: failed } = await rowsOf({ of, filter: { kind: "failed" } });
    expect(failed.length).toBeLessThan(rows.length);
  });

  it("include the reason if there are none", async () => {
    const { rows, why } = await rowsOf({ folder: join(parent, "nothing") });
    expect(rows).toEqual([]);
    expect(why).toContain("no run.json");
  });

  it("are readable texts, or null if the folder no longer has one", async () => {
    const place = { folder: hard.folder, source: "training", step: hard.step, group: 0 } as const;
    const text = (rollout: number, form: "json" | "txt") =>
      anEditor().ask(TRAJECTORY_REQUESTS.text, { ...place, rollout, form });
    expect(await text(0, "json")).toMatchObject({
      ok: true,
      value: expect.stringContaining('"shown_as"'),
    });
    expect(await text(0, "txt")).toMatchObject({ ok: true, value: expect.any(String) });
    expect(await text(99, "txt")).toEqual({ ok: true, value: null });
  });
});
