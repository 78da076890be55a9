import { beforeEach, describe, expect, it } from "vitest";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { RunControl } from "../../../src/core/training/run/control.ts";
import { readOverrides } from "../../../src/node/startConfig.ts";
import type { SweepMember } from "../../../src/shared/runFile.ts";
import { loadConfigText } from "../../../src/trainer/config/configFiles.ts";
import { RunCommandHandler } from "../../../src/trainer/control/commandHandler.ts";
import { textWith } from "../../core/config/configText.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const folder = "/runs/demo";
let control: RunControl;
let fileSystem: ReturnType<typeof createMemoryFileSystem>;
let calls: string[];
let handler: RunCommandHandler;

beforeEach(() => {
  control = new RunControl();
  fileSystem = createMemoryFileSystem();
  calls = [];
  handler = new RunCommandHandler({
    control,
    fileSystem,
    stopNow: () => calls.push("stopNow"),
    onPausing: (isPausing) => calls.push(isPausing ? "pausing" : "running"),
    onChange: async ({ keys, step }) => void calls.push(`${step}: ${keys.join(", ")}`),
  });
});

function prepare(overrides: readonly string[] = [], sweep?: SweepMember): void {
  const text = textWith("learning_rate: 1e-5");
  const loaded = loadConfigText(text, "/project/run.yaml", overrides);
  handler.prepared({ loaded, folder, redactor: new Redactor(), sweep });
}

function changeSettings(...settings: readonly string[]): Promise<string> {
  return handler.execute({ action: "change-settings", settings });
}

async function resolvedConfig(): Promise<unknown> {
  return JSON.parse(await fileSystem.readText(runPaths(folder).resolvedConfig));
}

describe("a command", () => {
  it("to pause and to continue is passed to the run and shown", async () => {
    expect(await handler.execute({ action: "pause" })).toBe("The run waits before its next step.");
    expect(control.isPausing).toBe(true);
    expect(await handler.execute({ action: "continue" })).toBe("The run continues.");
    expect(control.isPausing).toBe(false);
    expect(calls).toEqual(["pausing", "running"]);
  });

  it("to stop reports what happens to the run", async () => {
    expect(await handler.execute({ action: "stop" })).toMatch(/has not begun to train/);
    prepare();
    expect(await handler.execute({ action: "stop" })).toMatch(/saves its last completed one/);
    expect(control.isStopping).toBe(true);
  });

  it("to stop immediately is answered before it takes effect", async () => {
    await handler.execute({ action: "stop-now" });
    expect(calls).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual(["stopNow"]);
  });

  it("that needs steps is refused if nothing is trained, and a stop has nothing to save", async () => {
    handler.refuseTraining();
    prepare();
    const refusal = { code: "run-without-steps" };
    for (const action of ["pause", "save"] as const) {
      await expect(handler.execute({ action })).rejects.toMatchObject(refusal);
    }
    await expect(changeSettings("learning_rate=2e-5")).rejects.toMatchObject(refusal);
    expect(control.isPausing).toBe(false);
    expect(calls).toEqual([]);
    expect(await handler.execute({ action: "stop" })).toBe("The run ends; it has nothing to save.");
  });

  it("is refused after the last step", async () => {
    prepare();
    control.endSteps();
    await expect(handler.execute({ action: "pause" })).rejects.toMatchObject({ code: "run-ended" });
    await expect(changeSettings("learning_rate=2e-5")).rejects.toMatchObject({ code: "run-ended" });
    expect(calls).toEqual([]);
  });
});

describe("changed settings", () => {
  it("are refused until the run is prepared", async () => {
    await expect(changeSettings("learning_rate=2e-5")).rejects.toMatchObject({
      code: "run-preparing",
    });
  });

  it("override the file and earlier changes, and are recorded once in effect", async () => {
    prepare(["max_steps=9"]);
    expect(await changeSettings("learning_rate=2e-5", "save_every=3")).toBe(
      "From its next step on the run uses the new values of learning_rate, save_every.",
    );
    const command = control.takeSettingsChange();
    expect(command?.config).toMatchObject({ learning_rate: 2e-5, save_every: 3, max_steps: 9 });
    expect(fileSystem.files.size).toBe(0);
    await command?.record({ keys: command.keys, step: 3 });
    expect(calls).toEqual(["3: learning_rate, save_every"]);
    expect(await readOverrides(fileSystem, folder)).toEqual([
      "max_steps=9",
      "learning_rate=2e-5",
      "save_every=3",
    ]);
    expect(await resolvedConfig()).toMatchObject({ learning_rate: 2e-5, save_every: 3 });
  });

  it("of a key that the run's sweep varies end its part in the results", async () => {
    const settings = ["learning_rate=1e-5", "seed=1"];
    const sweep = { id: "s", name: "rates", combination: 0, combinations: 2, settings };
    prepare([], sweep);
    expect((await changeSettings("learning_rate=2e-5")).split("\n")).toEqual([
      "From its next step on the run uses the new value of learning_rate.",
      "The run no longer counts in the results of its sweep rates, which varies learning_rate.",
    ]);
    expect(await changeSettings("save_every=3")).not.toContain("sweep");
  });

  it("cause warnings once, before the answer", async () => {
    prepare();
    const sentence = (key: string): string =>
      `From its next step on the run uses the new value of ${key}.`;
    expect((await changeSettings("learning_rate=0")).split("\n")).toEqual([
      expect.stringMatching(/^--overrides learning_rate=0: warning: TRL207 /),
      sentence("learning_rate"),
    ]);
    expect(await changeSettings("save_every=3")).toBe(sentence("save_every"));
  });

  it("requested in sequence are combined", async () => {
    prepare();
    await changeSettings("learning_rate=2e-5");
    await changeSettings("save_every=3");
    const command = control.takeSettingsChange();
    expect(command?.config).toMatchObject({ learning_rate: 2e-5, save_every: 3 });
    expect(new Set(command?.keys)).toEqual(new Set(["learning_rate", "save_every"]));
  });

  it("still apply when the run is prepared again, as after a lost session", async () => {
    prepare();
    await changeSettings("save_every=3");
    await control.takeSettingsChange()?.record({ keys: ["save_every"], step: 3 });
    await changeSettings("weight_decay=0.5");
    expect(handler.settings?.config).toMatchObject({ save_every: 3, weight_decay: 0 });
    prepare(["save_every=3"]);
    await changeSettings("max_steps=9");
    const config = control.takeSettingsChange()?.config;
    expect(config).toMatchObject({ save_every: 3, weight_decay: 0.5, max_steps: 9 });
  });

  it("that were dropped are forgotten, with all pending ones", async () => {
    prepare();
    await changeSettings("save_every=3");
    await control.takeSettingsChange()?.record({ keys: ["save_every"], step: 3 });
    await changeSettings("weight_decay=0.5");
    await changeSettings("learning_rate=2e-5");
    control.takeSettingsChange()?.dropped();
    await changeSettings("max_steps=9");
    const config = control.takeSettingsChange()?.config;
    expect(config).toMatchObject({ save_every: 3, max_steps: 9, learning_rate: 1e-5 });
    expect(config?.weight_decay).not.toBe(0.5);
  });

  it.each<[string, string, RegExp]>([
    ["seed=7", "config-not-tunable", /^seed cannot change during the run/],
    ["loss_fn=cispo", "config-not-tunable", /^loss_fn cannot/],
    ["learning_rate=1e-5", "config-unchanged", /already/],
    ["learning_rate=-1", "config-invalid", /learning_rate/],
    ["lerning_rate=1", "config-invalid", /learning_rate/],
    ["nonsense", "config-invalid", /nonsense/],
  ])("%s is refused as %s, and is not kept", async (setting, code, message) => {
    prepare();
    const refusal = { code, message: expect.stringMatching(message) };
    await expect(changeSettings(setting)).rejects.toMatchObject(refusal);
    expect(control.takeSettingsChange()).toBeNull();
    await changeSettings("save_every=3");
    expect(control.takeSettingsChange()?.keys).toEqual(["save_every"]);
  });

  it("cannot include a secret, which would have to be recorded", async () => {
    prepare();
    const command = changeSettings("learning_rate=2e-5", "secrets.SEARCH_KEY=s-secret-1");
    await expect(command).rejects.toMatchObject({ code: "config-not-tunable" });
    expect(control.takeSettingsChange()).toBeNull();
  });
});
