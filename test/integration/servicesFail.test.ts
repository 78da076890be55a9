/** Services that die in the middle of a run: it waits for those of others, ends with its own, and loses nothing either way. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { exitCodeOf } from "../../src/cli/exitCode.ts";
import { resumeTraining } from "../../src/trainer/trainer.ts";
import {
  amidRollouts,
  connectTo,
  linesIn,
  runFile,
  runIn,
  train,
  trained,
} from "./controlledRun.ts";
import { PROGRAM_FOLDER, runFolderWith } from "./localRun.ts";

const STEPS = 4;

function config(environment: string, more = ""): string {
  return `
model_name: local/tiny-tool
run_name: run
environments:
  ${environment}:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 4
max_steps: ${STEPS}
max_active_tasks: 16
${more}`;
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** The embedded environments as a server that belongs to somebody else; port 0 = any free one. */
async function serveEnvironments(port: string) {
  const program = join(PROGRAM_FOLDER, "environment.js");
  const child = spawn(process.execPath, [program, "--port", port], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { address } = z.object({ address: z.string() }).parse(JSON.parse(String(line)));
  return { child, address };
}

const eventSchema = z.looseObject({ kind: z.string(), message: z.string() });

describe("an environments' server that dies and comes back at the same address", () => {
  it("costs a pause and no task: the run equals one whose server never died", async () => {
    const first = await serveEnvironments("0");
    const more = `openreward_base_url: ${first.address}\nmax_rollout_retries: 1`;
    const whole = await runFolderWith(config("calculator", more));
    expect((await train(whole).ended).outcome).toBe("done");

    const project = await runFolderWith(config("calculator", more));
    const run = train(project);
    await run.saw(amidRollouts(2));
    first.child.kill("SIGKILL");
    await run.saw((event) => event.kind === "paused");
    const phase = expect.poll(async () => (await runFile(project)).phase);
    await phase.toBe("paused");
    await serveEnvironments(new URL(first.address).port);
    const control = await connectTo(project);
    await control.send({ action: "continue" });
    expect((await run.ended).outcome).toBe("done");
    control.close();

    expect(await trained(project, STEPS)).toEqual(await trained(whole, STEPS));
    const bodies = await linesIn(project, "rollouts/step-000002.jsonl", z.unknown());
    expect(bodies).toHaveLength(16);
    const events = await linesIn(project, "events.jsonl", eventSchema);
    const reported = events.find(({ kind }) => kind === "circuit-open");
    expect(reported?.message).toContain(`the environments' server at ${first.address} failed`);
  });
});

/** Processes that this one has started from a program's part. */
async function childrenRunning(part: string): Promise<readonly number[]> {
  const tasks = await readdir("/proc/self/task");
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/children`, "utf8").catch(() => "")),
  );
  const pids = lists.flatMap((list) => list.split(" ")).flatMap((pid) => Number(pid) || []);
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return pids.filter((_, index) => lines[index]?.includes(join(PROGRAM_FOLDER, part)));
}

describe.runIf(process.platform === "linux")("an embedded service that is killed", () => {
  const stateSchema = z.looseObject({ step: z.number() });

  it.each([
    ["engine", "engine.js"],
    ["environments", "environment.js"],
  ])("%s: ends the run with its error, and a resume is exact", async (name, part) => {
    const whole = await runFolderWith(config("local/calculator"));
    expect((await train(whole).ended).outcome).toBe("done");

    const project = await runFolderWith(config("local/calculator"));
    const run = train(project);
    await run.saw(amidRollouts(2));
    const pids = await childrenRunning(part);
    expect(pids).toHaveLength(1);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    const error: unknown = await run.ended.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: "local-service",
      message: expect.stringMatching(
        new RegExp(`^The embedded ${name} ended unexpectedly \\(SIGKILL\\)\\. .*resume the run`),
      ),
    });
    expect(exitCodeOf(error)).toBe(5);
    expect(await runFile(project)).toMatchObject({ phase: "failed", control: null });
    const state = JSON.parse(await readFile(join(runIn(project), "state.json"), "utf8"));
    // A save that the engine had not confirmed is lost with it.
    expect(stateSchema.parse(state).step).toBeGreaterThanOrEqual(name === "engine" ? 1 : 2);

    const request = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
    const resumed = resumeTraining({ ...request, folder: runIn(project), watch: () => undefined });
    expect((await resumed.ended).outcome).toBe("done");
    expect(await trained(project, STEPS)).toEqual(await trained(whole, STEPS));
  });

  it("is reported while the run is paused, too", async () => {
    const project = await runFolderWith(config("local/calculator"));
    const run = train(project);
    const control = await connectTo(project);
    await run.saw(amidRollouts(0));
    await control.send({ action: "pause" });
    await run.saw((event) => event.kind === "paused");
    const [pid] = await childrenRunning("engine.js");
    if (pid === undefined) throw new Error("there is no engine");
    process.kill(pid, "SIGKILL");
    await expect(run.ended).rejects.toMatchObject({ code: "local-service" });
    control.close();
  });
});
