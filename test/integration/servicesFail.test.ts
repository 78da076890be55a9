/** Services that fail during a run: it waits for external ones, restarts its own, and loses nothing either way. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { exitCodeOf } from "../../src/cli/terminal/exitCode.ts";
import { REPEATED, withoutKeys } from "./comparableRow.ts";
import { trained } from "./comparedRuns.ts";
import {
  amidRollouts,
  connectTo,
  eventually,
  linesIn,
  resume,
  runFile,
  runIn,
  train,
} from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

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

/** The embedded environments as an external server; port 0 = any free one. */
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

describe("an environment server that dies and comes back at the same address", () => {
  it("costs a pause but no task: the result equals an undisturbed run's", async () => {
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

    expect(withoutKeys(await trained(runIn(project)), REPEATED)).toEqual(
      withoutKeys(await trained(runIn(whole)), REPEATED),
    );
    const bodies = await linesIn(project, "rollouts/step-000002.jsonl", z.unknown());
    expect(bodies).toHaveLength(16);
    const events = await linesIn(project, "events.jsonl", eventSchema);
    const reported = events.find(({ kind }) => kind === "circuit-open");
    expect(reported?.message).toContain(`the environments' server at ${first.address} failed`);
  });
});

/** Processes that this process started from a part of the program. */
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

/** Kills the one process that this process started from a part of the program. */
async function kill(part: string): Promise<void> {
  const [pid, ...others] = await eventually(async () => {
    const pids = await childrenRunning(part);
    return pids.length === 0 ? null : pids;
  });
  if (pid === undefined || others.length > 0) throw new Error(`${others.length + 1} run ${part}`);
  process.kill(pid, "SIGKILL");
}

describe.runIf(process.platform === "linux")("an embedded service that is killed", () => {
  const stateSchema = z.looseObject({ step: z.number() });
  const savedStep = async (project: string): Promise<number> =>
    stateSchema.parse(JSON.parse(await readFile(join(runIn(project), "state.json"), "utf8"))).step;
  const lossesIn = async (project: string): Promise<readonly string[]> =>
    (await linesIn(project, "events.jsonl", eventSchema))
      .filter(({ kind }) => kind === "session-lost")
      .map(({ message }) => message);

  /** Results of undisturbed runs, by the number of steps that they sample ahead. */
  const wholes = new Map<number, Promise<unknown>>();
  const undisturbed = (ahead: number): Promise<unknown> => {
    const playWhole = async (): Promise<unknown> => {
      const whole = await runFolderWith(
        config("local/calculator", `max_steps_off_policy: ${ahead}`),
      );
      expect((await train(whole).ended).outcome).toBe("done");
      return trained(runIn(whole));
    };
    const known = wholes.get(ahead) ?? playWhole();
    wholes.set(ahead, known);
    return known;
  };

  it.each([
    ["engine", 2, "engine.js"],
    ["environments", 0, "environment.js"],
  ] as const)(
    "%s, %i steps ahead: is restarted, and the result equals an undisturbed run's",
    async (name, ahead, part) => {
      const more = `max_steps_off_policy: ${ahead}\n`;
      const whole = await undisturbed(ahead);
      const project = await runFolderWith(config("local/calculator", more));
      const run = train(project);
      await run.saw(amidRollouts(1));
      // With rollouts sampled ahead, step 1 may begin before the state of the previous step is confirmed.
      await eventually(async () => ((await savedStep(project)) > 0 ? true : null));
      await kill(part);
      await run.saw((event) => event.kind === "started" && event.step > 0);
      // Rollouts that were sampled ahead may be complete by now.
      const isAmid = await Promise.race([
        run.saw(amidRollouts(3)).then(() => true),
        run.ended.then(() => false),
      ]);
      if (isAmid) await kill(part);
      expect((await run.ended).outcome).toBe("done");
      expect(await trained(runIn(project))).toEqual(whole);
      const losses = await lossesIn(project);
      // A run with all rollouts complete may finish before it needs its environments again.
      expect(losses.length).toBeGreaterThanOrEqual(name === "engine" && isAmid ? 2 : 1);
      expect(losses[0]).toBe(
        `The embedded ${name} ended unexpectedly (SIGKILL). The operating system does this when memory runs short. The run restarts it and continues from its last state (recovery 1 of at most 3).`,
      );
    },
  );

  it("ends the run when it may not recover, and a resume is exact", async () => {
    const whole = await undisturbed(0);
    const project = await runFolderWith(config("local/calculator", "max_recoveries: 0"));
    const run = train(project);
    await run.saw(amidRollouts(2));
    await kill("engine.js");
    const error: unknown = await run.ended.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: "local-service",
      message: expect.stringMatching(
        /^The embedded engine ended unexpectedly \(SIGKILL\)\. .* max_recoveries is 0, so the run ends\. Resume it/,
      ),
    });
    expect(exitCodeOf(error)).toBe(5);
    expect(await runFile(project)).toMatchObject({ phase: "failed", control: null });
    // A save that the engine had not confirmed is lost with it.
    expect(await savedStep(project)).toBeGreaterThanOrEqual(1);

    expect((await resume(project).ended).outcome).toBe("done");
    expect(await trained(runIn(project))).toEqual(whole);
  });

  it("keeps a paused run paused, and later commands take effect", async () => {
    const project = await runFolderWith(config("local/calculator"));
    const run = train(project);
    const control = await connectTo(project);
    await run.saw(amidRollouts(0));
    await control.send({ action: "pause" });
    await run.saw((event) => event.kind === "paused");
    await kill("engine.js");
    await eventually(async () => ((await runFile(project)).attempt === 2 ? true : null));
    const phase = expect.poll(async () => (await runFile(project)).phase, { timeout: 20_000 });
    await phase.toBe("paused");
    await control.send({ action: "continue" });
    expect((await run.ended).outcome).toBe("done");
    control.close();
  });

  it("does not keep a run from stopping when a stop is requested afterwards", async () => {
    const project = await runFolderWith(config("local/calculator"));
    const run = train(project);
    await run.saw(amidRollouts(1));
    await kill("engine.js");
    await eventually(async () => ((await lossesIn(project)).length > 0 ? true : null));
    run.stopAndSave();
    // Rejects if the stop arrived before the run had its new services.
    await run.ended.catch(() => undefined);
    expect(await runFile(project)).toMatchObject({ phase: "stopped" });
  });
});
