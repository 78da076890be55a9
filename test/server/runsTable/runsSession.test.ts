import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { markRun, readMarks } from "../../../src/core/runFolder/marks.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { RunFeeds } from "../../../src/server/runs/runFeed.ts";
import { RunStore } from "../../../src/server/runs/runStore.ts";
import { RunDigests } from "../../../src/server/runsTable/runDigests.ts";
import { RunsSession } from "../../../src/server/runsTable/runsSession.ts";
import type { RunsHostMessage, RunsTableRow } from "../../../src/shared/runsPage.ts";
import { writeComparedRuns } from "../../fakes/comparedRuns.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";

const root = folderOfEachTest();
const fileSystem = filesOnDisk();
const sessions: RunsSession[] = [];
// Before their folder is removed.
afterEach(() => {
  for (const session of sessions.splice(0)) session.dispose();
});

async function open(count: number) {
  const parent = join(root, "runs");
  const folders = writeComparedRuns(parent, { count, steps: 4, tasks: 2 });
  const store = new RunStore({ fileSystem, clock: systemClock, nameOf: () => null, onError: fail });
  await store.look([parent], []);
  const posted: RunsHostMessage[] = [];
  const opened: string[] = [];
  const compared: [string, string][] = [];
  const feeds = new RunFeeds({ store, fileSystem, onError: fail });
  let layout: string | null = null;
  const digests = new RunDigests({
    fileSystem,
    cachePath: join(root, "digests.json"),
    shortenPath: (path: string) => path,
  });
  const session = new RunsSession(
    {
      clock: systemClock,
      runs: () => store.runs,
      digests,
      hasSingleKeys: () => true,
      layout: {
        read: () => layout,
        keep: async (next) => {
          layout = next;
        },
      },
      post: (message) => posted.push(message),
      open: async (folder) => void opened.push(folder),
      save: async () => undefined,
      fileSystem,
      follow: (folder) => feeds.follow(folder),
      ask: async (what) => (what === "tags" ? "good, seed 1" : "A note."),
      diff: async (left, right) => void compared.push([left, right]),
    },
    { isVisible: true },
  );
  sessions.push(session);
  return { session, store, posted, opened, compared, folders, layout: () => layout };
}

function fail(error: unknown): never {
  throw error;
}

function rowsIn(posted: readonly RunsHostMessage[]): ReadonlyMap<string, RunsTableRow> {
  const rows = posted.flatMap((message) => (message.kind === "rows" ? message.rows : []));
  return new Map(rows.map((row) => [row.name, row]));
}

/** Opens the page and waits for its first rows. */
async function begin(session: RunsSession, posted: readonly RunsHostMessage[]): Promise<void> {
  session.receive({ kind: "ready" });
  await vi.waitFor(() => expect(posted.some(({ kind }) => kind === "rows")).toBe(true));
}

/** Opens the page and waits for all data in the folders. */
async function read(session: RunsSession, posted: readonly RunsHostMessage[]): Promise<void> {
  session.receive({ kind: "ready" });
  await untilRead(posted);
}

async function untilRead(posted: readonly RunsHostMessage[]): Promise<void> {
  await vi.waitFor(() => {
    const last = posted.findLast((message) => message.kind === "rows");
    expect(last?.kind === "rows" ? last.unread : null).toBe(0);
    expect([...rowsIn(posted).values()].every(({ digest }) => digest !== null)).toBe(true);
  }, 5_000);
}

describe("the session of the runs table", () => {
  it("sends the first rows immediately, then data from the files", async () => {
    const { session, posted } = await open(80);
    await begin(session, posted);
    expect(posted[0]).toEqual({ kind: "init", layout: null, hasSingleKeys: true });
    expect(posted[1]).toMatchObject({ kind: "rows", settingKeys: [] });
    expect(rowsIn(posted).size).toBe(60);
    await untilRead(posted);
    const rows = rowsIn(posted);
    expect(rows.size).toBe(80);
    expect(rows.get("lr-1e-4-seed-2")).toMatchObject({
      steps: 4,
      settings: { learning_rate: "0.0001", seed: "2" },
      digest: { alarms: 0, evaluations: { "local/calculator test greedy": { step: 4 } } },
    });
    expect(posted.findLast(({ kind }) => kind === "rows")).toMatchObject({
      settingKeys: ["environments.local/calculator.num_rollouts", "seed", "learning_rate"],
    });
  });

  it("has complete rows immediately in the next window", async () => {
    const first = await open(80);
    const [folder = ""] = first.folders;
    await markRun(fileSystem.within(folder), folder, { star: true });
    await read(first.session, first.posted);
    await vi.waitFor(async () => await readFile(join(root, "digests.json")), 5_000);
    first.session.dispose();
    const next = await open(80);
    await begin(next.session, next.posted);
    const [, rows] = next.posted;
    if (rows?.kind !== "rows") throw new Error("No rows were sent.");
    expect(rows.unread).toBe(80);
    const before = rowsIn(first.posted);
    expect(rows.rows.map((row) => before.get(row.name))).toEqual(rows.rows);
    expect(rows.settingKeys).toContain("learning_rate");
    // The newest, whose row is there already.
    await rm(first.folders.at(-1) ?? "", { recursive: true });
    await next.store.refresh();
    next.session.refresh();
    const removals = () =>
      next.posted.filter((own) => own.kind === "rows" && own.removed.length > 0);
    await vi.waitFor(() => expect(removals()).toMatchObject([{ removed: [{}] }]), 5_000);
  });

  it("sends a run that has progressed, and nothing to a hidden page", async () => {
    const { session, store, posted, folders } = await open(3);
    await read(session, posted);
    posted.length = 0;
    const addStep = async (step: number): Promise<void> => {
      const row = { step, rollout: { reward: { mean: 1 } } };
      await appendFile(join(folders[0] ?? "", "metrics.jsonl"), `${JSON.stringify(row)}\n`);
      await store.refresh();
      session.refresh();
    };
    await addStep(4);
    await vi.waitFor(() =>
      expect(rowsIn(posted).get("lr-1e-5-seed-1")?.digest?.best?.step).toBe(5),
    );
    expect([...rowsIn(posted).keys()]).toEqual(["lr-1e-5-seed-1"]);
    session.setVisible(false);
    posted.length = 0;
    await addStep(5);
    await systemClock.sleep(300);
    expect(posted).toEqual([]);
    session.setVisible(true);
    await begin(session, posted);
    expect(rowsIn(posted).get("lr-1e-5-seed-1")?.steps).toBe(6);
  });

  it("has the results of an evaluation before the next step", async () => {
    const { session, store, posted, folders } = await open(1);
    await read(session, posted);
    const [folder = ""] = folders;
    const { usage, evaluations } = runPaths(folder);
    const tokens = { ...NO_TOKENS, sampled: 100 };
    await appendFile(usage, encodeJsonLine({ for: "row", step: 3, seconds: 1 }));
    await appendFile(usage, encodeJsonLine({ for: "evaluation", step: 4, tokens }));
    const [line = ""] = (await readFile(evaluations, "utf8")).split("\n");
    await appendFile(evaluations, `${line.replace('"test"', '"train"')}\n`);
    await store.refresh();
    session.refresh();
    await vi.waitFor(() =>
      expect(Object.keys(rowsIn(posted).get("lr-1e-5-seed-1")?.digest?.evaluations ?? {})).toEqual([
        "local/calculator test greedy",
        "local/calculator train greedy",
      ]),
    );
  });

  it("stores the layout, opens known runs, and ignores unknown ones", async () => {
    const { session, posted, opened, folders, layout } = await open(1);
    await begin(session, posted);
    const [row] = rowsIn(posted).values();
    session.receive({ kind: "keep", layout: "{}" });
    session.receive({ kind: "open", id: row?.id });
    session.receive({ kind: "open", id: "another" });
    session.receive({ kind: "keep", layout: "x".repeat(1_000_000) });
    session.receive({ kind: "keep", layout: 3 });
    expect(layout()).toBe("{}");
    expect(opened).toEqual(folders);
    session.choose(folders);
    expect(posted.at(-1)).toEqual({ kind: "choose", ids: [row?.id] });
  });

  it("sends a mark set by another window", async () => {
    const { session, posted, folders } = await open(2);
    await read(session, posted);
    posted.length = 0;
    const [folder = ""] = folders;
    await markRun(fileSystem.within(folder), folder, { star: true });
    session.refreshMark(folder);
    await vi.waitFor(() =>
      expect(rowsIn(posted).get("lr-1e-5-seed-1")?.mark).toMatchObject({ star: true }),
    );
  });

  it("shows the metrics of another program's folder, and no settings", async () => {
    const { session, store, posted, folders } = await open(3);
    const [folder = ""] = folders;
    await rm(join(folder, "run.json"));
    await rm(join(folder, "config.resolved.json"));
    await store.look([join(root, "runs")], [folder]);
    await read(session, posted);
    const row = rowsIn(posted).get("lr-1e-5-seed-1");
    expect(row).toMatchObject({ state: "foreign", steps: 4, settings: {} });
    expect(row?.digest?.best?.value).toBeGreaterThan(0);
    expect(posted.findLast(({ kind }) => kind === "rows")).toMatchObject({ settingKeys: ["seed"] });
    session.receive({ kind: "compare", ids: [row?.id], names: ["loss"] });
    await vi.waitFor(() =>
      expect(posted.find(({ kind }) => kind === "columns")).toMatchObject({ runs: [{ rows: 4 }] }),
    );
  });

  it("sends the metrics of compared runs as they were written, and keeps them up to date", async () => {
    const { session, store, posted, folders } = await open(3);
    await begin(session, posted);
    const ids = [...rowsIn(posted).values()].map(({ id }) => id);
    const columns = () =>
      posted.flatMap((message) => (message.kind === "columns" ? message.runs : []));
    session.receive({ kind: "compare", ids: ids.slice(0, 2), names: ["rollout/reward/mean"] });
    await vi.waitFor(() => expect(columns().length).toBe(2));
    const first = columns().find(({ id }) => id === ids[0]);
    expect(first).toMatchObject({
      isReset: true,
      rows: 4,
      names: expect.arrayContaining(["loss"]),
    });
    expect(first?.columns.map(({ name, values }) => [name, values.length])).toEqual([
      ["rollout/reward/mean", 4],
    ]);
    const named = store.runs.find(({ name }) => name === "lr-1e-5-seed-3");
    const path = join(named?.folder ?? "", "metrics.jsonl");
    const lines = (await readFile(path, "utf8")).trim().split("\n");
    const written = lines.map((line) => JSON.parse(line).rollout.reward.mean);
    expect([...(first?.columns[0]?.values ?? [])]).toEqual(written);
    const row = { step: 4, rollout: { reward: { mean: 0.5 } }, loss: 2 };
    await appendFile(path, `${JSON.stringify(row)}\n`);
    session.receive({ kind: "compare", ids: ids.slice(0, 1), names: ["loss"] });
    await store.refresh();
    await vi.waitFor(() => expect(columns().at(-1)?.rows).toBe(5), 3_000);
    expect(columns().some(({ columns: parts }) => parts.some(({ name }) => name === "loss"))).toBe(
      true,
    );
    expect(folders).toHaveLength(3);
  });

  it("compares evaluations task by task, and configurations in the editor", async () => {
    const { session, posted, compared, folders } = await open(2);
    await begin(session, posted);
    const ids = [...rowsIn(posted).values()].map(({ id }) => id);
    session.receive({ kind: "want-evaluations", ids });
    const evaluations = () => posted.find(({ kind }) => kind === "evaluations");
    await vi.waitFor(() => expect(evaluations()).toBeDefined());
    const found = evaluations();
    if (found?.kind !== "evaluations") throw new Error("No evaluations were sent.");
    expect(found.cells.map(({ cell, tasks }) => [cell, tasks])).toEqual([
      ["local/calculator test greedy", [0, 1]],
    ]);
    const [baseline, other] = ids.map((id) => found.cells[0]?.results[id]);
    expect(baseline?.difference).toBeNull();
    // Two shared tasks are too few for a difference.
    expect(other).toMatchObject({
      difference: null,
      tasks: [expect.any(Number), expect.any(Number)],
    });
    session.receive({ kind: "diff", left: ids[0], right: ids[1] });
    session.receive({ kind: "diff", left: ids[0], right: "another" });
    expect(compared).toEqual([[folders[1], folders[0]]]);
  });

  it("stores stars, tags and notes in the folder of the run, where the next window finds them", async () => {
    const { session, posted, folders } = await open(2);
    await read(session, posted);
    const id = rowsIn(posted).get("lr-1e-5-seed-1")?.id;
    const mark = () => rowsIn(posted).get("lr-1e-5-seed-1")?.mark;
    session.receive({ kind: "star", id, isOn: true });
    await vi.waitFor(() => expect(mark()?.star).toBe(true));
    session.receive({ kind: "edit", id, what: "tags" });
    await vi.waitFor(() => expect(mark()?.tags).toEqual(["good", "seed 1"]));
    session.receive({ kind: "edit", id, what: "note" });
    await vi.waitFor(() => expect(mark()?.note).toBe("A note."));
    const [folder = ""] = folders;
    expect((await readMarks(fileSystem.within(folder), folder)).run).toMatchObject({
      star: true,
      tags: ["good", "seed 1"],
      note: "A note.",
    });
    const next = await open(2);
    await read(next.session, next.posted);
    expect(rowsIn(next.posted).get("lr-1e-5-seed-1")?.mark.star).toBe(true);
  });
});
