/** Whole runs that send notifications: to a webhook and a command, and to targets that fail. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { isProcessAlive } from "../../src/node/processes.ts";
import { serveHere } from "../fakes/serveHere.ts";
import { runIn } from "./controlledRun.ts";
import { readLines, runFolderWith } from "./localRun.ts";
import { type Ended, runProgram } from "./trainProgram.ts";

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing) close();
});

const KEY = "T0SECRET0/B0SECRET0/0123456789abcdefSECRET";

/** Some turns are truncated, which raises an alarm after the first step. */
const config = (notify: string, more = "max_steps: 2"): string => `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 4
max_response_tokens: 16
max_total_tokens: 256
alarms: { truncated_turns: 0 }
save_every: 1
${more}
notify:
${notify}`;

/** Records its input and its added environment variables. */
const COMMAND = `
const { appendFileSync, readFileSync } = require("node:fs");
const { TINKER_RL_EVENT: event, TINKER_RL_MESSAGE: message } = process.env;
appendFileSync("heard.jsonl", JSON.stringify({ event, message, input: JSON.parse(readFileSync(0, "utf8")), names: Object.keys(process.env) }) + "\\n");
`;

interface Post {
  readonly url: string;
  readonly body: unknown;
}

async function webhook(answer?: RequestListener) {
  const posts: Post[] = [];
  const { url: address, close } = await serveHere(async (request, response) => {
    posts.push({ url: request.url ?? "", body: await json(request) });
    if (answer === undefined) response.end("ok");
    else answer(request, response);
  });
  closing.push(close);
  return { posts, address };
}

async function project(text: string, env: string): Promise<string> {
  const folder = await runFolderWith(text);
  await writeFile(join(folder, "notify.cjs"), COMMAND);
  await writeFile(join(folder, ".env"), env);
  return folder;
}

function run(folder: string, ...args: readonly string[]): Promise<Ended> {
  const words = args.length > 0 ? args : ["train", "-c", join(folder, "config.yaml")];
  return runProgram(words, { TINKER_API_KEY: "tml-key-of-the-user" });
}

/** The files of a run that contain a text. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  const found = await Promise.all(
    files.map(async (file) => ({ file, bytes: await readFile(file) })),
  );
  return found.filter(({ bytes }) => bytes.includes(text)).map(({ file }) => file);
}

describe("a run with notifications", () => {
  it("reports an alarm and its end to a webhook and a command, once, and keeps the address secret", async () => {
    const { posts, address } = await webhook();
    const notify = `  - { webhook_variable: TEAM_HOOK, format: slack }
  - { webhook: "${address}/plain", on: [end] }
  - { command: [node, notify.cjs] }
`;
    const folder = await project(config(notify), `TEAM_HOOK=${address}/services/${KEY}\n`);
    const { code, stdout, stderr } = await run(folder);
    expect([code, stderr]).toEqual([0, ""]);
    const heard = posts.filter(({ url }) => url === `/services/${KEY}`).map(({ body }) => body);
    expect(heard).toEqual([
      {
        text: expect.stringMatching(
          /^Run run \(local\/tiny-tool\), step 1: Many turns are cut off\./,
        ),
      },
      { text: expect.stringMatching(/^Run run \(local\/tiny-tool\) is done after 2 steps\.\n/) },
    ]);
    const plain = posts.filter(({ url }) => url === "/plain").map(({ body }) => body);
    expect(plain).toMatchObject([{ event: "end", outcome: "done", step: 2, total_steps: 2 }]);
    expect(JSON.stringify(plain)).not.toContain(folder);
    const ran = await readLines(join(folder, "heard.jsonl"));
    expect(ran).toMatchObject([
      { event: "alarm", input: { alarm: "truncated_turns", folder: runIn(folder) } },
      { event: "end", message: expect.stringContaining("is done"), input: { step: 2 } },
    ]);
    expect(JSON.stringify(ran)).not.toContain("TINKER_API_KEY");
    expect(JSON.stringify(ran)).not.toContain("TEAM_HOOK");

    expect(await filesWith(runIn(folder), "SECRET")).toEqual([]);
    expect(stdout).not.toContain("SECRET");

    const before = posts.length;
    expect((await run(folder, "resume", runIn(folder))).code).toBe(0);
    expect(posts).toHaveLength(before);
  });

  it("reports that a budget is nearly used, that it is used up, and that a run failed", async () => {
    const { posts, address } = await webhook();
    const notify = `  - { webhook: "${address}/hook", on: [budget, failure] }\n`;
    const budget = "max_steps: 50\nmax_tokens_total: 9000";
    await run(await project(config(notify, budget), ""));
    const used = posts.splice(0).map(({ body }) => body);
    expect(used).toMatchObject([
      { event: "budget", alarm: "token_budget" },
      { event: "budget", outcome: "stopped", text: expect.stringContaining("max_tokens_total") },
    ]);
    const failing = "max_steps: 50\nmax_consecutive_empty_steps: 1";
    const text = config(notify, failing).replace("tokens: 16", "tokens: 4");
    const { code } = await run(await project(text, ""));
    expect(code).not.toBe(0);
    expect(posts.map(({ body }) => body)).toMatchObject([
      { event: "failure", outcome: "failed", text: expect.stringContaining("nothing to train on") },
    ]);
  });

  it("reports an evaluation", async () => {
    const { posts, address } = await webhook();
    const evaluation =
      "max_steps: 1\nevaluation: { splits: { local/calculator: [test] }, num_samples: 2 }";
    const notify = `  - { webhook: "${address}/hook" }\n`;
    const folder = await project(config(notify, evaluation), "");
    const { code } = await run(folder, "evaluate", "base", "-c", join(folder, "config.yaml"));
    expect(code).toBe(0);
    expect(posts.map(({ body }) => body)).toMatchObject([
      {
        event: "end",
        text: expect.stringMatching(/^Evaluation run-evaluation \(local\/tiny-tool\) is done/),
      },
    ]);
  });

  it("requires the variable before it starts anything", async () => {
    const folder = await project(config("  - { webhook_variable: TEAM_HOOK }\n"), "");
    const { code, stderr } = await run(folder);
    expect(code).not.toBe(0);
    expect(stderr).toContain("TEAM_HOOK, which is not set");
    await writeFile(join(folder, ".env"), `TEAM_HOOK=hooks/${KEY}\n`);
    const wrong = await run(folder);
    expect(wrong.stderr).toContain("TEAM_HOOK is not an address");
    expect(wrong.stderr).not.toContain("SECRET");
  });
});

describe("a notification target that fails", () => {
  it.each<readonly [string, RequestListener | "redirects", RegExp]>([
    ["hangs", () => undefined, /did not answer in time/],
    ["redirects", "redirects", /redirect \(307\), which is not followed/],
  ])("%s: the run still ends within seconds, with one warning", async (_, answer, reason) => {
    const elsewhere = await webhook();
    const location = `${elsewhere.address}/stolen`;
    const { posts, address } = await webhook(
      answer === "redirects"
        ? (_request, response) => response.writeHead(307, { location }).end()
        : answer,
    );
    const env = `TEAM_HOOK=${address}/services/${KEY}\n`;
    const folder = await project(config("  - { webhook_variable: TEAM_HOOK }\n"), env);
    const { code, stdout, stderr } = await run(folder);
    expect(code).toBe(0);
    expect(posts.length).toBeGreaterThan(0);
    expect(elsewhere.posts).toEqual([]);
    const events = await readLines(join(runIn(folder), "events.jsonl"));
    const failed = events.filter((event) => JSON.stringify(event).includes("notification-failed"));
    expect(failed).toHaveLength(1);
    expect(failed).toMatchObject([{ level: "warn", message: expect.stringMatching(reason) }]);
    expect(await filesWith(runIn(folder), "SECRET")).toEqual([]);
    expect(stdout + stderr).not.toContain("SECRET");
    const ended = events.find((event) => JSON.stringify(event).includes('"run-ended"'));
    const { timeMs: endedMs } = ended as { readonly timeMs: number };
    const lastMs = (events.at(-1) as { readonly timeMs: number }).timeMs;
    expect(lastMs - endedMs).toBeLessThan(9_000);
  });

  it("a command that hangs or fails does not hold up the run", async () => {
    const notify = `  - { command: [sh, -c, "sleep 600 & echo $! > pid.txt; wait"] }
  - { command: [sh, -c, "echo out of paper >&2; exit 3"] }
  - { command: [no-such-program] }
`;
    const folder = await project(config(notify), "");
    const { code } = await run(folder);
    expect(code).toBe(0);
    const events = await readLines(join(runIn(folder), "events.jsonl"));
    const failed = events.flatMap((event) => {
      const { kind, message } = event as { readonly kind: string; readonly message: string };
      return kind === "notification-failed" ? [message] : [];
    });
    expect(failed.toSorted()).toEqual([
      expect.stringMatching(/^The command of notify\.0 .*(in time|took longer)/),
      expect.stringMatching(
        /^The command of notify\.1 .*ended with code 3 and printed: out of paper/,
      ),
      expect.stringMatching(/^The command of notify\.2 .*cannot be started: .*no-such-program/),
    ]);
    const pid = Number(await readFile(join(folder, "pid.txt"), "utf8"));
    await expect.poll(() => isProcessAlive(pid), { timeout: 15_000, interval: 100 }).toBe(false);
  });
});
