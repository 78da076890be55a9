/** The runs of the secrets test: each has its own folder and services, and is searched when it is over. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { editorRun } from "./secretsEditor.ts";
import { type Mood, startFakeServices } from "./secretsFakeServices.ts";
import { treeContents } from "./secretsPlaces.ts";
import {
  addresses,
  brokenConfigs,
  CONFIG,
  crashProgram,
  dotEnv,
  EMBEDDED_CONFIG,
  ENVIRONMENT_SECRETS,
  hostedConfig,
  KEYS,
  keysOf,
} from "./secretsPlanted.ts";
import { startProxy } from "./secretsProxy.ts";
import { makePlace, runWatched, type WatchedRun } from "./secretsRun.ts";
import type { Opened, SecretsSetup } from "./secretsSetup.ts";

const RUN = join(".tinker-rl", "runs", "run");
const TRAIN = ["train", "-c", CONFIG];
/** Makes the program log in detail. */
const DEBUG = { TINKER_RL_DEBUG: "1" };
const SERVICES = ["tinker", "environments", "wandb", "upload"] as const;

/** All cases; they may run in any order or concurrently. */
export function allCases(setup: SecretsSetup): readonly (() => Promise<void>)[] {
  return [
    () => terminalRun(setup, "online"),
    () => terminalRun(setup, "offline"),
    () => inCase(setup, "editor", hostedConfig(setup.planted, "online"), "grumbles", editorRun),
    () => proxiedRun(setup),
    () => exportedRun(setup),
    () => crash(setup, "throws"),
    () => crash(setup, "rejects"),
    () => tokenizerRun(setup, "denies"),
    () => tokenizerRun(setup, "redirects"),
    ...SERVICES.flatMap((which) => [
      () => badRun(setup, which, "denies"),
      () => badRun(setup, which, "redirects"),
    ]),
    ...brokenConfigs(setup.planted).map((config, i) => () => brokenRun(setup, config, i)),
  ];
}

/** Prepares folder, `.env` and services, runs the case, and searches what it left. */
async function inCase(
  setup: SecretsSetup,
  name: string,
  config: string,
  mood: Mood,
  play: (opened: Opened) => Promise<void>,
): Promise<void> {
  const { root, planted, serving, report } = setup;
  const fakeServices = await startFakeServices(serving, keysOf(planted));
  const { stranger, ...services } = fakeServices;
  for (const service of Object.values(services)) service.mood = mood;
  const place = makePlace(root, name.replace(/\W+/g, "-"));
  writeFileSync(join(place.project, ".env"), dotEnv(planted, addresses(fakeServices)), {
    mode: 0o600,
  });
  writeFileSync(join(place.project, CONFIG), config);
  // One row is enough for several similar cases.
  const row = name.replace(/ \d+$/, "");
  await play({ ...setup, name: row, place, fakeServices });
  report.lookAtFiles(row, place);
  for (const service of [...Object.values(services), stranger]) {
    const isEnvironments = service === fakeServices.environments;
    report.lookAtService(row, service, isEnvironments ? ENVIRONMENT_SECRETS : []);
    service.close();
  }
}

function terminalRun(setup: SecretsSetup, wandb: "online" | "offline"): Promise<void> {
  const config = hostedConfig(setup.planted, wandb);
  return inCase(setup, `terminal, W&B ${wandb}`, config, "grumbles", async (opened) => {
    const { name, place, report, fakeServices } = opened;
    let asking: Promise<readonly WatchedRun[]> | null = null;
    const ask = () =>
      Promise.all([
        runWatched(place, ["control", RUN, "status"]),
        runWatched(place, ["control", RUN, "set", "learning_rate=2e-4"]),
      ]);
    const train = await runWatched(place, TRAIN, DEBUG, (stdout) => {
      if (/step\s+1\b/.test(stdout)) asking ??= ask();
    });
    ended(opened, train, 0);
    const asked: readonly WatchedRun[] = (await asking) ?? [];
    report.expect(asked.length > 0, `${name}: the run was never asked for its status`);
    for (const each of asked) ended(opened, each, 0, "control");
    for (const args of readingCommands()) {
      ended(opened, await runWatched(place, args), 0, "reading commands");
    }
    ended(opened, await runWatched(place, ["resume", RUN, "--max_steps=3"], DEBUG), 0, "resume");
    const texts = [...treeContents(join(place.project, RUN))].map(([, content]) => content);
    report.expect(
      texts.some((text) => text.includes("***")),
      `${name}: no environment gave a secret back`,
    );
    for (const service of [fakeServices.tinker, fakeServices.environments, fakeServices.upload]) {
      report.expect(service.sent.length > 10, `${name}: ${service.name} was hardly asked`);
    }
    const rows = fakeServices.wandb.sent.length;
    report.expect(wandb === "online" ? rows > 5 : rows === 0, `${name}: ${rows} requests to W&B`);
  });
}

function readingCommands(): readonly (readonly string[])[] {
  const shows = ["1", "2", "3"].map((group) => ["show", RUN, "--step", "1", "--group", group]);
  return [
    ...[["runs"], ["validate", CONFIG], ["show", RUN], ["show", RUN, "--eval"]],
    ["report", RUN, "--output", "report.html"],
    ["report", RUN, "--format", "markdown"],
    ["show", RUN, "--step", "2"],
    ...shows,
    ["show", RUN, "--step", "1", "--group", "1", "--rollout", "1", "--tokens"],
  ];
}

/** A service that rejects everything and repeats the key in its message, or redirects everything elsewhere. */
function badRun(
  setup: SecretsSetup,
  which: (typeof SERVICES)[number],
  mood: "denies" | "redirects",
): Promise<void> {
  const config = hostedConfig(setup.planted, "online");
  return inCase(setup, `${which} ${mood}`, config, "well", async (opened) => {
    const { place, fakeServices } = opened;
    fakeServices[which].mood = mood;
    const isNeeded = which === "tinker" || which === "environments";
    const train = await runWatched(place, [...TRAIN, "--max_steps=1"], DEBUG);
    ended(opened, train, isNeeded ? 5 : 0);
    if (which !== "tinker") return;
    const path = "tinker://other/weights/checkpoint_000001";
    const remove = await runWatched(place, ["checkpoints", "delete", path], DEBUG);
    ended(opened, remove, 5, "checkpoints");
  });
}

/** A model hub without a tokenizer that echoes the token. */
function tokenizerRun(setup: SecretsSetup, mood: "denies" | "redirects"): Promise<void> {
  const config = hostedConfig(setup.planted, "online").replace(/^tokenizer_name: .*\n/m, "");
  return inCase(setup, `hub ${mood}`, config, "well", async (opened) => {
    const { name, place, fakeServices, report } = opened;
    fakeServices.hub.mood = mood;
    const variables = { ...DEBUG, HF_ENDPOINT: fakeServices.hub.url };
    ended(opened, await runWatched(place, TRAIN, variables), 2);
    report.expect(fakeServices.hub.sent.length > 0, `${name}: it was never asked`);
  });
}

function brokenRun(setup: SecretsSetup, config: string, index: number): Promise<void> {
  return inCase(setup, `mistakes beside a secret ${index}`, config, "well", async (opened) => {
    for (const args of [["validate", CONFIG], TRAIN]) {
      ended(opened, await runWatched(opened.place, args), 2);
    }
  });
}

/** An uncaught error with all keys in its message. */
function crash(setup: SecretsSetup, how: "throws" | "rejects"): Promise<void> {
  const config = hostedConfig(setup.planted, "online");
  return inCase(setup, `crash, ${how}`, config, "well", async (opened) => {
    const { name, place, planted, report } = opened;
    const file = join(place.project, "crash.cjs");
    writeFileSync(file, crashProgram(planted, how, join(place.project, RUN)));
    const reported = await runWatched(place, TRAIN, { NODE_OPTIONS: `--require ${file}` });
    ended(opened, reported, 1);
    report.expect(
      /\*\*\*.*crashed on purpose/s.test(reported.stderr),
      `${name}: ${reported.stderr}`,
    );
  });
}

/** Keys from the shell: the trainer has them, its children and the files do not, and `.env` cannot redirect them. */
function exportedRun(setup: SecretsSetup): Promise<void> {
  const { planted } = setup;
  return inCase(setup, "exported keys", EMBEDDED_CONFIG, "well", async (opened) => {
    const { place, report, fakeServices, name } = opened;
    const exported = Object.fromEntries(KEYS.map((key) => [key, planted[key]]));
    writeFileSync(join(place.project, ".env"), dotEnv({}, addresses(fakeServices)));
    const refused = await runWatched(place, TRAIN, exported);
    report.lookAtProcesses(`${name}, refused`, refused, KEYS);
    report.expect(refused.code === 2, `${name}: led elsewhere, ended with ${refused.code}`);
    report.expect(fakeServices.wandb.sent.length === 0, `${name}: W&B was asked all the same`);
    const allowed = [...TRAIN, ...allowing(addresses(fakeServices))];
    const reported = await runWatched(place, allowed, { ...exported, ...DEBUG });
    report.lookAtProcesses(name, reported, KEYS);
    report.expect(reported.code === 0, `${name}: ended with ${reported.code}: ${reported.stderr}`);
    const pids = new Set(reported.seen.variables.map(({ pid }) => pid));
    report.expect(pids.size === 3, `${name}: ${pids.size} processes were seen`);
  });
}

/** Through a proxy with a password, which first rejects with that password in its message. */
function proxiedRun(setup: SecretsSetup): Promise<void> {
  const { planted } = setup;
  const config = hostedConfig(planted, "online");
  return inCase(setup, "proxy", config, "well", async (opened) => {
    const { place, fakeServices, report, name } = opened;
    const proxy = await startProxy(planted.PROXY_PASSWORD, addresses(fakeServices));
    writeFileSync(join(place.project, ".env"), dotEnv(planted, proxy.addresses));
    const variables = { ...proxy.variables, ...DEBUG };
    const mine = ["PROXY_PASSWORD"];
    const train = [...TRAIN, "--max_steps=1"];
    // Names that only the proxy resolves are other machines, and nothing here is encrypted.
    const clear = await runWatched(place, train, variables);
    report.lookAtProcesses(`${name}, not encrypted`, clear, mine);
    report.expect(clear.code === 2, `${name}: not encrypted, ended with ${clear.code}`);
    report.expect(proxy.asked() === 0, `${name}: asked although the way is not encrypted`);
    const allowed = [...train, ...allowing(proxy.addresses)];
    proxy.denies = true;
    const refused = await runWatched(place, allowed, variables);
    report.lookAtProcesses(`${name}, refused`, refused, mine);
    report.expect(refused.code === 5, `${name}: refused, ended with ${refused.code}`);
    proxy.denies = false;
    const reported = await runWatched(place, allowed, variables);
    report.lookAtProcesses(name, reported, mine);
    report.expect(reported.code === 0, `${name}: ended with ${reported.code}: ${reported.stderr}`);
    report.expect(proxy.tunnels() > 3, `${name}: ${proxy.tunnels()} connections through it`);
    proxy.close();
  });
}

/** Flags that allow keys for these addresses. */
function allowing(urls: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(urls).flatMap((url) => ["--allow-host", new URL(url).origin]);
}

function ended({ report, name }: Opened, reported: WatchedRun, code: number, what = ""): void {
  const where = what === "" ? name : `${name}, ${what}`;
  const words = (reported.stderr.trim() || reported.stdout).slice(-600);
  report.expect(
    reported.code === code,
    `${where}: ended with ${reported.code}, not ${code}: ${words}`,
  );
  report.lookAtProcesses(where, reported);
}
