import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { readRun } from "../../../src/core/runs/runList.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { createChatTools } from "../../../src/host/tools/chatTools.ts";
import { registerTools } from "../../../src/host/tools/registerTools.ts";
import type { RunTools } from "../../../src/server/tools/runTools.ts";
import { TOOLS, type ToolId, toolName } from "../../../src/server/tools/toolTable.ts";
import { MAX_CHARS } from "../../../src/server/tools/toolText.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";
import { type WrittenRun, writeHardRun } from "../../server/dashboard/writtenRun.ts";
import { readFramed } from "../../server/tools/framed.ts";

type Registered = {
  invoke(options: { input: unknown }): Promise<{ content: { value: string }[] }>;
};
const editor = vi.hoisted(() => ({
  root: "",
  isTrusted: true,
  text: "",
  lm: undefined as undefined | { registerTool: (name: string, tool: unknown) => unknown },
}));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  LanguageModelTextPart: class {
    value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
  LanguageModelToolResult: class {
    content: unknown;
    constructor(content: unknown) {
      this.content = content;
    }
  },
  get lm() {
    return editor.lm;
  },
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
    getConfiguration: () => ({ get: () => ({}), inspect: () => undefined }),
    getWorkspaceFolder: ({ fsPath }: { fsPath: string }) =>
      fsPath.startsWith(editor.root) ? { uri: { fsPath: editor.root } } : undefined,
    openTextDocument: async ({ fsPath }: { fsPath: string }) => ({
      fileName: fsPath,
      getText: () => editor.text,
    }),
  },
}));

const fileSystem = filesOnDisk();
editor.root = folderOfAllTests();
const redactor = new Redactor();
let written: WrittenRun;
let run: RunEntry;
let tools: RunTools;

beforeAll(async () => {
  written = await writeHardRun(fileSystem, join(editor.root, "runs"));
  const named = { name: "hard", folder: written.folder };
  const listed = await readRun(fileSystem, named, {
    nowMs: Date.now(),
    isProcessAlive: () => true,
  });
  if (listed === null) throw new Error("The run was not written.");
  run = { ...listed, status: null, best: null, isLive: true };
  tools = createChatTools({
    fileSystem,
    redactor,
    now: Date.now,
    store: { runs: [run] },
    // Only the members of a run that are used.
    finder: { configs: [{ fsPath: join(editor.root, "a", "tinker-config.yaml") } as never] },
  });
});

async function ask(id: ToolId, input: unknown = {}) {
  const text = await tools.answer(id, input);
  expect(text.length).toBeLessThanOrEqual(MAX_CHARS);
  // No terminal control characters, and no local folders.
  expect(text).not.toMatch(/(?![\n\u200c\u200d])[\p{Cc}\p{Cf}]/u);
  return readFramed(text);
}

describe("language model tools", () => {
  it("list runs under names that the other tools accept", async () => {
    const { runs } = await ask("listRuns");
    expect(runs).toMatchObject([{ run: "runs/hard", phase: "running", steps: 24 }]);
    expect(JSON.stringify(runs)).not.toContain(editor.root);
    for (const name of ["runs/hard", "hard"]) {
      expect((await ask("readMetrics", { run: name })).completedSteps).toBe(24);
    }
  });

  it("leave out the oldest of many runs", async () => {
    const runs = Array.from({ length: 50 }, (_, at) => {
      const name = `run-${at}-${"x".repeat(600)}`;
      return { ...run, name, folder: join(editor.root, "runs", name) };
    });
    const many = createChatTools({
      fileSystem,
      redactor,
      now: Date.now,
      store: { runs },
      finder: { configs: [] },
    });
    const text = await many.answer("listRuns", {});
    expect(text.length).toBeLessThanOrEqual(MAX_CHARS);
    const listed = readFramed(text);
    expect(listed.runs[0].run).toContain("run-0-");
    expect(listed.runs.length + listed.omittedRuns).toBe(50);
    expect(listed.omittedRuns).toBeGreaterThan(0);
  });

  it("read the most informative metrics, or named ones, and list the others", async () => {
    const telling = await ask("readMetrics", { run: "hard", lastSteps: 3 });
    expect(telling.steps.map(({ step }: { step: number }) => step)).toEqual([22, 23, 24]);
    expect(telling.steps[0].metrics).toHaveProperty("rollout/reward/mean");
    expect(telling.steps[0].metrics).not.toHaveProperty("time/train_s");
    expect(telling.otherMetrics).toContain("time/train_s");
    expect(telling.evaluations).toMatchObject([{ step: 0 }, { step: 20 }]);
    const named = await ask("readMetrics", { run: "hard", metrics: ["time/train_s"] });
    expect(Object.keys(named.steps[0].metrics)).toEqual(["time/train_s"]);
  });

  it("list rollouts and read one turn by turn, whatever text the model wrote", async () => {
    const step = written.step + 1;
    const { rollouts } = await ask("readRollouts", { run: "hard", step });
    expect(rollouts.length).toBeGreaterThan(10);
    const { trajectories } = await ask("readRollouts", { run: "hard", step, group: 1, rollout: 1 });
    expect(trajectories).toHaveLength(1);
    expect(trajectories[0].turns.length).toBeGreaterThan(0);
    const later = await ask("readRollouts", { run: "hard", step, from: 2 });
    expect(later.rollouts).toHaveLength(20);
    expect(later.rollouts[0].group).toBe(2);
    expect(later.later).toBe(
      rollouts.filter(({ group }: { group: number }) => group > 1).length - 20,
    );
    const at = { run: "hard", step, group: 1, rollout: 1, from: 2 };
    expect((await ask("readRollouts", at)).trajectories[0].turns).toEqual(
      trajectories[0].turns.slice(1, 21),
    );
    await expect(ask("readRollouts", { run: "hard", step: 900 })).rejects.toThrow(
      "There are no rollouts of step 900. The last steps are ",
    );
    await expect(ask("readRollouts", { run: "hard", step, group: 999 })).rejects.toThrow(
      "List the rollouts first",
    );
  });

  it("explain an alarm: its evidence, meaning, and remedies", async () => {
    const { firing, earlier } = await ask("explainAlarms", { run: "hard" });
    expect(firing).toMatchObject([
      {
        alarm: "truncated_turns",
        severity: "warning",
        step: 19,
        seen: expect.stringContaining("cut off"),
        edits: ["max_response_tokens=96"],
        takesEffect: "at once",
      },
    ]);
    expect(earlier).toMatchObject([{ step: 19 }]);
  });

  it("validate a workspace configuration as edited, and no other file", async () => {
    editor.text = "model_name: local/tiny-tool\nbatch_size: no\n";
    const answer = await ask("validateConfig", { path: "a/tinker-config.yaml" });
    expect(answer).toMatchObject({ configPath: "a/tinker-config.yaml", isValid: false });
    expect(answer.problems).toContainEqual(
      expect.objectContaining({ key: ["batch_size"], line: 2, severity: "error" }),
    );
    for (const path of ["/etc/passwd", "../a/tinker-config.yaml", "a/.env"]) {
      await expect(ask("validateConfig", { path })).rejects.toThrow("Available: a/tinker-config");
    }
  });

  it.each([
    ["readMetrics", {}],
    ["readMetrics", { run: 1 }],
    ["readMetrics", { run: "hard", lastSteps: 1e6 }],
    ["readRollouts", { run: "hard", step: "1" }],
    ["validateConfig", null],
  ] as const)("%s rejects %j", async (id, input) => {
    await expect(ask(id, input)).rejects.toThrow("The input is not valid");
  });

  it.each(["/", "../hard", "runs", `runs/hard/../hard`])(
    "read no folder outside the listed runs: %s",
    async (name) => {
      await expect(ask("readMetrics", { run: name })).rejects.toThrow("Available: runs/hard");
    },
  );
});

describe("the registration of tools", () => {
  it("registers each tool of the table, and passes its input on", async () => {
    const registered = new Map<string, Registered>();
    editor.lm = {
      registerTool: (name, tool) => registered.set(name, tool as Registered), // as it was registered
    };
    const answer = vi.fn(async () => "{}");
    registerTools({ answer, redactor });
    const names = (Object.keys(TOOLS) as ToolId[]).map(toolName); // the keys of the record have this type
    expect([...registered.keys()]).toEqual(names);
    const result = await registered.get("tinkerRL_readMetrics")?.invoke({ input: { run: "x" } });
    expect(result?.content).toMatchObject([{ value: "{}" }]);
    expect(answer).toHaveBeenCalledWith("readMetrics", { run: "x" });
  });

  it("reports a tool's error without secrets", async () => {
    const learned = new Redactor();
    learned.learn("tml-secret-4f1c9a7e2b8d");
    const tool: Registered[] = [];
    editor.lm = { registerTool: (_, each) => tool.push(each as Registered) }; // as it was registered
    registerTools({
      redactor: learned,
      answer: () => Promise.reject(new Error("No tml-secret-4f1c9a7e2b8d here.")),
    });
    await expect(tool[0]?.invoke({ input: {} })).rejects.toThrow("No *** here.");
  });

  it("marks, cleans and truncates a tool's error like an answer", async () => {
    const tool: Registered[] = [];
    editor.lm = { registerTool: (_, each) => tool.push(each as Registered) }; // as it was registered
    const message = `Available: ${"run\u202Eevil\u001b[31m, ".repeat(10_000)}`;
    registerTools({ redactor, answer: () => Promise.reject(new Error(message)) });
    const failed = await tool[0]?.invoke({ input: {} }).catch((error: unknown) => error);
    const text = failed instanceof Error ? failed.message : "";
    expect(text.length).toBeLessThanOrEqual(MAX_CHARS);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(readFramed(text).error).toContain("Available: run");
  });

  it("does nothing in an editor without tools", () => {
    editor.lm = undefined;
    expect(() => registerTools({ answer: async () => "", redactor })).not.toThrow();
  });
});
