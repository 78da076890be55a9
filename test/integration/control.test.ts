/** Whole runs that are watched and controlled while they are in progress. */

import { existsSync } from "node:fs";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { listRuns } from "../../src/core/runs/runList.ts";
import { RunControl } from "../../src/core/training/run/control.ts";
import { systemClock } from "../../src/node/clock.ts";
import { ControlClient } from "../../src/node/control/client.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import type { LaunchRequest, RunStatus } from "../../src/shared/control.ts";
import { ControlChannel } from "../../src/trainer/control/controlChannel.ts";
import { debugLog } from "../../src/trainer/services/debugLog.ts";
import { orderOf } from "../fakes/anOrder.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { trained } from "./comparedRuns.ts";
import {
  amidRollouts,
  connectTo,
  eventually,
  linesIn,
  readLaunch,
  resume,
  runFile,
  runIn,
  shortly,
  spawnProgram,
  train,
} from "./controlledRun.ts";
import { execute, runFolderWith } from "./localRun.ts";
import { renaming } from "./tinkerServersGaps.ts";
import { type Gateway, startGateway } from "./tinkerServersProxy.ts";
import { type Serving, startServing } from "./trainProgram.ts";

const STEPS = 4;
const RATE = 1e-3;
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 6
max_steps: ${STEPS}
learning_rate: ${RATE}
warmup_steps: 0
max_active_tasks: 8
save_every: 0
rolling_save_every: 0
`;

function project(config = CONFIG): Promise<string> {
  return runFolderWith(config);
}

let undisturbed: unknown;
beforeAll(async () => {
  const folder = await project();
  expect((await train(folder).ended).outcome).toBe("done");
  undisturbed = await trained(runIn(folder));
});

const checkpoint = z.object({ name: z.string(), kind: z.string(), step: z.number() });
const kinds = async (folder: string) =>
  (await linesIn(folder, "checkpoints.jsonl", checkpoint)).map(
    ({ kind, step }) => `${kind} ${step}`,
  );

describe("a run that is paused and saved", () => {
  it("gives the same result as an undisturbed run", async () => {
    const folder = await project();
    const phases: string[] = [];
    const run = train(folder);
    const client = await connectTo(folder, ({ phase }) => phases.push(phase));
    await client.send({ action: "attach" });
    await run.saw(amidRollouts(0));
    await client.send({ action: "pause" });
    const paused = await run.saw(({ kind }) => kind === "paused");
    const step = "step" in paused ? paused.step : -1;
    expect((await runFile(folder)).phase).toBe("paused");
    expect((await client.send({ action: "status" })).status).toMatchObject({
      phase: "paused",
      step,
    });
    expect((await client.send({ action: "save" })).message).toBe(
      `Saved manual_00000${step} after ${step} step${step === 1 ? "" : "s"}.`,
    );
    await client.send({ action: "continue" });
    await run.saw(amidRollouts(step + 1));
    const { message } = await client.send({ action: "save" });
    expect(message).toMatch(/^Saved (manual|final)_/);
    expect((await run.ended).outcome).toBe("done");
    expect(await trained(runIn(folder))).toEqual(undisturbed);
    expect(phases.at(-1)).toBe("done");
    expect(await runFile(folder)).toMatchObject({ phase: "done", control: null });
    expect(await kinds(folder)).toEqual(expect.arrayContaining([`manual ${step}`, "final 4"]));
  });

  it("is saved when it is stopped during the pause, and resumes from there", async () => {
    const folder = await project();
    const run = train(folder);
    const client = await connectTo(folder);
    await run.saw(amidRollouts(1));
    await client.send({ action: "pause" });
    const paused = await run.saw(({ kind }) => kind === "paused");
    await client.send({ action: "stop" });
    expect((await run.ended).outcome).toBe("stopped");
    expect(await runFile(folder)).toMatchObject({ phase: "stopped", control: null });
    expect(await kinds(folder)).toEqual([`interrupt ${"step" in paused ? paused.step : -1}`]);
    await expectExactResume(folder);
  });
});

/** Expects that the run resumes to the same result as an undisturbed run. */
async function expectExactResume(folder: string): Promise<void> {
  expect((await resume(folder).ended).outcome).toBe("done");
  expect(await trained(runIn(folder))).toEqual(undisturbed);
}

describe("a run that is killed after a save in the middle of rollouts", () => {
  it("resumes from that save to the same result, and leaves no socket behind", async () => {
    const folder = await project();
    const program = spawnProgram(["train", join(folder, "config.yaml")], null);
    let status: RunStatus | null = null;
    const client = await connectTo(folder, (now) => {
      status = now;
    });
    await client.send({ action: "attach" });
    await eventually(async () => (status !== null && status.step >= 1 ? status : null));
    // The pause keeps it from finishing before it is killed.
    const [{ message }] = await Promise.all([
      client.send({ action: "save" }),
      client.send({ action: "pause" }),
    ]);
    const saved = /manual_0*(\d+)/.exec(message)?.[1] ?? "";
    const { control } = await runFile(folder);
    expect(await client.send({ action: "stop-now" })).toMatchObject({
      message: "The run ends without saving.",
    });
    expect(await program.ended, program.printed()).toBe(6);
    expect(await kinds(folder)).toEqual([`manual ${saved}`]);
    expect(existsSync(dirname(control?.tokenPath ?? "."))).toBe(false);
    await expectExactResume(folder);
  });
});

const row = z.object({ step: z.number(), lr: z.number() });

describe("a run whose settings are changed", () => {
  it("applies them from the next step on, records them, and keeps them after a resume", async () => {
    const folder = await project();
    const run = train(folder);
    const client = await connectTo(folder);
    await run.saw(({ kind }) => kind === "step-started");
    await expect(
      client.send({ action: "change-settings", settings: ["learning_rate=1e-4", "seed=7"] }),
    ).rejects.toMatchObject({ code: "config-not-tunable" });
    await client.send({ action: "change-settings", settings: ["learning_rate=5e-4"] });
    await client.send({ action: "change-settings", settings: ["weight_decay=0.125"] });
    const applySettings = await run.saw(({ kind }) => kind === "settings-changed");
    expect(applySettings).toMatchObject({ keys: ["learning_rate", "weight_decay"] });
    const first = "step" in applySettings ? applySettings.step : -1;
    await run.saw(amidRollouts(first + 1));
    await client.send({ action: "stop" });
    expect((await run.ended).outcome).toBe("stopped");

    const json = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(runIn(folder), name), "utf8"));
    expect(await json("overrides.json")).toEqual(["learning_rate=5e-4", "weight_decay=0.125"]);
    expect(await json("config.resolved.json")).toMatchObject({ learning_rate: 5e-4, seed: 42 });
    expect((await resume(folder).ended).outcome).toBe("done");
    const rates = (await linesIn(folder, "metrics.jsonl", row)).map(({ lr }) => lr);
    expect(rates).toEqual(Array.from({ length: STEPS }, (_, step) => (step < first ? RATE : 5e-4)));
  });

  it("continues unchanged when they cannot be applied", async () => {
    const folder = await project();
    const run = train(folder);
    const client = await connectTo(folder);
    await run.saw(({ kind }) => kind === "step-started");
    const settings = ["learning_rate_schedule=cosine", "max_steps=null"];
    await expect(client.send({ action: "change-settings", settings })).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(/cosine schedule needs an end/),
    });
    expect((await run.ended).outcome).toBe("done");
    expect(await trained(runIn(folder))).toEqual(undisturbed);
  });
});

describe("a run whose editor disconnects", () => {
  /** A run that an editor watches from its first step to its second. */
  async function left(onQuit: LaunchRequest["onQuit"]) {
    const folder = await project();
    const clock = new FakeClock();
    const control = new RunControl();
    const fileSystem = createFileSystem();
    const controlChannel = await ControlChannel.open({
      clock,
      control,
      fileSystem,
      onQuit,
      log: debugLog,
      stopNow: () => undefined,
    });
    if (controlChannel.address === null) throw new Error("the run cannot be controlled");
    const editor = await ControlClient.open(controlChannel.address);
    await editor.send({ action: "attach" });
    let isGone = false;
    const running = execute(folder, {
      owner: "editor",
      fileSystem,
      control,
      controlChannel,
      watch: (event) => {
        controlChannel.onProgress(event);
        if (event.kind !== "step-started" || event.step !== 1) return;
        isGone = true;
        editor.close();
      },
    });
    let hasEnded = false;
    const ended = running.finally(() => {
      hasEnded = true;
    });
    // The trainer sees the disconnect slightly after the editor.
    for (; !hasEnded; await shortly()) if (isGone) await clock.advance(60_000);
    const end = await ended;
    await controlChannel.close();
    await fileSystem.close();
    return { ...end, folder };
  }

  it("is stopped and saved a minute later, if that was requested", async () => {
    const { outcome, folder } = await left("stop and save");
    expect(outcome).toBe("stopped");
    expect((await kinds(folder)).at(-1)).toMatch(/^interrupt [123]$/);
    await expectExactResume(folder);
  });

  it("continues to its end, if that was requested", async () => {
    const { outcome, folder } = await left("keep running");
    expect(outcome).toBe("done");
    expect(await trained(runIn(folder))).toEqual(undisturbed);
  });
});

describe("a trainer that an editor starts", () => {
  const MODEL = "Org/Tiny-tool-1";
  let serving: Serving;
  let gateway: Gateway;
  beforeAll(async () => {
    serving = await startServing(join(await project(""), "checkpoints"));
    const filter = renaming("local/tiny-tool", MODEL);
    gateway = await startGateway({ upstream: serving.tinkerUrl, prefix: "", filter });
  });
  afterAll(async () => {
    gateway.close();
    await serving.stop();
  });

  /** The model behind the gateway; environments are embedded. */
  function served(): string {
    return `${CONFIG.replace("local/tiny-tool", MODEL).replace(/max_steps: .*/, "max_steps: 1")}
lora_rank: 8
tokenizer_name: ${resolve("src/local/engine/model")}
max_response_tokens: 64
max_total_tokens: 256
tinker_base_url: ${gateway.url}
`;
  }

  function keysFor(host: string | null): Pick<LaunchRequest, "keys"> {
    return { keys: { TINKER_API_KEY: { value: serving.key, origin: "store", host } } };
  }

  async function launch(changes: Partial<LaunchRequest>) {
    const folder = await project(served());
    const launchRequest = await orderOf(join(folder, "config.yaml"), changes);
    const launchFolder = join(folder, "launch");
    await mkdir(launchFolder);
    return {
      folder,
      launchFolder,
      program: spawnProgram(["--launch", launchFolder], launchRequest),
    };
  }

  it("reports its progress, and keeps the keys of its launch request in memory only", async () => {
    const { host } = new URL(gateway.url);
    const { folder, launchFolder, program } = await launch(keysFor(host));
    const begun = await eventually(async () => {
      const file = await readLaunch(launchFolder);
      return file.control === null ? null : file;
    });
    expect(begun).toMatchObject({ pid: program.child.pid, exitCode: null, error: null });
    if (begun.control === null) throw new Error("it listens");
    const editor = await ControlClient.open(begun.control);
    await editor.send({ action: "attach" });
    expect(await program.ended, program.printed()).toBe(0);
    expect(await readLaunch(launchFolder)).toEqual({
      schemaVersion: 1,
      pid: program.child.pid,
      control: null,
      folder: runIn(folder),
      exitCode: 0,
      error: null,
    });
    expect((await runFile(folder)).owner).toBe("editor");
    expect(program.printed()).not.toContain(serving.key);
    for (const name of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue;
      const bytes = await readFile(join(name.parentPath, name.name));
      expect(bytes.includes(serving.key), name.name).toBe(false);
    }
  });

  it("sends no key to a host from the configuration unless that host was approved", async () => {
    const asked = gateway.asked.length;
    const refused = await launch(keysFor(null));
    expect(await refused.program.ended).toBe(2);
    const { origin } = new URL(gateway.url);
    expect(await readLaunch(refused.launchFolder)).toMatchObject({
      control: null,
      folder: null,
      exitCode: 2,
      error: { code: "key-host-not-allowed", key: "TINKER_API_KEY", host: origin },
    });
    expect(gateway.asked.slice(asked)).toEqual([]);

    const approved = await launch({
      ...keysFor(null),
      allowedOrigins: [{ origin, key: "TINKER_API_KEY" }],
    });
    expect(await approved.program.ended, approved.program.printed()).toBe(0);
  });
});

describe("a run that is ended immediately, without a save", () => {
  const long = (): Promise<string> => project(CONFIG.replace(/max_steps: .*/, "max_steps: 50"));
  const STOPPED_NOW = {
    phase: "stopped",
    control: null,
    ending: { code: "stopped", message: "The run was ended immediately, without a save." },
  };

  it("records that in its folder for all readers after its process ends", async () => {
    const folder = await long();
    const program = spawnProgram(["train", `${folder}/config.yaml`], null);
    const client = await connectTo(folder);
    await client.send({ action: "stop-now" });
    expect(await program.ended, program.printed()).toBe(6);
    expect(await runFile(folder)).toMatchObject(STOPPED_NOW);
    const fileSystem = createFileSystem();
    const liveness = { nowMs: systemClock.now(), isProcessAlive: () => false };
    const [listed] = await listRuns(fileSystem, `${folder}/.tinker-rl/runs`, liveness);
    await fileSystem.close();
    expect(listed?.phase).toBe("stopped");
  });

  it("keeps that record while work in progress finishes", async () => {
    const folder = await long();
    const run = train(folder);
    await run.saw(amidRollouts(0));
    run.stopNow();
    expect((await run.ended).outcome).toBe("interrupted");
    expect(await runFile(folder)).toMatchObject(STOPPED_NOW);
    await run.saw(({ kind }) => kind === "ended");
    expect(await runFile(folder)).toMatchObject(STOPPED_NOW);
  });
});
