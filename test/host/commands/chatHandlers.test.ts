import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import type { ChatPanels, ChatSubject } from "../../../src/host/chat/chatPanels.ts";
import { chatHandlers } from "../../../src/host/commands/chatHandlers.ts";
import { aCheckpointEntry, aRecord, aRunFile } from "../../core/runFolder/builders.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";
import { resetUser, shownLabels, user } from "../fakeWindow.ts";
import { aRun, aRunList } from "../runEntries.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));

const CONFIG = {
  model_name: "local/tiny-tool",
  batch_size: 1,
  max_steps: 1,
  environments: { "local/calculator": { splits: { train: {} }, num_rollouts: 2 } },
};
function saved(name: string, step: number, sampler = true): CheckpointEntry {
  return aCheckpointEntry({
    name,
    step,
    state_path: `tinker://run-1/weights/${name}`,
    sampler_path: sampler ? `tinker://run-1/sampler_weights/${name}` : null,
  });
}
const SAVED = [saved("one", 1), saved("two", 2), saved("state", 3, false)];
const ONE = "tinker://run-1/sampler_weights/one";

const project = folderOfAllTests();
const fileSystem = filesOnDisk();
const configPath = join(project, "config.yaml");
const folder = join(project, ".tinker-rl", "runs", "config");
const run = aRun({ folder, file: aRunFile({ configPath }) });
beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  await writeFile(configPath, JSON.stringify(CONFIG));
  await writeFile(join(folder, "run.json"), JSON.stringify(run.file));
});
beforeEach(resetUser);

function handlers(more: readonly RunEntry[] = []) {
  const opened: {
    readonly subject: ChatSubject;
    readonly ask: Parameters<ChatPanels["open"]>[1];
  }[] = [];
  const runs = [run, ...more];
  const own = chatHandlers({
    // Only the members that the handlers use.
    store: aRunList(runs),
    labels: { isArchived: () => false } as never,
    trainings: { active: [] },
    shownFolder: () => null,
    tree: { selection: [] },
    panels: { open: (subject, ask) => opened.push({ subject, ask }) } as Pick<
      ChatPanels,
      "open"
    > as ChatPanels,
    fileSystem,
    saved: { read: async () => SAVED, usable: async () => SAVED.toReversed() },
  });
  return { ...own, opened };
}

const START = { task: null, turn: null, isReplayed: false, system: null };

describe("a conversation with a checkpoint", () => {
  it("uses the one of the row, and needs environment keys only for a task", async () => {
    const { chatWithCheckpoint, opened } = handlers();
    user.picks = [["Free Conversation"], ["Task of local/calculator"]];
    user.types = ["7"];
    const row = { folder: run.folder, name: "one" };
    await chatWithCheckpoint(row);
    await chatWithCheckpoint(row);
    const place = { folder: run.folder, name: "demo", configPath };
    expect(opened.map(({ subject }) => subject)).toEqual([
      { run: place, environment: null, start: { ...START, targets: [ONE] } },
      {
        run: place,
        environment: "local/calculator",
        start: {
          ...START,
          targets: [ONE],
          task: { environment: "local/calculator", split: "train", index: 7 },
        },
      },
    ]);
  });

  it("uses the newest one for a run's row, and the picked one otherwise", async () => {
    const { chatWithCheckpoint, opened } = handlers();
    user.picks = [["Free Conversation"], ["Step 1"], ["Free Conversation"]];
    await chatWithCheckpoint({ folder: run.folder });
    await chatWithCheckpoint(undefined);
    const targets = opened.map(({ subject }) => subject.start.targets);
    expect(targets).toEqual([[run.folder], [ONE]]);
    expect(shownLabels()[1]).toEqual(["Step 2", "Step 1"]);
  });

  it("does not start if nothing can be sampled from, or the user dismisses the list", async () => {
    const evaluation = { models: [], digest: "" };
    const file = aRunFile({ configPath, evaluation });
    const measured = aRun({ name: "measured", folder: "/runs/measured", file });
    const { chatWithCheckpoint, opened } = handlers([measured]);
    await expect(chatWithCheckpoint({ folder: run.folder, name: "state" })).rejects.toThrow(
      "has no sampler to talk to",
    );
    await expect(chatWithCheckpoint({ folder: "/runs/measured" })).rejects.toThrow(
      "measured is an evaluation",
    );
    user.picks = [undefined, ["Task of local/calculator"]];
    await chatWithCheckpoint({ folder: run.folder });
    await chatWithCheckpoint({ folder: run.folder });
    expect(opened).toEqual([]);
  });

  it("opens beside other conversations, or with another task", async () => {
    const names = ["other", "third", "fourth"];
    const others = names.map((name) =>
      aRun({ name, folder: `/runs/${name}`, file: aRunFile({ configPath }) }),
    );
    const { chatWithCheckpoint, opened } = handlers(others);
    user.picks = [["Free Conversation"], ["local/tiny-tool", "other"], ["Free Conversation"]];
    await chatWithCheckpoint({ folder: run.folder, name: "one" });
    const [first] = opened;
    if (first === undefined) throw new Error("nothing was opened");
    const beside = await first.ask(first.subject, "beside");
    if (beside === undefined) throw new Error("nothing was picked");
    expect(beside.start.targets).toEqual([ONE, "local/tiny-tool", "/runs/other"]);
    expect(shownLabels()[1]).toEqual(["local/tiny-tool", "demo · step 2", ...names]);
    const anew = await first.ask(beside, "other");
    expect(anew?.start).toEqual({ ...START, targets: beside.start.targets });
    user.picks = [["local/tiny-tool", ...names], undefined];
    await expect(first.ask(beside, "beside")).rejects.toThrow("Choose at most 3");
    expect(await first.ask(beside, "beside")).toBeUndefined();
  });
});

describe("a conversation from a turn of a stored rollout", () => {
  it("works for evaluations too, with the environment or a person answering", async () => {
    const evaluation = { models: [{ name: "base", path: null, step: 0 }], digest: "" };
    const folder = `${run.folder}-evaluation`;
    const files = fileSystem.within(folder);
    await mkdir(join(folder, "eval"), { recursive: true });
    const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder });
    const use = { temperature: 0, purpose: "asked", model: "base" };
    await store.addEvaluated(aRecord({ step: 0 }), use, []);
    const file = aRunFile({ configPath, evaluation });
    const { continueFromHere, opened } = handlers([aRun({ name: "measured", folder, file })]);
    user.picks = [["I Answer the Model's Calls"]];
    await continueFromHere({
      folder,
      source: "evaluation",
      step: 0,
      group: 0,
      rollout: 0,
      turn: 0,
    });
    const turn = { source: "evaluation", step: 0, group: 1, rollout: 1, turn: 1 };
    expect(opened.map(({ subject }) => subject)).toEqual([
      {
        run: { folder, name: "measured", configPath },
        environment: null,
        start: { ...START, targets: [folder], turn },
      },
    ]);
  });

  it.each([
    { folder: "/runs/nowhere", source: "training", step: 0, group: 0, rollout: 0, turn: 0 },
    { source: "evaluation", step: 0, group: 0, rollout: 0, turn: 0 },
    { source: "training", step: 0, group: 0, rollout: 0, turn: -1 },
    { source: "training", step: 0, group: 9, rollout: 9, turn: 0 },
    null,
  ])("does not start for %j", async (target) => {
    const { continueFromHere, opened } = handlers();
    await continueFromHere(target === null ? null : { folder: run.folder, ...target });
    expect([opened, user.lists]).toEqual([[], []]);
  });
});
