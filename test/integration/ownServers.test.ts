/** Whole runs in environments with their own servers: at an address, and started by a command. */

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { passBack, type Served, sendOn, serveHere } from "../fakes/serveHere.ts";
import { killedWhen, trained } from "./comparedRuns.ts";
import { eventually, runIn } from "./controlledRun.ts";
import { readLines, runFolderWith } from "./localRun.ts";
import {
  type Ended,
  PROGRAM_FOLDER,
  runProgram,
  type Serving,
  startServing,
} from "./trainProgram.ts";

/** A user-written server: it listens on PORT, prints its variables, and crashes when `crash.txt` exists. */
const SERVER = `
import { spawn } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
console.log(JSON.stringify(process.env));
console.error("a secret in its output: " + process.env.MODEL_KEY);
const child = spawn(process.execPath, [${JSON.stringify(join(PROGRAM_FOLDER, "environment.js"))}, "--port", process.env.PORT], { stdio: ["pipe", "inherit", "inherit"] });
child.on("close", (code) => process.exit(code ?? 1));
setInterval(() => {
  if (!existsSync("crash.txt")) return;
  renameSync("crash.txt", "crashed.txt");
  child.kill("SIGKILL");
  process.exit(3);
}, 20);
`;

function config(environments: string, more = ""): string {
  return `
model_name: local/tiny-tool
run_name: run
environments:
${environments}
batch_size: 4
max_steps: 4
max_response_tokens: 64
max_total_tokens: 256
save_every: 1
${more}`;
}

const TASKS = "splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0";
const OWN = `  calculator: { server: { command: [node, environments/calculator/server.mjs], env: { MODEL_KEY: null, LEVEL: "3" } }, ${TASKS} }`;

async function project(text: string): Promise<string> {
  const folder = await runFolderWith(text);
  await mkdir(join(folder, "environments", "calculator"), { recursive: true });
  await writeFile(join(folder, "environments", "calculator", "server.mjs"), SERVER);
  return folder;
}

const KEYS = { MODEL_KEY: "model-key-of-the-user", TINKER_API_KEY: "tml-key-of-the-user" };

function train(folder: string, variables = {}): Promise<Ended> {
  const args = ["train", "-c", join(folder, "config.yaml")];
  return runProgram(args, { ...KEYS, ...variables });
}

async function failure(environments: string): Promise<string> {
  const { code, stderr } = await train(await project(config(environments)));
  expect(code).not.toBe(0);
  return stderr;
}

describe("a server that the trainer starts", () => {
  it("trains; the server gets only the configured variables and no other key, and its output is stored without secrets", async () => {
    const folder = await project(config(OWN));
    const { code, stderr } = await train(folder);
    expect([code, stderr]).toEqual([0, ""]);
    const log = await readFile(join(runIn(folder), "servers", "calculator.log"), "utf8");
    expect(log).toContain('"LEVEL":"3"');
    expect(log).toContain("a secret in its output: ");
    expect(log).not.toContain(KEYS.MODEL_KEY);
    expect(log).not.toContain(KEYS.TINKER_API_KEY);
    expect(log).not.toContain("TINKER_API_KEY");
  });

  it("is restarted after a crash in the middle of a step, and the run trains the same as an undisturbed one", async () => {
    const text = config(OWN, "evaluation: { splits: { calculator: [test] }, num_samples: 2 }");
    const whole = await project(text);
    const disturbed = await project(text);
    await train(whole);
    const training = train(disturbed);
    await eventually(async () => {
      const rows = await readLines(join(runIn(disturbed), "metrics.jsonl"));
      return rows.length > 0 ? true : null;
    });
    await writeFile(join(disturbed, "crash.txt"), "");
    const { code, stdout } = await training;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /The server of calculator ended with code 3; it is started again in \d+ s\. Its log is servers\/calculator\.log in the run folder\./,
    );
    await rename(join(disturbed, "crashed.txt"), join(disturbed, "was.txt"));
    const [one, other] = await Promise.all([trained(runIn(whole)), trained(runIn(disturbed))]);
    expect(other.tokens).toEqual(one.tokens);
    expect(other.evaluations).toEqual(one.evaluations);
  });

  it("ends when the trainer is killed", async () => {
    const folder = await project(config(OWN));
    const log = join(runIn(folder), "servers", "calculator.log");
    let port = 0;
    const isThere = async (): Promise<boolean> => {
      port = Number(/"PORT":"(\d+)"/.exec(await readFile(log, "utf8").catch(() => ""))?.[1] ?? 0);
      return port > 0 && (await answers(port));
    };
    await killedWhen(["train", "-c", join(folder, "config.yaml")], KEYS, isThere, { alone: true });
    await eventually(async () => ((await answers(port)) ? null : true));
  });

  it("causes a message on resume when its code has changed since", async () => {
    const folder = await project(config(OWN));
    await train(folder);
    const file = join(folder, "environments", "calculator", "server.mjs");
    await writeFile(file, `${SERVER}\n// another grader\n`);
    const args = ["resume", runIn(folder), "-c", join(folder, "config.yaml"), "--overrides"];
    const { code, stdout } = await runProgram([...args, "max_steps=5"], KEYS);
    expect(code).toBe(0);
    expect(stdout).toContain("The code of calculator has changed since the run was started");
  });

  it("is not started for a run folder from elsewhere that names its command", async () => {
    const folder = await project(config(OWN));
    await train(folder);
    const elsewhere = await project("");
    await mkdir(join(elsewhere, ".tinker-rl", "runs"), { recursive: true });
    await rename(runIn(folder), runIn(elsewhere));
    await rm(join(folder, "config.yaml"));
    const { code, stderr } = await runProgram(
      ["resume", runIn(elsewhere), "--overrides", "max_steps=5"],
      KEYS,
    );
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'names the command ["node","environments/calculator/server.mjs","(with LEVEL=3)"]',
    );
    expect(stderr).toContain("-c FILE");
  });
});

describe("a command that starts no server", () => {
  it("is reported when the program does not exist", async () => {
    expect(
      await failure(`  sums: { server: { command: [.venv/bin/python, a.py] }, ${TASKS} }`),
    ).toContain("there is no program .venv/bin/python");
  });

  it("is quoted without a partial secret where the quote begins", async () => {
    const print = `process.stderr.write('Error: ' + process.env.MODEL_KEY + 'x'.repeat(590) + String.fromCharCode(10)); process.exit(1)`;
    const server = `{ command: [node, -e, "${print}"], env: { MODEL_KEY: null } }`;
    const said = await failure(`  sums: { server: ${server}, ${TASKS} }`);
    expect(said).toContain("xxxx");
    expect(said).not.toContain("the-user");
  });

  it("fails the start after ready_timeout, and reports what its port answered", async () => {
    const garbage = `[node, -e, "require('net').createServer((s) => s.end('hello')).listen(process.env.PORT)"]`;
    const said = await failure(
      `  sums: { server: { command: ${garbage}, ready_timeout: 1 }, ${TASKS} }`,
    );
    expect(said).toMatch(/after 1 s it does not answer at http:\/\/127\.0\.0\.1:\d+: .*HTTP/);
    expect(said).toContain("raise server.ready_timeout");
  });

  it("is not started on a port that another program uses", async () => {
    const { url, close } = await serveHere((_, answer) => answer.end("{}"));
    const server = `{ command: [node, a.mjs], url: "${url}" }`;
    expect(await failure(`  sums: { server: ${server}, ${TASKS} }`)).toContain(
      `another program listens at ${url} already`,
    );
    close();
  });
});

describe("three addresses in one run", () => {
  let serving: Serving;
  const seen = new Map<string, IncomingHttpHeaders[]>();
  const servers: Served[] = [];

  /** Forwards everything to the served environments, and records the headers. */
  async function recorder(name: string): Promise<string> {
    const headers: IncomingHttpHeaders[] = [];
    seen.set(name, headers);
    const served = await serveHere(async (incoming, outgoing) => {
      headers.push(incoming.headers);
      const passed = { ...incoming.headers, "x-api-key": serving.key };
      const answer = await sendOn(serving.environmentsUrl, incoming, outgoing, { headers: passed });
      await passBack(answer, outgoing);
    });
    servers.push(served);
    return served.url;
  }

  beforeAll(async () => {
    const store = await runFolderWith("");
    serving = await startServing(join(store, "checkpoints"));
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await serving?.stop();
  });

  it("each receive their own keys, headers and secrets, and no others", async () => {
    const [shared, own] = [await recorder("shared"), await recorder("own")];
    const text = config(
      `  Acme/depot: { ${TASKS}, secrets: { shared_secret: null } }
  number-hunt: { server: { url: "${own}", headers: { X-Proxy-Key: null } }, ${TASKS}, secrets: { own_secret: null } }
${OWN}
  local/calculator: { ${TASKS} }`,
      `openreward_base_url: ${shared}`,
    );
    const variables = {
      ORS_API_KEY: "key-of-the-shared-server",
      OPENREWARD_API_KEY: "key-of-openreward",
      X_PROXY_KEY: "key-of-the-proxy",
      SHARED_SECRET: "secret-of-the-shared-one",
      OWN_SECRET: "secret-of-the-own-one",
    };
    const { code, stderr } = await train(await project(text), variables);
    expect([code, stderr]).toEqual([0, ""]);
    const said = (name: string): string => {
      const decoded = (seen.get(name) ?? []).map(({ "x-secrets": secrets = "" }) =>
        Buffer.from(String(secrets), "base64").toString(),
      );
      return JSON.stringify([seen.get(name), decoded]);
    };
    expect(said("shared")).toContain("key-of-the-shared-server");
    expect(said("shared")).toContain("secret-of-the-shared-one");
    expect(said("shared")).not.toMatch(/key-of-the-proxy|secret-of-the-own-one|key-of-openreward/);
    expect(said("own")).toContain("key-of-the-proxy");
    expect(said("own")).toContain("secret-of-the-own-one");
    expect(said("own")).not.toMatch(/key-of-the-shared|secret-of-the-shared|key-of-openreward/);
  });
});

/** True while something listens on the port. */
function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
