import { afterEach, expect, it } from "vitest";
import { readRunFile } from "../../../src/core/runFolder/runFile.ts";
import { RunLease } from "../../../src/core/runFolder/runLease.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { RunControl } from "../../../src/core/training/run/control.ts";
import { ControlClient } from "../../../src/node/control/client.ts";
import type { RunFile } from "../../../src/shared/runFile.ts";
import { loadConfigText } from "../../../src/trainer/config/configFiles.ts";
import {
  ControlChannel,
  type ControlChannelOptions,
} from "../../../src/trainer/control/controlChannel.ts";
import { stepFinished } from "../../cli/fakeProgram.ts";
import { textWith } from "../../core/config/configText.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock, until } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const ears: ControlChannel[] = [];

afterEach(async () => {
  for (const controlChannel of ears.splice(0)) await controlChannel.close();
});

async function open(changes: Partial<ControlChannelOptions> = {}) {
  const clock = new FakeClock();
  const control = new RunControl();
  const fileSystem = createMemoryFileSystem();
  const parts = { clock, control, fileSystem, log: silentLog };
  const controlChannel = await ControlChannel.open({ ...parts, stopNow: unused, ...changes });
  ears.push(controlChannel);
  const { address } = controlChannel;
  if (address === null) throw new Error("the ear does not listen");
  /** The run has its folder, through which editors find it. */
  const prepare = (file = RUN_FILE): void => {
    const loaded = loadConfigText(textWith(""), "/project/run.yaml", []);
    const lease = new RunLease({ fileSystem, clock, folder: "/runs/demo", file });
    controlChannel.onPrepared({ loaded, redactor: new Redactor() }, lease);
  };
  return {
    clock,
    control,
    controlChannel,
    fileSystem,
    prepare,
    connect: () => ControlClient.open(address),
  };
}

it("a run leaves its sweep with a change of a setting that the sweep varies", async () => {
  const { control, fileSystem, prepare, connect } = await open();
  const settings = ["learning_rate=1e-5"];
  const sweep = { id: "s", name: "rates", combination: 0, combinations: 2, settings };
  prepare({ ...RUN_FILE, sweep });
  const client = await connect();
  const change = async (text: string, step: number) => {
    await client.send({ action: "change-settings", settings: [text] });
    const taken = control.takeSettingsChange();
    await taken?.record({ keys: taken.keys, step });
    return (await readRunFile(fileSystem, "/runs/demo"))?.sweep?.left;
  };
  expect(await change("save_every=3", 1)).toBeUndefined();
  const left = { step: 4, keys: ["learning_rate"] };
  expect(await change("learning_rate=2e-5", 4)).toEqual(left);
  expect(await change("learning_rate=1e-5", 6)).toEqual(left);
});

const RUN_FILE: RunFile = aRunFile({ owner: "editor", phase: "preparing" });

function unused(): void {
  throw new Error("nobody asked for this");
}

it("a run is stopped and saved a minute after the last editor disconnected", async () => {
  const { clock, control, prepare, connect } = await open({ onQuit: "stop and save" });
  prepare();
  const one = await connect();
  const two = await connect();
  await one.send({ action: "attach" });
  await two.send({ action: "attach" });
  one.close();
  await clock.advance(300_000);
  expect(control.isStopping).toBe(false);
  two.close();
  await until(() => clock.sleeping > 0);
  await clock.advance(59_000);
  expect(control.isStopping).toBe(false);
  await clock.advance(1_000);
  expect(control.isStopping).toBe(true);
});

it("an editor that reconnects in time finds the run unchanged", async () => {
  const { clock, control, prepare, connect } = await open({ onQuit: "stop and save" });
  prepare();
  const before = await connect();
  await before.send({ action: "attach" });
  await clock.advance(1_000);
  before.close();
  await until(() => clock.sleeping > 0);
  await clock.advance(50_000);
  const after = await connect();
  await after.send({ action: "attach" });
  await clock.advance(300_000);
  expect(control.isStopping).toBe(false);
});

it("a run whose editor never connects is stopped too, however long its preparation took", async () => {
  const { clock, control, prepare } = await open({ onQuit: "stop and save" });
  await clock.advance(600_000);
  expect(control.isStopping).toBe(false);
  prepare();
  await clock.advance(59_000);
  expect(control.isStopping).toBe(false);
  await clock.advance(1_000);
  expect(control.isStopping).toBe(true);
});

it("a status request from a terminal does not count as an editor", async () => {
  const { clock, control, prepare, connect } = await open({ onQuit: "stop and save" });
  prepare();
  const looking = await connect();
  await looking.send({ action: "status" });
  await clock.advance(60_000);
  expect(control.isStopping).toBe(true);
});

it.each([{ onQuit: "keep running" as const }, {}])(
  "with %j a run continues without an editor",
  async (how) => {
    const { clock, control, prepare, connect } = await open(how);
    prepare();
    const editor = await connect();
    await editor.send({ action: "attach" });
    editor.close();
    await clock.advance(600_000);
    expect(control.isStopping).toBe(false);
  },
);

it("reported status follows the run, including its last phases", async () => {
  const { control, controlChannel, connect } = await open();
  const client = await connect();
  const status = async () => (await client.send({ action: "status" })).status;
  expect(await status()).toMatchObject({ phase: "preparing", folder: null });
  const plan = {
    name: "demo",
    model: "m",
    isTotalAtMost: false,
    stopAtStep: null,
    groupsPerStep: 1,
    stepsAhead: 0,
    environments: [],
  };
  controlChannel.onProgress({
    kind: "started",
    folder: "/runs/demo",
    step: 2,
    totalSteps: 9,
    ...plan,
  });
  const begun = { phase: "running", folder: "/runs/demo", step: 2, totalSteps: 9 };
  expect(await status()).toMatchObject(begun);
  // An upper bound is not shown as a total: the run list uses the estimate of the last row instead.
  controlChannel.onProgress(stepFinished({ step: 2, totalSteps: 9, isTotalAtMost: true }));
  expect(await status()).toMatchObject({ step: 3, totalSteps: null });
  expect((await client.send({ action: "pause" })).status.phase).toBe("pausing");
  controlChannel.onProgress({ kind: "paused", step: 3 });
  expect((await status()).phase).toBe("paused");
  await client.send({ action: "continue" });
  controlChannel.onProgress({ kind: "continued", step: 3 });
  expect((await status()).phase).toBe("running");
  control.endSteps();
  controlChannel.onPhase("finishing");
  await expect(client.send({ action: "pause" })).rejects.toMatchObject({ code: "run-ended" });
  expect((await status()).phase).toBe("finishing");
});

it("editors are notified of each other", async () => {
  const { connect } = await open();
  const one = await connect();
  const two = await connect();
  expect((await one.send({ action: "attach" })).status.attached).toBe(1);
  expect((await two.send({ action: "attach" })).status.attached).toBe(2);
});
