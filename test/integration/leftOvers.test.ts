/** A finished run that is resumed only to upload what its trackers lack; nothing is trained. */

import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listenAnywhere } from "../fakes/serveHere.ts";
import { runIn } from "./controlledRun.ts";
import { readLines, runFolderWith } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 2
max_steps: 2
evaluation: { splits: { local/calculator: [test] }, num_samples: 2 }
openreward_upload: false
`;
const KEY = "or_right";

/** Rollouts that were begun, by name. */
const begun: string[] = [];
const service = createServer(async (request, reply) => {
  const body = await text(request);
  const isRight = request.headers["x-api-key"] === KEY;
  // The service does not report what it already has.
  const isPost = request.method === "POST";
  reply.statusCode = isRight ? (isPost ? 200 : 404) : 401;
  reply.end("{}");
  if (!isRight || !isPost) return;
  const { events } = JSON.parse(body);
  for (const { eventType, rolloutName } of events) {
    if (eventType === "rollout") begun.push(rolloutName);
  }
});
let address = "";
let home = "";
let folder = "";

beforeAll(async () => {
  address = await listenAnywhere(service);
  home = await runFolderWith(CONFIG);
  folder = runIn(home);
});
afterAll(() => void service.close());

it("uploads it with a key that is valid at last, without duplicates", async () => {
  const config = join(home, "config.yaml");
  expect(await runProgram(["train", "-c", config], {})).toMatchObject({ code: 0 });
  const files = [
    "metrics.jsonl",
    "checkpoints.jsonl",
    "eval/results.jsonl",
    "eval/step-000002.jsonl",
  ];
  const read = () => Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  const before = await read();
  await writeFile(config, CONFIG.replace("upload: false", "upload: true"));
  const resumeWith = (key: string) =>
    runProgram(["resume", folder], { OPENREWARD_API_URL: address, OPENREWARD_API_KEY: key });
  const denied = await resumeWith("or_wrong");
  expect(denied).toMatchObject({ code: 0, stderr: "" });
  expect(denied.stdout).toContain("16 rollouts not uploaded");
  expect(begun).toEqual([]);
  const { code, stdout } = await resumeWith(KEY);
  expect(code).toBe(0);
  expect(stdout).toContain("nothing left to train");
  expect(stdout).toContain("all rollouts are uploaded");
  expect(stdout).not.toContain("embedded engine");
  expect(new Set(begun).size).toBe(16);
  expect(begun).toHaveLength(16);
  expect(await read()).toEqual(before);
});

it("continues training when there are steps left", async () => {
  const longer = CONFIG.replace("max_steps: 2", "max_steps: 3");
  await writeFile(join(home, "config.yaml"), longer);
  const { code, stdout } = await runProgram(["resume", folder], {});
  expect(code).toBe(0);
  expect(stdout).toContain("step 3/3");
  const rows = await readLines(join(folder, "metrics.jsonl"));
  expect(rows).toMatchObject([{}, {}, { step: 2, lr: expect.any(Number) }, { step: 3 }]);
  expect(rows.at(-1)).toMatchObject({ evaluation_only: true });
});
