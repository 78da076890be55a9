import { describe, expect, it, vi } from "vitest";
import type { FileSystem } from "../../../src/core/ports.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { resumeRun } from "../../../src/core/runFolder/runFolder.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { systemClock } from "../../../src/node/clock.ts";
import type { DashboardRun } from "../../../src/server/dashboard/dashboardRun.ts";
import { DashboardSession } from "../../../src/server/dashboard/dashboardSession.ts";
import type { DashboardQuestion, HostMessage } from "../../../src/shared/dashboardMessages.ts";
import { unpackRows } from "../../../src/shared/packedRows.ts";
import { ColumnStore } from "../../../webview-ui/charts/columns.ts";
import { aRecord, aRecordedTurn, stepFacts } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock, until } from "../../fakes/fakeClock.ts";
import { startedRun } from "../../fakes/startedRun.ts";
import { textsHere } from "../../fakes/textsHere.ts";
import { KEPT_NOWHERE } from "./pageSettings.ts";
import { HOSTILE_TEXT, writeHardRun } from "./writtenRun.ts";

type Kind = HostMessage["kind"];
type Of<K extends Kind> = Extract<HostMessage, { readonly kind: K }>;

const parent = "/home/ada/project";
const source = "training" as const;

async function openedSession() {
  const fileSystem = createMemoryFileSystem();
  const { folder, step } = await writeHardRun(fileSystem, parent);
  const messages: HostMessage[] = [];
  const commands: unknown[] = [];
  const clock = new FakeClock();
  // The written run has its trainer's heartbeat from the real clock.
  vi.spyOn(clock, "now").mockImplementation(Date.now);
  const run: DashboardRun = {
    id: "hard",
    name: "hard",
    follower: new RunFollower({ fileSystem, folder }),
  };
  const session = new DashboardSession(
    {
      clock,
      fileSystem,
      post: (message) => void messages.push(message),
      isProcessAlive: () => true,
      runs: {
        list: async () => [{ id: "hard", name: "hard", state: "running" }],
        evaluated: () => null,
        find: async (id) => (id === "hard" ? run : null),
      },
      command: async (command, own, args) => {
        if (command === "stop") throw new Error(`No trainer answers in ${folder}.`);
        commands.push([command, own.id, args]);
      },
      tokenTexts: async (_, ids) => Array.from(ids, (id) => `<${id}>`),
      texts: textsHere(fileSystem, folder),
      shortenPath: (path) => path.replace(parent, "~"),
      settings: KEPT_NOWHERE,
    },
    { run, isVisible: true },
  );
  const all = <K extends Kind>(kind: K): readonly Of<K>[] =>
    messages.filter((message): message is Of<K> => message.kind === kind);
  const ready = (): void => session.receive({ kind: "ready" });
  const settled = () => until(() => all("append").some(({ isComplete }) => isComplete));
  let lastId = 0;
  return {
    folder,
    step,
    session,
    messages,
    commands,
    clock,
    all,
    run,
    fileSystem,
    ready,
    ask: async <K extends Kind>(question: DashboardQuestion, kind: K): Promise<Of<K>> => {
      lastId += 1;
      const id = lastId;
      session.receive({ kind: "question", id, question });
      await until(() => messages.some((message) => "id" in message && message.id === id));
      const answer = messages.find(
        (message): message is Of<K> =>
          message.kind === kind && "id" in message && message.id === id,
      );
      if (answer === undefined)
        throw new Error(`No ${kind} came: ${JSON.stringify(messages.at(-1))}`);
      return answer;
    },
    settled,
  };
}

/** A session with an open page that has received everything due. */
async function settledSession() {
  const opened = await openedSession();
  opened.ready();
  await opened.settled();
  return opened;
}

async function moveFolder(fileSystem: FileSystem, from: string, to: string): Promise<void> {
  for (const name of await fileSystem.list(from)) {
    const [path, target] = [`${from}/${name}`, `${to}/${name}`];
    if ((await fileSystem.size(path)) === null) await moveFolder(fileSystem, path, target);
    else await fileSystem.rename(path, target);
  }
}

describe("a session", () => {
  it("offers a newly started run and keeps showing its own, also after the page is shown again", async () => {
    const { ready, session, all } = await settledSession();
    session.offer("other");
    expect(all("offer-run")).toEqual([{ kind: "offer-run", run: "other" }]);
    expect(all("init").map(({ facts }) => facts.run.id)).toEqual(["hard"]);
    session.setVisible(false);
    session.setVisible(true);
    ready();
    await until(() => all("offer-run").length === 2);
    expect(all("init")).toHaveLength(2);
  });

  it("sends nothing before the page is ready, then one init and all numbers", async () => {
    const { ready, settled, messages, all } = await openedSession();
    expect(messages).toEqual([]);
    ready();
    await settled();
    expect(messages.map(({ kind }) => kind).slice(0, 2)).toEqual(["init", "append"]);
    expect(all("init")).toHaveLength(1);
    const page = new ColumnStore();
    for (const message of all("append")) page.append(message);
    expect(Array.from(page.steps())).toEqual(Array.from({ length: 24 }, (_, step) => step));
    expect(page.at("rollout/reward/mean", 23)).toBeGreaterThan(0.5);
    expect([page.at("loss", 6), page.at("skipped", 6)]).toEqual([null, 1]);
  });

  it("reports once that its run's folder is gone, and shows the run again when it is back", async () => {
    const { all, clock, fileSystem, folder, session } = await settledSession();
    await moveFolder(fileSystem, folder, `${folder}-away`);
    const look = async (isDone: () => boolean): Promise<void> => {
      for (let left = 20; left > 0 && !isDone(); left -= 1) {
        session.refresh();
        await clock.advance(3_000);
        for (let turn = 0; turn < 50; turn += 1) await new Promise((next) => setImmediate(next));
      }
      expect(isDone()).toBe(true);
    };
    await look(() => all("gone").length > 0);
    expect(all("gone")[0]).toMatchObject({ folder: folder.replace(parent, "~"), runs: [] });
    session.refresh();
    await clock.advance(3_000);
    await moveFolder(fileSystem, `${folder}-away`, folder);
    await look(() => all("init").length === 2);
    expect(all("gone")).toHaveLength(1);
  });

  it("sends the state, the attempts and the checkpoints of the run", async () => {
    const { all, messages } = await settledSession();
    const facts = all("init")[0]?.facts;
    expect(facts?.run).toMatchObject({
      name: "hard",
      state: "running",
      attempt: 2,
      supersededAttempts: [1],
      completedSteps: 24,
      totalSteps: 40,
      isControllable: false,
    });
    expect(facts?.checkpoints.map(({ step }) => step)).toEqual([20, 10]);
    expect(facts?.rolloutSteps).toEqual([23]);
    expect(JSON.stringify(messages)).not.toContain(parent);
  });

  it("keeps the starts and alarms of a run whose many warnings push them out of the latest events", async () => {
    const { ready, settled, all, folder, fileSystem } = await openedSession();
    const log = createEventLog({
      fileSystem,
      clock: systemClock,
      redactor: new Redactor(),
      folder,
      attempt: 2,
    });
    for (let index = 0; index < 400; index += 1) {
      const message = `warning ${index}`;
      await log.record({ kind: "retry", level: "warn", step: 23, message, data: {} });
    }
    ready();
    await settled();
    const kinds = all("init")[0]?.facts.events.map(({ kind }) => kind) ?? [];
    expect(kinds.filter((kind) => kind === "run-started")).toHaveLength(2);
    expect(kinds).toContain("alarm");
    expect(kinds.filter((kind) => kind === "retry")).toHaveLength(300);
  });

  it("is silent while the page is hidden, and starts over when it is shown", async () => {
    const { ready, session, messages, all, folder, fileSystem } = await settledSession();
    session.setVisible(false);
    const before = messages.length;
    await appendMetrics(fileSystem, folder, buildMetricsRow(stepFacts({ step: 24 })));
    session.refresh();
    session.receive({ kind: "question", id: 9, question: { ask: "config" } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(messages).toHaveLength(before);
    session.setVisible(true);
    ready();
    await until(() => all("append").some(({ rows }) => rows === 25));
    expect(all("init")).toHaveLength(2);
  });

  it("does no work while it is hidden for 200 steps, then sends them all in its first message", async () => {
    const { ready, session, messages, all, folder, fileSystem, clock } = await settledSession();
    session.setVisible(false);
    const before = messages.length;
    const reading = vi.spyOn(fileSystem, "readRange");
    for (let step = 24; step < 224; step += 1) {
      await appendMetrics(fileSystem, folder, buildMetricsRow(stepFacts({ step })));
      session.refresh();
      await clock.advance(1_000);
    }
    expect(messages.slice(before)).toEqual([]);
    expect(reading).not.toHaveBeenCalled();
    expect(clock.sleeping).toBe(0);
    session.setVisible(true);
    ready();
    await until(() => all("append").at(-1)?.isComplete === true && messages.length > before + 1);
    const [first] = messages.slice(before);
    expect(first).toMatchObject({ kind: "init", facts: { run: { completedSteps: 224 } } });
    const page = new ColumnStore();
    for (const message of messages.slice(before))
      if (message.kind === "append") page.append(message);
    expect(Array.from(page.steps())).toEqual(Array.from({ length: 224 }, (_, step) => step));
  });

  it("sends only new rows, at most four times a second", async () => {
    const { session, all, folder, fileSystem, clock } = await settledSession();
    const before = all("append").length;
    for (let step = 24; step < 34; step += 1) {
      await appendMetrics(fileSystem, folder, buildMetricsRow(stepFacts({ step })));
      session.refresh();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(all("append").length).toBeLessThanOrEqual(before + 1);
    await until(() => clock.sleeping > 0);
    await clock.advance(250);
    await until(() => all("append").at(-1)?.rows === 34);
    expect(all("append").at(-1)?.steps?.fromRow).toBeGreaterThanOrEqual(24);
  });

  it("reads its folder when its own run or the list has changed, not for another run", async () => {
    const { session, all, folder, fileSystem, clock } = await settledSession();
    await until(() => clock.sleeping > 0);
    await appendMetrics(fileSystem, folder, buildMetricsRow(stepFacts({ step: 24 })));
    const reading = vi.spyOn(fileSystem, "readRange");
    session.refresh(`${parent}/another`);
    await clock.advance(250);
    expect(reading).not.toHaveBeenCalled();
    session.refresh(folder);
    await until(() => all("append").at(-1)?.rows === 25);
  });

  it("replaces everything after a resume has dropped steps", async () => {
    const { session, all, folder, fileSystem, clock } = await settledSession();
    const starter = { pid: 1, host: "here", owner: "terminal" as const, configPath: "x" };
    const clockOfRun = { ...systemClock, now: () => Date.now() + 60_000 };
    await resumeRun(
      { fileSystem, clock: clockOfRun, isProcessAlive: () => false },
      { ...starter, folder, step: 20 },
    );
    session.refresh();
    await until(() => clock.sleeping > 0);
    await clock.advance(250);
    await until(() => all("replace").length > 0);
    expect(all("replace")[0]?.facts.run).toMatchObject({ attempt: 3, completedSteps: 20 });
  });

  it("replaces everything when a new run has taken the folder, its configuration included", async () => {
    const { session, all, folder, fileSystem, clock } = await settledSession();
    const totalSteps = () => all("replace").map(({ facts }) => facts.run.totalSteps);
    for (const [runId, max_steps] of Object.entries({ later: 7, latest: 9 })) {
      await fileSystem.remove(folder);
      const { files } = await startedRun(fileSystem, parent, { name: "hard", runId });
      const config = JSON.stringify({ environments: {}, max_steps });
      await files.writeAtomic(`${folder}/config.resolved.json`, config);
      session.refresh();
      await until(() => clock.sleeping > 0);
      await clock.advance(250);
      await until(() => totalSteps().length === (runId === "later" ? 1 : 2));
    }
    expect(totalSteps()).toEqual([7, 9]);
  });

  it("forwards commands, and shows why one failed", async () => {
    const { session, commands, all } = await settledSession();
    session.receive({
      kind: "command",
      command: "deleteCheckpoint",
      args: { name: "checkpoint_000010" },
    });
    session.receive({ kind: "command", command: "stop", args: {} });
    await until(() => all("error").length > 0);
    expect(commands).toEqual([["deleteCheckpoint", "hard", { name: "checkpoint_000010" }]]);
    expect(all("error")[0]).toEqual({
      kind: "error",
      id: null,
      message: "No trainer answers in ~/hard.",
    });
  });

  it("shows another run, or reports that it is gone", async () => {
    const { session, all } = await settledSession();
    session.receive({ kind: "select-run", id: "gone" });
    await until(() => all("error").length > 0);
    expect(all("error")[0]?.message).toContain("no longer exists");
  });
});

describe("answers", () => {
  it("contain the rollouts of a step, with advantage and use in training", async () => {
    const { ask, step } = await settledSession();
    const { rows: packed, total } = await ask({ ask: "rollouts", source, step }, "rollouts");
    const rows = unpackRows(packed);
    expect([rows.length, total]).toEqual([48, 48]);
    expect(rows[3]).toMatchObject({
      reward: null,
      stop: "error",
      trainingUse: "excluded:failed",
      advantage: null,
    });
    expect(rows[0]).toMatchObject({
      advantage: -1,
      trainingUse: "trained",
      streams: [0, 2],
      turns: 4,
    });
  });

  it("are sent again while the step is played", async () => {
    const { ask, session, all, step, folder, fileSystem, clock } = await settledSession();
    await ask({ ask: "rollouts", source, step }, "rollouts");
    const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder });
    await store.addRollout(aRecord({ step, group: 90 }));
    session.refresh();
    await until(() => clock.sleeping > 0);
    await clock.advance(250);
    await until(() => all("rollouts").at(-1)?.total === 49);
  });

  it("contain a body as it was stored, truncated if it is huge", async () => {
    const { ask, step } = await settledSession();
    const { body } = await ask(
      { ask: "rollout", key: { source, step, group: 0, rollout: 0 } },
      "rollout",
    );
    expect(body.prompt).toEqual({ text: HOSTILE_TEXT, omitted: 0 });
    expect(body.turns[3]?.results[0]?.text).toMatchObject({ omitted: 50_000 });
    expect(body.turns[1]?.errors[0]).toMatchObject({
      raw: { text: '{"name": "answer", }' },
    });
    expect(body.rewardBreakdown).toMatchObject({ reduced: 2.1, clamped: 1 });
  });

  it("contain a part of the tokens with their texts and the range of all", async () => {
    const { ask, step } = await settledSession();
    const { window } = await ask(
      { ask: "tokens", key: { source, step, group: 0, rollout: 0 }, stream: 0, from: 4_000 },
      "tokens",
    );
    expect([window.from, window.ids.length, window.total, window.texts?.[0]]).toEqual([
      4_000,
      500,
      4_500,
      `<${window.ids[0]}>`,
    ]);
    expect(window.ranges.logprobLow).toBe(-4);
    expect(window.ranges.advantageSize).toBeCloseTo(1, 2);
  });

  it("name the first token of a search result", async () => {
    const { ready, settled, ask, step, folder, fileSystem } = await openedSession();
    const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder });
    const again = aRecordedTurn({ reasoning: "more <9> and <9> again" });
    await store.addRollout(aRecord({ step, group: 90, turns: [aRecordedTurn(), again] }));
    const ids = [1, 9, 2, 9, 3, 9];
    const zeros = ids.map(() => 0);
    await store.addTokens(step, [
      {
        group: 90,
        rollout: 0,
        stream: 2,
        ids,
        turns: [-1, 0, 1, 1, 1, 1],
        mask: zeros,
        samplerLogprobs: zeros,
        trainerLogprobs: zeros,
        advantages: zeros,
      },
    ]);
    ready();
    await settled();
    const key = { source, step, group: 90, rollout: 0 };
    const snippet = { role: "thinking", turn: 1, before: "more ", match: "<9>" } as const;
    const found = { ...snippet, after: " and <9> again" };
    const { place } = await ask({ ask: "found-token", key, snippet: found }, "found-token");
    expect(place).toEqual({ stream: 2, index: 3 });
    const untrained = { source, step, group: 0, rollout: 3 };
    const question = { ask: "found-token", key: untrained, snippet: found } as const;
    expect((await ask(question, "found-token")).place).toBeNull();
  });

  it("name the rollouts whose messages contain all words", async () => {
    const { ask, step } = await settledSession();
    const search = (text: string, isCaseSensitive = false) =>
      ask(
        {
          ask: "search",
          query: { text, isRegex: false, isCaseSensitive, roles: [] },
          scope: { source, step },
        },
        "search",
      );
    expect((await search("LONG line result")).hits).toMatchObject([{ group: 0, rollout: 0 }]);
    expect((await search("LONG line result", true)).hits).toEqual([]);
    expect((await search("503")).hits).toMatchObject([{ step, group: 0, rollout: 3 }]);
  });

  it("show the origin of every configuration value, with short paths", async () => {
    const { ask } = await settledSession();
    const { config } = await ask({ ask: "config" }, "config");
    const origins = Object.fromEntries(config.entries.map(({ key, origin }) => [key, origin]));
    expect(origins).toMatchObject({
      model_name: "file",
      max_steps: "override",
      log_path: "default",
      "environments.local/calculator.num_rollouts": "file",
      "environments.local/calculator.temperature": "default",
    });
    expect(config.entries.find(({ key }) => key === "log_path")?.value).toBe('"~/hard"');
  });

  it("contain the steps that were repeated after an attempt", async () => {
    const { ask } = await settledSession();
    const names = ["rollout/reward/mean"];
    const { steps, columns } = await ask({ ask: "superseded", attempt: 1, names }, "superseded");
    expect(Array.from(steps)).toEqual([14, 15, 16, 17, 18]);
    expect(columns[0]?.values).toHaveLength(5);
  });

  it("report missing data, and are not sent once they are canceled", async () => {
    const { ask, session, messages, step } = await settledSession();
    const key = { source, step, group: 0, rollout: 77 };
    expect((await ask({ ask: "rollout", key }, "error")).message).toContain(
      "rollout 78 of group 1 in step 24",
    );
    session.receive({ kind: "question", id: 500, question: { ask: "config" } });
    session.receive({ kind: "cancel", id: 500 });
    await ask({ ask: "config" }, "config");
    expect(messages.some((message) => "id" in message && message.id === 500)).toBe(false);
  });
});
