/** Runs whose session the service loses on the way: they go on by themselves, and to the same end. */

import { existsSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { EXIT } from "../../src/shared/exitCodes.ts";
import { resultChecks } from "../resilience/outage/checks.ts";
import { type Outcome, readOutcome } from "../resilience/outage/outcome.ts";
import { UploadGateway } from "../resilience/outage/uploadGateway.ts";
import { startWandbService } from "../resilience/outage/wandbService.ts";
import { connectTo, eventually, linesIn, runFile, runIn } from "./controlledRun.ts";
import { type ForgetfulOptions, ForgetfulService } from "./forgetfulService.ts";
import { runFolderWith } from "./localRun.ts";
import { chained, renaming } from "./tinkerServersGaps.ts";
import { startGateway, upstreamOf } from "./tinkerServersProxy.ts";
import { endOf, runProgram, type Serving, startProgram, startServing } from "./trainProgram.ts";

const STEPS = 5;
const MODEL = "Org/Tiny-tool-1";
const CONFIG = `
model_name: ${MODEL}
tokenizer_name: ${resolve("src/local/engine/model")}
lora_rank: 8
run_name: run
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 4
max_steps: ${STEPS}
learning_rate: 1e-3
warmup_steps: 0
max_active_tasks: 8
max_response_tokens: 48
max_total_tokens: 192
save_every: 0
rolling_save_every: 2
evaluation: { splits: { local/calculator: [test] }, every: 2, num_samples: 1, temperatures: [1] }
wandb: online
wandb_project_name: recovery
openreward_upload: true
`;

const folders: string[] = [];
const closing: (() => void)[] = [];
let store = "";
let serving: Serving;
let undisturbed: Outcome;
let undisturbedRewards: string;

type Disturb = (folder: string, send: (signal: NodeJS.Signals) => void) => Promise<void>;

/** What a run did on a service that forgets; `disturb` may do more to it. */
async function play(
  options: ForgetfulOptions,
  { settings = "", disturb }: { settings?: string; disturb?: Disturb } = {},
) {
  const service = new ForgetfulService(options);
  const filter = chained(service, renaming("local/tiny-tool", MODEL));
  const upstream = upstreamOf(serving.tinkerUrl);
  const gateway = await startGateway({ upstream, prefix: "", filter });
  const wandb = await startWandbService();
  const uploads = await UploadGateway.start();
  const folder = await runFolderWith(CONFIG + settings);
  folders.push(folder);
  const variables = {
    TINKER_API_KEY: serving.key,
    TINKER_BASE_URL: gateway.url,
    OPENREWARD_API_KEY: "or_recovery",
    OPENREWARD_API_URL: uploads.url,
    WANDB_API_KEY: "k".repeat(40),
    WANDB_BASE_URL: wandb.url,
  };
  const child = startProgram(["train", "-c", join(folder, "config.yaml")], variables);
  const ended = endOf(child);
  await disturb?.(folder, (signal) => child.kill(signal));
  const end = await ended;
  const resume = (): ReturnType<typeof runProgram> =>
    runProgram(["resume", runIn(folder)], variables);
  const outcome = (): Outcome => readOutcome(runIn(folder), store, STEPS);
  const differences = (): readonly string[] =>
    resultChecks(undisturbed, { outcome: outcome(), stage: { uploads, wandb: wandb.fake } }, STEPS)
      .filter(({ isGood }) => !isGood)
      .map(({ what, counts }) => `${what}: ${counts}`);
  const close = (): void => {
    for (const each of [gateway, wandb, uploads]) each.close();
  };
  closing.push(close);
  return { folder, service, resume, outcome, differences, ...end };
}

/** First steps against last ones, as the program compares them at the end. */
function rewardLine(stdout: string): string {
  return /^mean reward .+$/m.exec(stdout)?.[0] ?? "";
}

const eventSchema = z.object({
  attempt: z.number(),
  kind: z.string(),
  level: z.string(),
  message: z.string(),
});
async function messages(folder: string, kind: string): Promise<readonly string[]> {
  const events = await linesIn(folder, "events.jsonl", eventSchema);
  return events.filter((event) => event.kind === kind).map(({ message }) => message);
}

const evaluationSchema = z.object({ step: z.number(), purpose: z.string() });

beforeAll(async () => {
  const folder = await runFolderWith("");
  folders.push(folder);
  store = join(folder, "checkpoints");
  serving = await startServing(store);
  const whole = await play({});
  expect(whole.code, whole.stderr).toBe(0);
  undisturbed = whole.outcome();
  undisturbedRewards = rewardLine(whole.stdout);
  expect(whole.differences()).toEqual([]);
}, 120_000);

afterAll(async () => {
  for (const close of closing) close();
  await serving.stop();
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

const RECOVERED =
  /^The run has a new session and goes on after step \d: \d steps? (is|are) repeated\.$/;

describe("a run whose session is lost again and again", { timeout: 180_000 }, () => {
  it("goes on by itself from its last state, and its rows are those of a run that was left alone", async () => {
    const { folder, service, differences, code, stdout, stderr } = await play({
      losses: [
        { endpoint: "optim_step", request: 4, status: 404 },
        // A lost sample is submitted again, until a heartbeat shows that the session itself is over.
        { endpoint: "asample", request: 40, status: 410 },
        { endpoint: "asample", request: 50, status: 400 },
      ],
    });
    expect(code, stdout + stderr).toBe(0);
    // The last one is that of the evaluation at the end.
    expect({ sessions: service.sessions, lost: service.lost }).toEqual({ sessions: 5, lost: 3 });
    expect(differences()).toEqual([]);
    const evaluations = await linesIn(folder, "eval/results.jsonl", evaluationSchema);
    expect(evaluations.map(({ step }) => step)).toEqual([
      ...new Set(evaluations.map(({ step }) => step)),
    ]);
    const [first, second, third] = await messages(folder, "session-lost");
    expect(first).toMatch(
      /^The service has lost the session of this run: .*There is no session.* \(recovery 1 of at most 3\)\.$/,
    );
    expect(second).toMatch(/Tinker has ended the session\..* \(recovery 2 of at most 3\)\.$/);
    expect(third).toMatch(/Model \S+ not loaded\. The run opens .*\(recovery 3 of at most 3\)\.$/);
    expect(await messages(folder, "session-recovered")).toEqual([
      "The run has a new session and goes on after step 2: 1 step is repeated.",
      expect.stringMatching(RECOVERED),
      expect.stringMatching(RECOVERED),
    ]);
    expect(rewardLine(stdout)).toMatch(/^mean reward .*first/);
    expect(rewardLine(stdout)).toBe(undisturbedRewards);
    expect(stdout.match(/TRL207/g)).toHaveLength(1);
    expect(stdout).toContain("The service has lost the session of this run");
    expect(stdout).toContain("The run has a new session and goes on after step 2");
    expect(await runFile(folder)).toMatchObject({ phase: "done", attempt: 4, generation: 4 });
  });
});

describe("a run that may not recover", { timeout: 180_000 }, () => {
  it("ends with the loss of its session, and a resume goes on with it", async () => {
    const loss = { endpoint: "forward_backward", request: 4, status: 404 } as const;
    const { folder, service, differences, code, stderr, resume } = await play(
      { losses: [loss] },
      { settings: "max_recoveries: 0\n" },
    );
    expect(code).toBe(5);
    expect(stderr).toMatch(/There is no session/);
    expect(service.sessions).toBe(1);
    expect(await runFile(folder)).toMatchObject({ phase: "failed", attempt: 1 });
    expect(await messages(folder, "session-lost")).toEqual([]);
    expect((await resume()).code).toBe(0);
    expect(differences()).toEqual([]);
  });

  it("ends when it has recovered as often as it may", async () => {
    const loss = { endpoint: "optim_step", request: 1, status: 404 } as const;
    const { folder, service, code, stderr } = await play(
      { losses: [loss, loss, loss] },
      { settings: "max_recoveries: 2\n" },
    );
    expect(code, stderr).toBe(5);
    expect(service.sessions).toBe(3);
    expect(await messages(folder, "session-lost")).toHaveLength(2);
    expect(await runFile(folder)).toMatchObject({ phase: "failed", attempt: 3 });
  });
});

describe("a run that is stopped before it has its new session", { timeout: 180_000 }, () => {
  it("is stopped at once, and a resume goes on with it to the same end", async () => {
    const loss = { endpoint: "optim_step", request: 4, status: 404 } as const;
    const { folder, service, differences, code, stderr, resume } = await play(
      { losses: [loss], closedAfter: 1 },
      {
        disturb: async (project) => {
          const client = await connectTo(project);
          await eventually(async () =>
            (await messages(project, "session-lost"))[0] ? true : null,
          );
          await eventually(async () => {
            const { status } = await client.send({ action: "status" });
            return status?.phase === "preparing" ? true : null;
          });
          expect(await runFile(project)).toMatchObject({ phase: "preparing", attempt: 1 });
          await client.send({ action: "stop" });
        },
      },
    );
    expect(code, stderr).toBe(EXIT.stopped);
    expect(await runFile(folder)).toMatchObject({ phase: "stopped", ending: { code: "stopped" } });
    service.reopen();
    expect((await resume()).code).toBe(0);
    expect(differences()).toEqual([]);
  });
});

/** Rollouts of a step that have ended. */
function played(folder: string, step: number): number {
  const path = join(runIn(folder), "rollouts", `step-00000${step}.jsonl`);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

describe("a trainer that stands still, as on a computer that sleeps", { timeout: 180_000 }, () => {
  it("finds its session gone, and goes on to the same end", async () => {
    const silenceMs = 4_000;
    const { folder, service, differences, code, stdout, stderr } = await play(
      { silenceMs },
      {
        disturb: async (project, send) => {
          await eventually(async () => (played(project, 3) >= 4 ? true : null));
          send("SIGSTOP");
          await sleep(silenceMs * 2);
          send("SIGCONT");
        },
      },
    );
    expect(code, stdout + stderr).toBe(0);
    expect(service.lost).toBeGreaterThanOrEqual(1);
    expect(await messages(folder, "session-lost")).toHaveLength(service.lost);
    expect(differences()).toEqual([]);
  });
});
