/**
 * A thousand untrusted run folders, generated from a seed: addresses, environments, secret names and checkpoint paths lead
 * elsewhere. Whatever a user does with such a folder in a terminal, no key, secret or change goes to a place only the folder names.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { redactSecrets } from "../../src/core/config/secretValues.ts";
import { isAppError } from "../../src/core/errors.ts";
import { RunRecord } from "../../src/node/runRecord.ts";
import { createUniform } from "../../src/shared/uniform.ts";
import { openChat } from "../../src/trainer/chat/openChat.ts";
import { changeInRun } from "../../src/trainer/checkpoints/changeInRun.ts";
import { downloadCheckpoint } from "../../src/trainer/checkpoints/downloadCheckpoint.ts";
import { loadConfigText } from "../../src/trainer/config/configFiles.ts";
import { requireNamedByUser } from "../../src/trainer/config/requireNamed.ts";
import {
  resumeTraining,
  startDryRun,
  startEvaluation,
  startTraining,
} from "../../src/trainer/trainer.ts";
import { billedRun } from "../../src/trainer/usage/billedRun.ts";
import { aCheckpointEntry, aRunFile } from "../core/runFolder/builders.ts";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";
import { type RefusingServer, serveRefusals } from "../fakes/serveHere.ts";
import { aRunState } from "./runState.ts";

const FOLDERS = 1_000;
const AT_ONCE = 10;
const SEED = 20_261_125;
const KEYS = ["TINKER_API_KEY", "OPENREWARD_API_KEY", "ORS_API_KEY"] as const;
const SECRETS = ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "NPM_TOKEN"] as const;
/** Ids of another run of the user, or of a path that escapes the store. */
const VICTIMS = ["victim:train:0", "other-1", "%2e%2e", "a%2Fb"];
const plantedValue = (name: string): string => `planted-value-of-${name}`;

const fileSystem = filesOnDisk();
const root = folderOfAllTests();
let elsewhere: RefusingServer;
let own: RefusingServer;

beforeAll(async () => {
  [elsewhere, own] = [await serveRefusals(), await serveRefusals()];
  const variables = {
    ...Object.fromEntries([...KEYS, ...SECRETS].map((name) => [name, plantedValue(name)])),
    TINKER_BASE_URL: own.url,
    OPENREWARD_SESSION_URL: own.url,
    OPENREWARD_API_URL: own.url,
    HF_HUB_OFFLINE: "1",
    HF_HOME: join(root, "hub"),
    XDG_CACHE_HOME: join(root, "cache"),
    TINKER_RL_STORE: join(root, "store"),
    HF_TOKEN: "",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  writeFileSync(
    join(root, "named.yaml"),
    JSON.stringify({ ...NAMED, log_path: join(root, "runs") }),
  );
});
afterAll(() => {
  vi.unstubAllEnvs();
  for (const server of [elsewhere, own]) server.close();
});

/** The configuration of the drill's user. */
const NAMED = {
  model_name: "Qwen/Qwen3-8B",
  batch_size: 1,
  max_steps: 1,
  environments: { "me/maze": { splits: { train: {} }, num_rollouts: 2 } },
};

interface Forged {
  readonly folder: string;
  /** The run's name. */
  readonly name: string;
}

type Pick = <T>(values: readonly T[]) => T;

function forge(name: string, uniform: () => number): Forged {
  const pick: Pick = (values) =>
    values[Math.floor(uniform() * values.length)] ?? values.at(0) ?? never();
  const isForged = (): boolean => uniform() < 0.5;
  const folder = join(root, "runs", name);
  mkdirSync(join(folder, "rollouts"), { recursive: true });
  const environment = isForged() ? pick(["evil/env", "evil/other", "me/maze2"]) : "me/maze";
  const secrets = isForged() ? { [pick(SECRETS).toLowerCase()]: null } : null;
  const ofEnvironment = isForged() || environment === "me/maze" ? { [pick(SECRETS)]: null } : null;
  const config = {
    ...NAMED,
    environments: {
      [environment]: { splits: { train: {} }, num_rollouts: 2, secrets: ofEnvironment },
    },
    ...(isForged() && { tinker_base_url: `${elsewhere.url}${pick(["", "/x", "/services"])}` }),
    ...(isForged() && { openreward_base_url: elsewhere.url }),
    ...(secrets !== null && { secrets }),
  };
  const run = pick(VICTIMS);
  const place = pick(["file", "overrides", "copy"]);
  const planted = join(folder, "planted.yaml");
  const given = (place === "file" ? config : NAMED) as Readonly<Record<string, unknown>>;
  if (place !== "copy") writeFileSync(planted, JSON.stringify(given));
  const overrides = Object.entries(config).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  if (place === "overrides") write(folder, "overrides.json", overrides);
  const loaded = loadConfigText(JSON.stringify(config), planted, []);
  write(folder, "config.resolved.json", redactSecrets(loaded.config));
  write(folder, "run.json", aRunFile({ name, pid: 2 ** 30, configPath: planted }));
  const paths = {
    state_path: `tinker://${run}/weights/final_000001`,
    sampler_path: `tinker://${run}/sampler_weights/final_000001`,
  };
  const saved = { ...paths, step: 1, expires_at: null };
  write(folder, "state.json", aRunState(1, { last_checkpoint: saved }));
  write(folder, "checkpoints.jsonl", aCheckpointEntry({ name: "one", kind: "best", ...saved }));
  write(folder, "events.jsonl", {
    timeMs: 1,
    attempt: 1,
    step: 0,
    level: "info",
    kind: "run-started",
    message: "",
    data: { model_id: run },
  });
  return { folder, name };
}

function never(): never {
  throw new Error("nothing to pick from");
}

function write(folder: string, name: string, value: unknown): void {
  writeFileSync(join(folder, name), `${JSON.stringify(value)}\n`);
}

const common = { owner: "terminal", watch: () => undefined } as const;
const places = () => ({ folder: root, isLocalOnly: false, allowedOrigins: [] });
const chatting = {
  configPath: null,
  overrides: [],
  allowedOrigins: [],
  turn: null,
  isReplayed: false,
  system: null,
  onPart: () => undefined,
  onNotice: () => undefined,
  signal: new AbortController().signal,
};

/** The actions of a user on a run folder. */
const DOORS: Readonly<Record<string, (forged: Forged) => Promise<unknown>>> = {
  resume: ({ folder }) => resumeTraining({ ...common, folder }).ended,
  sweep: ({ folder }) => {
    const named = { configPath: join(root, "named.yaml"), overrides: [] };
    return resumeTraining({ ...common, folder, named }).ended;
  },
  train: ({ name }) => startTraining({ ...common, ...automatic(name) }).ended,
  dryRun: ({ name }) => {
    const dry = { groups: 1, isKept: false, onPlayed: async () => undefined };
    return startDryRun({ ...common, ...automatic(name), ...dry }).ended;
  },
  evaluate: ({ folder }) =>
    startEvaluation({ ...common, configPath: null, models: [folder], splits: ["train"] }).ended,
  chat: ({ folder }) => {
    const task = { environment: null, split: null, index: 0 };
    return openChat(fileSystem, { ...chatting, targets: [folder], task });
  },
  chatFreely: ({ folder }) => openChat(fileSystem, { ...chatting, targets: [folder], task: null }),
  download: ({ folder }) => {
    const request = {
      source: folder,
      name: null,
      output: join(root, "weights"),
      programFolder: root,
    };
    return downloadCheckpoint(fileSystem, { ...places(), ...request });
  },
  ...Object.fromEntries(
    (["delete", "publish", "unpublish"] as const).map((action) => [
      action,
      ({ folder }: Forged) => changed(folder, { action }),
    ]),
  ),
  keep: ({ folder }) => changed(folder, { action: "set-ttl", ttlSeconds: null }),
  bill: ({ folder }) => billedRun(fileSystem.within(folder), { ...places(), runFolder: folder }),
};

function automatic(name: string) {
  const overrides = ["resume_from=auto", `run_name=${name}`];
  return { configPath: join(root, "named.yaml"), overrides };
}

async function changed(run: string, change: Parameters<typeof changeInRun>[1]["change"]) {
  for await (const _ of changeInRun(fileSystem, { ...places(), run, name: "one", change }));
}

/** How often runs ended with each error code. */
const ended = new Map<string, number>();

async function play(door: string, forged: Forged): Promise<void> {
  try {
    await DOORS[door]?.(forged);
    ended.set("none", (ended.get("none") ?? 0) + 1);
  } catch (error) {
    const code = isAppError(error) ? error.code : String(error);
    ended.set(code, (ended.get(code) ?? 0) + 1);
  }
}

it(`${FOLDERS} forged run folders send no key, no secret and no change to the places they name`, async () => {
  const uniform = createUniform(SEED);
  const doors = Object.keys(DOORS);
  for (let from = 0; from < FOLDERS; from += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, async (_, at) => {
      const forged = forge(`run-${from + at}`, uniform);
      await play(doors[(from + at) % doors.length] ?? "", forged);
      const record = await RunRecord.open(forged.folder);
      return VICTIMS.some((run) => record.isOwn(`tinker://${run}/weights/final_000001`));
    });
    expect(await Promise.all(batch)).not.toContain(true);
    expect(elsewhere.requests).toEqual([]);
  }
  expect(elsewhere.requests).toEqual([]);
  const atOwn = own.requests.join("\n");
  for (const name of SECRETS) expect(atOwn).not.toContain(plantedValue(name));
  const changes = own.requests.filter((request) => /checkpoints|publish|ttl/.test(request));
  expect(changes.filter((request) => !request.startsWith('["GET"'))).toEqual([]);
  // The folders must be what is refused, with the servers reachable.
  expect(ended.get("run-destination") ?? 0).toBeGreaterThan(FOLDERS / 4);
  expect(ended.get("checkpoint-not-own") ?? 0).toBeGreaterThan(0);
  expect(atOwn).toContain(plantedValue("TINKER_API_KEY"));
});

it("a key is sent once the user allows the origin, so the servers do record keys", async () => {
  const forged = forge("allowed", () => 0.1);
  const allowedOrigins = [{ origin: new URL(elsewhere.url).origin, key: null }];
  await resumeTraining({ ...common, folder: forged.folder, allowedOrigins }).ended.catch(
    () => undefined,
  );
  expect(elsewhere.requests.join()).toContain(plantedValue("TINKER_API_KEY"));
});

it("a user with a configuration is not asked for one", async () => {
  const { folder } = forge("advised", () => 0.1);
  const wanted = { addresses: { tinker_base_url: elsewhere.url }, environments: {} };
  const refused = (hasConfig: boolean) => requireNamedByUser(wanted, { folder, hasConfig }, {});
  await expect(refused(false)).rejects.toThrow("Specify your own configuration with -c FILE;");
  await expect(refused(true)).rejects.toThrow("Your configuration does not.");
});
