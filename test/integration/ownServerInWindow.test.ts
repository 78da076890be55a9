/** An environment's own server, kept running by an editor's server. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver/node";
import { ENVIRONMENT_REQUESTS, type OwnServerReport } from "../../src/api/environments.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { orderOf } from "../fakes/anOrder.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { eventually } from "./controlledRun.ts";
import { startServer } from "./serverProgram.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

const ENVIRONMENT = `
import os, sys
print("a secret in its output:", os.environ["MODEL_KEY"])
print("hello")
sys.stdout.flush()
os.execvp("node", ["node", ${JSON.stringify(join(PROGRAM_FOLDER, "environment.js"))}, "--port", os.environ["PORT"]])
`;

const CONFIG = `model_name: local/tiny-tool
environments:
  calculator:
    server: { command: [python3, environment.py], env: { MODEL_KEY: null } }
    splits: { train: {} }
    num_rollouts: 2
batch_size: 1
max_steps: 1
`;

async function serving(program: string) {
  const folder = folderOfThisTest();
  const config = join(folder, "tinker-config.yaml");
  await writeFile(config, CONFIG);
  await writeFile(join(folder, "environment.py"), program);
  const key = { value: "model-key-of-the-user", host: null, origin: "store" } as const;
  const launch = await orderOf(config, { keys: { MODEL_KEY: key } });
  const server = startServer();
  const closing = new CancellationTokenSource();
  const reports: OwnServerReport[] = [];
  const request = { progressToken: "own", launch, environment: "calculator" };
  server.onReport<OwnServerReport>(request, (report) => reports.push(report));
  const over = server.ask<RequestOutcome<null>>(ENVIRONMENT_REQUESTS.serve, request, closing.token);
  return { folder, server, closing, reports, over };
}

const answers = (address: string): Promise<boolean> =>
  fetch(`${address}/health`).then(
    () => true,
    () => false,
  );

/** The ready report, once it has arrived. */
const readiness = (reports: readonly OwnServerReport[]) =>
  eventually(async () => reports.find((report) => report.kind === "ready") ?? null);

it("starts, shows its output without secrets, returns prompts of tasks, and ends when canceled", async () => {
  const { folder, server, closing, reports, over } = await serving(ENVIRONMENT);
  const ready = await readiness(reports);
  expect(reports[0]).toEqual({ kind: "code", folder });
  const train = ready.splits.find(({ name }) => name === "train");
  expect(train?.tasks).toBe(4096);
  const tasks = await server.ask<RequestOutcome<readonly (string | null)[]>>(
    ENVIRONMENT_REQUESTS.tasks,
    { server: "own", split: "train", start: 0, stop: 5 },
  );
  expect(tasks).toMatchObject({ ok: true });
  expect(new Set(tasks.ok ? tasks.value : []).size).toBe(5);
  closing.cancel();
  expect(await over).toEqual({ ok: true, value: null });
  expect(await answers(ready.address)).toBe(false);
  const log = reports.map((report) => (report.kind === "log" ? report.text : "")).join("");
  expect(log).toContain("hello");
  expect(log).toContain("a secret in its output:");
  expect(log).not.toContain("model-key-of-the-user");
  await server.leave();
});

it("ends with the editor", async () => {
  const { server, reports } = await serving(ENVIRONMENT);
  const { address } = await readiness(reports);
  expect(await answers(address)).toBe(true);
  await server.leave();
  await eventually(async () => ((await answers(address)) ? null : true));
});

it("reports why it does not start", async () => {
  const { server, over } = await serving("import nothing_of_that_name");
  const outcome = await over;
  expect(outcome).toMatchObject({ ok: false, error: { code: "environment-unavailable" } });
  expect(outcome.ok ? "" : outcome.error.message).toContain("pip install nothing_of_that_name");
  await server.leave();
});
