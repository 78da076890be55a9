import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { startConfig, startDigest } from "../../src/node/startConfig.ts";
import { openChat } from "../../src/trainer/chat/openChat.ts";
import { aCheckpointEntry, aRunFile } from "../core/runFolder/builders.ts";
import { anOrder } from "../fakes/anOrder.ts";
import { filesOnDisk, folderOfThisTest } from "../fakes/onDisk.ts";
import { type RefusingServer, serveRefusals } from "../fakes/serveHere.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

const KEY = "tml-key-of-the-user";
const fileSystem = filesOnDisk();
const servers: RefusingServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A run whose stored configuration differs from the file that it names. */
async function aRun(judged: object, copied: object) {
  const project = folderOfThisTest();
  process.env["TINKER_RL_STORE"] = join(project, "checkpoints");
  const folder = join(project, ".tinker-rl", "runs", "config");
  const configPath = join(project, "config.yaml");
  const path = "tinker://run-1/sampler_weights/one";
  await mkdir(folder, { recursive: true });
  const runFile = aRunFile({
    runId: "run-1",
    name: "config",
    owner: "editor",
    attempt: 0,
    phase: "done",
    configPath,
  });
  const checkpoint = aCheckpointEntry({
    name: "one",
    step: 1,
    kind: "final",
    sampler_path: path,
  });
  for (const [file, value] of [
    [configPath, judged],
    [join(folder, "run.json"), runFile],
    [join(folder, "config.resolved.json"), copied],
    [join(folder, "checkpoints.jsonl"), checkpoint],
  ] as const) {
    await writeFile(file, `${JSON.stringify(value)}\n`);
  }
  return { folder, configPath };
}

async function open(
  run: Awaited<ReturnType<typeof aRun>>,
  target: string,
  origins: readonly string[],
) {
  const request = { resume: run.folder, overrides: [] };
  const start = await startConfig(fileSystem, request);
  const training = { configPath: run.configPath, ...request, digest: startDigest(start) };
  const names = ["TINKER_API_KEY", "OPENREWARD_API_KEY", "ORS_API_KEY"];
  const launchRequest = anOrder({
    training,
    keys: Object.fromEntries(
      names.map((name) => [name, { value: KEY, origin: "store", host: null }]),
    ),
    // As for a user who once approved both addresses.
    allowedOrigins: names.flatMap((key) =>
      origins.map((url) => ({ key, origin: new URL(url).origin })),
    ),
  });
  return openChat(fileSystem, {
    targets: [target],
    configPath: null,
    overrides: [],
    allowedOrigins: [],
    turn: null,
    isReplayed: false,
    system: null,
    launchRequest,
    signal: new AbortController().signal,
    programFolder: PROGRAM_FOLDER,
    task: { environment: "Owner/Game", split: null, index: 0 },
    onPart: () => undefined,
    onNotice: () => undefined,
  });
}

function config(more: object) {
  return {
    batch_size: 1,
    max_steps: 1,
    environments: { "Owner/Game": { splits: { train: {} }, num_rollouts: 2 } },
    ...more,
  };
}

describe("a conversation that an editor opens", () => {
  it.each([
    ["tinker_base_url", "Qwen/Qwen3-8B"],
    ["openreward_base_url", "local/tiny-tool"],
  ])(
    "takes %s from the file that the editor approved, whatever the run folder says",
    async (key, model_name) => {
      const [judged, other] = [await serveRefusals(), await serveRefusals()];
      servers.push(judged, other);
      const run = await aRun(
        config({ model_name, [key]: judged.url }),
        config({ model_name, [key]: other.url }),
      );
      const target = model_name.startsWith("local/") ? model_name : run.folder;
      await expect(open(run, target, [judged.url, other.url])).rejects.toThrow();
      expect(judged.requests.join()).toContain(KEY);
      expect(other.requests).toEqual([]);
    },
  );
});
