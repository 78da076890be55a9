/** A trainer started by an editor as a separate process: watched, rejoined, controlled, and detected when it vanishes. */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sendAction, watchLaunch } from "../../src/host/runs/launchWatch.ts";
import { systemClock } from "../../src/node/clock.ts";
import { launchTrainer } from "../../src/node/launch/launcher.ts";
import { LaunchStore, readLaunch } from "../../src/node/launch/launchStore.ts";
import { RunStore } from "../../src/server/runs/runStore.ts";
import type { InsteadOfTraining, LaunchRequest } from "../../src/shared/control.ts";
import { orderOf } from "../fakes/anOrder.ts";
import { filesOnDisk, folderOfEachTest } from "../fakes/onDisk.ts";

const folder = folderOfEachTest();
let store: RunStore;
const fileSystem = filesOnDisk();
beforeEach(() => {
  store = new RunStore({
    fileSystem,
    clock: systemClock,
    nameOf: () => null,
    onError: () => undefined,
  });
});
afterEach(() => {
  store.close();
});

async function launch(settings: string, instead?: InsteadOfTraining) {
  const configPath = join(folder, "tinker-config.yaml");
  writeFileSync(
    configPath,
    `model_name: local/tiny-tool
lora_rank: 8
environments:
  local/calculator:
    splits: {train: {}}
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 2
${settings}
`,
  );
  return launchOf(withInstead(await orderOf(configPath), instead));
}

function launchOf(launchRequest: LaunchRequest): Promise<string> {
  return launchTrainer(
    {
      launches: new LaunchStore(join(folder, "launches")),
      programFolder: resolve("dist/trainer"),
      copiesFolder: join(folder, "copies"),
      environment: () => ({}),
    },
    { title: "train", launchRequest },
  );
}

function withInstead(request: LaunchRequest, instead?: InsteadOfTraining): LaunchRequest {
  if (instead === undefined) return request;
  return { ...request, training: { ...request.training, instead } };
}

it("refuses to evaluate with keys that were supplied for another configuration", async () => {
  const configPath = join(folder, "tinker-config.yaml");
  writeFileSync(configPath, "model_name: local/tiny-tool\n");
  const launchRequest = withInstead(await orderOf(configPath), {
    kind: "evaluate",
    models: ["base"],
  });
  writeFileSync(configPath, "model_name: org/other\n");
  const end = await watched(await launchOf(launchRequest)).ended;
  expect(end).toMatchObject({ exitCode: 2, folder: null, error: { code: "config-changed" } });
});

function watched(launchFolder: string) {
  let output = "";
  const ended = watchLaunch(launchFolder, {
    onOutput: (text) => {
      output += text;
    },
    onFolder: () => undefined,
  });
  return { ended, output: () => output };
}

it("trains to its end, reports it, and shows its full output to late joiners", async () => {
  const launchFolder = await launch("max_steps: 2");
  const first = watched(launchFolder);
  const end = await first.ended;
  expect(end).toMatchObject({ exitCode: 0, error: null });
  expect(first.output()).toContain("done after 2 steps");
  const late = watched(launchFolder);
  expect(await late.ended).toEqual(end);
  expect(late.output()).toBe(first.output());
});

it("is listed while it runs, accepts commands, and ends as stopped", async () => {
  const launchFolder = await launch("max_steps: 500");
  const { ended } = watched(launchFolder);
  const runs = join(folder, ".tinker-rl", "runs");
  await vi.waitFor(
    async () => {
      await store.look([runs], []);
      expect(store.runs[0]?.status?.step).toBeGreaterThan(0);
    },
    { timeout: 50_000, interval: 200 },
  );
  const run = store.runs[0]?.folder ?? "";
  expect(await store.send(run, { action: "pause" })).toMatch(/waits/);
  await vi.waitFor(() => expect(store.get(run)?.phase).toBe("paused"), { timeout: 20_000 });
  expect(await sendAction(launchFolder, "stop")).toMatch(/discards/);
  expect(await ended).toMatchObject({ exitCode: 3, folder: run });
  await vi.waitFor(() => expect(store.get(run)).toMatchObject({ phase: "stopped", isLive: false }));
});

it("is listed as interrupted after it was killed", async () => {
  const launchFolder = await launch("max_steps: 500");
  const { ended } = watched(launchFolder);
  await vi.waitFor(
    async () => expect((await readLaunch(launchFolder))?.file?.folder).toBeTypeOf("string"),
    { timeout: 30_000 },
  );
  const launched = await readLaunch(launchFolder);
  process.kill(launched?.file?.pid ?? 0, "SIGKILL");
  const end = await ended;
  expect(end.exitCode).toBeNull();
  await store.look([join(folder, ".tinker-rl", "runs")], []);
  expect(store.get(end.folder ?? "")?.phase).toBe("interrupted");
});

it("evaluates the base model and the run of the configuration", async () => {
  const settings = `max_steps: 1
evaluation: { splits: { local/calculator: [test] }, num_samples: 2, at_start: false, at_end: false }`;
  await watched(await launch(settings)).ended;
  const evaluation = watched(await launch(settings, { kind: "evaluate", models: [] }));
  const end = await evaluation.ended;
  const place = join(folder, ".tinker-rl", "runs", "tinker-config-evaluation");
  expect(end, evaluation.output()).toMatchObject({ exitCode: 0, error: null, folder: place });
  expect(evaluation.output()).toMatch(/^base .*\n.*step 1 /m);
  await store.look([join(folder, ".tinker-rl", "runs")], []);
  expect(store.get(place)?.phase).toBe("done");
});

it("plays a dry run whose folder is not listed", async () => {
  const played = watched(await launch("max_steps: 1", { kind: "dry_run" }));
  expect(await played.ended).toMatchObject({ exitCode: 0, error: null, folder: null });
  expect(played.output()).toContain("what would be trained");
});

it("writes its keys nowhere", async () => {
  const key = "tml-very-secret-key";
  const configPath = join(folder, "tinker-config.yaml");
  writeFileSync(configPath, "model_name: local/tiny-tool\n");
  const keys = { TINKER_API_KEY: { value: key, origin: "store", host: null } } as const;
  const launchRequest = await orderOf(configPath, { keys });
  const launchFolder = await launchOf(launchRequest);
  const { pid } = (await readLaunch(launchFolder))?.request ?? { pid: null };
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8");
  await watched(launchFolder).ended;
  const files = ["request.json", "launch.json", "output.log"];
  const texts = files.map((name) => readFileSync(join(launchFolder, name), "utf8"));
  expect([commandLine, ...texts].join("\n")).not.toContain(key);
});
