import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RunSlots } from "../../../src/host/runs/runSlots.ts";
import {
  type TrainingEnded,
  type TrainingRequest,
  Trainings,
} from "../../../src/host/runs/trainings.ts";
import { launchTrainer } from "../../../src/node/launch/launcher.ts";
import { LaunchStore } from "../../../src/node/launch/launchStore.ts";
import type { LaunchRequest } from "../../../src/shared/control.ts";
import { anOrder } from "../../fakes/anOrder.ts";
import { aTrainingRequest } from "../../fakes/aTrainingRequest.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

/** Long enough for a busy machine. */
const eventually = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000 });

const folder = folderOfEachTest();

/** Says hello, has a run folder, and ends successfully once a file `end` exists next to the program's configuration. */
const PROGRAM = `
const { existsSync, writeFileSync } = require("node:fs");
const launch = process.argv[process.argv.indexOf("--launch") + 1];
const note = (exitCode) => writeFileSync(launch + "/launch.json", JSON.stringify({
  schemaVersion: 1, pid: process.pid, control: null, folder: "/runs/demo", exitCode, error: null,
}));
note(null);
console.log("hello");
const timer = setInterval(() => {
  if (existsSync("program") && !existsSync("end")) return;
  clearInterval(timer);
  note(0);
}, 10);
`;

beforeEach(async () => {
  await mkdir(join(folder, "program"));
  await writeFile(join(folder, "program", "tinker-rl.js"), PROGRAM);
});

afterEach(() => writeFile(join(folder, "end"), ""));

/** As the request says. */
const orderOf = async ({ configPath, resume }: TrainingRequest): Promise<LaunchRequest> =>
  anOrder({ training: { configPath, resume, overrides: [], digest: null } });

const waiting = (trainings: Trainings): readonly string[] =>
  trainings.waiting.map(({ title }) => title);

function open({
  createLaunchRequest = orderOf,
}: {
  createLaunchRequest?: (request: TrainingRequest) => Promise<LaunchRequest | null>;
} = {}) {
  const slots = new RunSlots({ maxParallel: () => 1, choose: async () => "queue" });
  const launcher = {
    launches: new LaunchStore(join(folder, "launches")),
    programFolder: join(folder, "program"),
    copiesFolder: join(folder, "copies"),
    environment: () => ({}),
  };
  const trainings = new Trainings({
    slots,
    start: async (request, signal) => {
      const launchRequest = await createLaunchRequest(request);
      if (launchRequest === null) return null;
      signal.throwIfAborted();
      return await launchTrainer(launcher, { title: request.title, launchRequest });
    },
    recoverFromLaunchError: async () => false,
    onError: (error) => expect.unreachable(String(error)),
  });
  const ended: TrainingEnded[] = [];
  const detached: string[] = [];
  trainings.onDidEnd((end) => ended.push(end));
  trainings.onDidDetach(({ request }) => detached.push(request.title));
  const start = (title: string, changes: Partial<TrainingRequest> = {}) => {
    const configPath = join(folder, "c.yaml");
    const request = aTrainingRequest(configPath, { title, ...changes });
    const training = trainings.open(request, null);
    const closing = new AbortController();
    const print = vi.fn();
    const end = training.follow({ print, signal: closing.signal });
    end.catch(() => undefined);
    const close = (): void => {
      training.detached();
      closing.abort(new Error("closed"));
    };
    return { print, end, close };
  };
  return { trainings, ended, detached, start };
}

it("a training whose terminal was closed keeps its slot, and its end is reported", async () => {
  const { trainings, ended, detached, start } = open();
  const first = start("one");
  await eventually(() => expect(trainings.active[0]?.folder).toBe("/runs/demo"));
  first.close();
  expect(detached).toEqual(["one"]);
  start("two");
  await eventually(() => expect(waiting(trainings)).toEqual(["two"]));
  expect(trainings.active.map(({ request }) => request.title)).toEqual(["one"]);
  await writeFile(join(folder, "end"), "");
  await vi.waitFor(
    () => expect(ended).toMatchObject([{ exitCode: 0, folder: "/runs/demo" }]),
    5_000,
  );
  await eventually(() => expect(waiting(trainings)).toEqual([]));
});

it("a waiting training does not start without its terminal", async () => {
  const { trainings, detached, start } = open();
  start("one");
  const second = start("two");
  await eventually(() => expect(waiting(trainings)).toEqual(["two"]));
  second.close();
  await expect(second.end).rejects.toThrow("closed");
  expect([waiting(trainings), detached]).toEqual([[], []]);
});

it("nothing is started for a terminal that was closed during a prompt for keys", async () => {
  let answer = (_: LaunchRequest): void => undefined;
  const createLaunchRequest = () =>
    new Promise<LaunchRequest>((resolve) => {
      answer = resolve;
    });
  const { trainings, detached, start } = open({ createLaunchRequest });
  const { end, close } = start("one");
  await eventually(() => expect(trainings.active).toHaveLength(1));
  close();
  answer(anOrder());
  await expect(end).rejects.toThrow("closed");
  expect([trainings.active, detached]).toEqual([[], []]);
  expect(await new LaunchStore(join(folder, "launches")).list()).toEqual([]);
});

it("resumes a run whose configuration folder no longer exists", async () => {
  const { start } = open();
  await writeFile(join(folder, "end"), "");
  const { end } = start("one", { configPath: join(folder, "gone", "c.yaml"), resume: folder });
  expect(await end).toMatchObject({ exitCode: 0 });
});

it("reports that nothing was started when a prompt about keys is dismissed", async () => {
  const { start } = open({ createLaunchRequest: async () => null });
  const { end, print } = start("one");
  expect(await end).toBeNull();
  expect(print.mock.calls.join("")).toContain("Not started, because you canceled");
});

it("a run counts as started by hand only if a person just started it here: not after waiting for another, nor after joining it", async () => {
  const { trainings, start } = open();
  const launchOf = async () => (await new LaunchStore(join(folder, "launches")).list())[0]?.folder;
  start("one");
  await eventually(() => expect(trainings.active[0]?.folder).toBe("/runs/demo"));
  expect(trainings.active.map(({ isStartedByHand }) => isStartedByHand)).toEqual([true]);
  start("two");
  await eventually(() => expect(waiting(trainings)).toEqual(["two"]));
  const joined = open();
  const request = aTrainingRequest(join(folder, "c.yaml"), { title: "one" });
  const options = { print: vi.fn(), signal: new AbortController().signal };
  const following = joined.trainings.open(request, (await launchOf()) ?? "").follow(options);
  await eventually(() => expect(joined.trainings.active[0]?.folder).toBe("/runs/demo"));
  expect(joined.trainings.active[0]?.isStartedByHand).toBe(false);
  const byHand = new Map<string, boolean>();
  trainings.onDidChange(() => {
    for (const { request, isStartedByHand } of trainings.active) {
      byHand.set(request.title, isStartedByHand);
    }
  });
  await writeFile(join(folder, "end"), "");
  await following;
  await eventually(() => expect(byHand.get("two")).toBe(false));
});
