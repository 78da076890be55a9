/**
 * The capacity test: the program trains in environments that accept 6 sessions at once, while its configuration asks for 64.
 * It must back off to 6, finish every step, lose no rollout, train the same as without a limit, and report the limit.
 * Run: `npm run resilience:capacity` (about a minute); exits with code 1 on a failed check.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { PROGRAM_FOLDER, runProgram } from "../integration/trainProgram.ts";
import { CountingProxy } from "./countingProxy.ts";

const ROOM = 6;
const ASKED = 64;
/** Enough time for the limit, which is halved at most every 5 s, to come down early. */
const STEPS = 30;
const GROUPS = 4;
const ROLLOUTS = 16;

function config(address: string): string {
  return `
model_name: local/tiny-tool
run_name: run
openreward_base_url: ${address}
environments:
  calculator: { splits: { train: {} }, num_rollouts: ${ROLLOUTS}, nonterminal_reward: 0 }
batch_size: ${GROUPS}
max_active_tasks: ${ASKED}
max_steps: ${STEPS}
`;
}

interface Row {
  readonly errors: { readonly total: number };
  readonly rollout: { readonly reward: { readonly count: number } };
  readonly capacity?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

interface Outcome {
  readonly code: number | null;
  readonly seconds: number;
  readonly output: string;
  readonly rows: readonly Row[];
  readonly events: readonly { readonly kind: string; readonly message: string }[];
  /** The training data, token by token. */
  readonly tokens: readonly string[];
  readonly proxy: CountingProxy;
}

async function serveEnvironments(limit: readonly string[]) {
  const program = join(PROGRAM_FOLDER, "environment.js");
  const child = spawn(process.execPath, [program, "--port", "0", ...limit], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { address }: { readonly address: string } = JSON.parse(String(line));
  return { child, proxy: await CountingProxy.start(address) };
}

async function train(limit: readonly string[]): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "tinker-rl-resilience-"));
  const { child, proxy } = await serveEnvironments(limit);
  try {
    const configPath = join(folder, "config.yaml");
    writeFileSync(configPath, config(proxy.address));
    const startedMs = Date.now();
    const store = { TINKER_RL_STORE: join(folder, "checkpoints") };
    const { code, stdout, stderr } = await runProgram(["train", "-c", configPath], store);
    const run = join(folder, ".tinker-rl", "runs", "run");
    return {
      code,
      seconds: (Date.now() - startedMs) / 1000,
      output: stdout + stderr,
      rows: lines<Row>(join(run, "metrics.jsonl")),
      events: lines(join(run, "events.jsonl")),
      tokens: Array.from({ length: STEPS }, (_, step) =>
        readFileSync(
          join(run, "rollouts", `step-${String(step).padStart(6, "0")}.tokens.bin`),
          "base64",
        ),
      ),
      proxy,
    };
  } finally {
    child.kill();
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function lines<T>(path: string): readonly T[] {
  const written = readFileSync(path, "utf8").split("\n");
  return written.filter((line) => line !== "").map((line): T => JSON.parse(line));
}

const free = await train([]);
const full = await train(["--max-sessions", String(ROOM)]);
const { proxy, rows } = full;
const scored = rows.map(({ rollout }) => rollout.reward.count);
const lost = STEPS * GROUPS * ROLLOUTS - scored.reduce((sum, count) => sum + count, 0);
const failed = rows.reduce((sum, { errors }) => sum + errors.total, 0);
const parts = proxy.refusedInParts(4);
const capacity = Object.values(rows.at(-1)?.capacity ?? {})[0] ?? {};

const numbers: readonly (readonly [string, unknown])[] = [
  ["sessions the environments take at once", ROOM],
  ["sessions the configuration asks for", ASKED],
  ["exit code", full.code],
  ["steps with a row of metrics", `${rows.length} of ${STEPS}`],
  ["rollouts lost, failed", `${lost}, ${failed}`],
  ["sessions opened, still open", `${proxy.opened}, ${proxy.stillOpen}`],
  ["most sessions open at once", proxy.most],
  ["openings refused in each quarter of the time", parts.join(", ")],
  [
    "limit at the end, refusals, waited s",
    `${capacity["limit"]}, ${capacity["rejections"]}, ${capacity["wait_s"]?.toFixed(0)}`,
  ],
  ["seconds, without a limit", `${full.seconds.toFixed(1)}, ${free.seconds.toFixed(1)}`],
];
for (const [name, value] of numbers) console.log(`${name.padEnd(46)} ${value}`);
for (const { message } of full.events.filter(({ kind }) => kind.startsWith("capacity-"))) {
  console.log(`  ${message}`);
}

const checks: readonly (readonly [string, boolean])[] = [
  ["both runs end well", free.code === 0 && full.code === 0],
  ["every step is done", rows.length === STEPS],
  ["no rollout is lost or failed", lost === 0 && failed === 0],
  ["every session is closed", proxy.stillOpen === 0],
  ["never more sessions than there is room for", proxy.most <= ROOM],
  ["refusals decline", (parts[0] ?? 0) > 4 * (parts[3] ?? 0)],
  ["the limit comes down to the room", (capacity["limit"] ?? 0) <= ROOM + 2],
  ["what is trained is that of a run without a limit", isDeepStrictEqual(full.tokens, free.tokens)],
  ["the program says so", full.output.includes(`max_concurrency: ${ROOM} `)],
];
for (const [name, holds] of checks) console.log(`${holds ? "holds " : "FAILS "} ${name}`);
const broken = checks.filter(([, holds]) => !holds).length;
if (broken > 0) console.log(full.output);
console.log(`${checks.length - broken} hold, ${broken} fail`);
process.exitCode = broken === 0 ? 0 : 1;
