/** User-written agent programs that play the rollouts of a run. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isProcessAlive } from "../../src/node/processes.ts";
import { tokenizer } from "../core/rollout/scriptedModel.ts";
import {
  agentCommand,
  agentProject,
  type PlayedRollout,
  playedIn,
  sharedFolder,
  textOfRun,
  trainAgents,
  trainedOn,
} from "./agentRun.ts";
import { killedWhen, trained } from "./comparedRuns.ts";
import { eventually, runIn } from "./controlledRun.ts";
import { runProgram } from "./trainProgram.ts";

/** Agents, named after the protocol that they use. */
const AS_BUILT_IN = ["openai", "anthropic"] as const;

/** What the model did, and the outcome. */
function outcome({ record }: PlayedRollout) {
  const { environment: _, turns, reward, rewards, stop, taskKey } = record;
  const played = turns.map(({ sampledText, calls, results }) => ({ sampledText, calls, results }));
  return { taskKey, reward, rewards, stop, played };
}

/** Rollouts whose calls were all valid: for invalid calls the built-in loop adds an error message, which an agent words itself. */
function isReadable({ record }: PlayedRollout): boolean {
  return record.turns.every(({ errors }) => errors.length === 0);
}

describe("an agent that mirrors the built-in loop", () => {
  const alike = async (settings: object) => {
    const native = await trainAgents(settings);
    const agents = AS_BUILT_IN.map((protocol) =>
      trainAgents({ ...settings, agent: { command: agentCommand(protocol), protocol } }),
    );
    return { native, runs: await Promise.all(agents) };
  };

  it("trains the same tokens, step by step", async () => {
    const { native, runs } = await alike({});
    expect(native.rollouts.filter(isReadable)).toHaveLength(16);
    expect(native.rollouts.some(({ record }) => record.turns.length > 1)).toBe(true);
    const tokens = await tokenFiles(native.home);
    for (const run of runs) {
      expect([run.code, run.stderr]).toEqual([0, ""]);
      expect(run.rollouts.map(outcome)).toEqual(native.rollouts.map(outcome));
      // Includes advantages and the trainer's log-probabilities.
      expect(await tokenFiles(run.home)).toEqual(tokens);
    }
  });
});

/** The bytes of the token data of both steps. */
function tokenFiles(home: string): Promise<readonly Buffer[]> {
  const folder = join(runIn(home), "rollouts");
  const names = ["step-000000.tokens.bin", "step-000001.tokens.bin"];
  return Promise.all(names.map((name) => readFile(join(folder, name))));
}

/** Expects that each sampled token of a rollout is trained in exactly one stream, and no other token is trained. */
function expectTrainedOnce({ record, streams }: PlayedRollout): void {
  const counts = record.turns.map((turn, number) =>
    streams.map(({ turns, mask, stream }) => ({
      stream,
      tokens: Array.from(turns).filter((own, i) => own === number && mask[i] === 1).length,
      expected: turn.stream === stream ? turn.tokens : 0,
    })),
  );
  for (const { tokens, expected } of counts.flat()) expect(tokens).toBe(expected);
  for (const { mask, samplerLogprobs } of streams) {
    const isGiven = Array.from(samplerLogprobs).filter((value, i) => value !== 0 && mask[i] === 0);
    expect(isGiven).toEqual([]);
  }
}

/** The prefix before the first turn of each stream. */
function prompts({ streams }: PlayedRollout): readonly string[] {
  return streams.map(({ ids, mask }) => {
    const first = Array.from(mask).indexOf(1);
    return tokenizer.decode(Array.from(ids).slice(0, first));
  });
}

describe("an agent with several conversations", () => {
  it("trains each sampled token once when a sub-agent runs in parallel", async () => {
    const agent = { command: agentCommand("subAgent") };
    const { code, rollouts } = await trainAgents({ agent });
    expect(code).toBe(0);
    for (const rollout of rollouts) {
      expectTrainedOnce(rollout);
      const own = prompts(rollout);
      expect(own).toHaveLength(2);
      expect(own.filter((prompt) => prompt.includes("You check sums."))).toHaveLength(1);
      expect(own.filter((prompt) => prompt.includes("Are you sure?"))).toEqual([]);
    }
    expect(Math.max(...rollouts.map(({ record }) => record.turns.length))).toBeGreaterThan(2);
  });
});

describe("a reward", () => {
  it("is computed from what an agent left and printed before it hit a limit", async () => {
    const agent = { command: agentCommand("limited"), reward_command: agentCommand("grade") };
    const environment = { max_turns: 1 };
    const { code, rollouts } = await trainAgents({ agent, environment, run: { max_steps: 1 } });
    expect(code).toBe(0);
    expect(rollouts).toHaveLength(8);
    for (const { record } of rollouts) {
      expect([record.stop, record.reward, record.agent?.exit]).toEqual(["max_turns", 0.5, null]);
    }
  });

  it("that is invalid fails the rollout, and no file contains a key that the agent printed", async () => {
    const agent = { command: agentCommand("printing", "key"), reward: "output" };
    const { rollouts, home, stderr, stdout } = await trainAgents({ agent, run: { max_steps: 1 } });
    expect(rollouts.length).toBeGreaterThan(0);
    for (const { record } of rollouts) {
      expect([record.reward, record.stop, record.error]).toEqual([
        null,
        "error",
        expect.stringContaining("ended without a reward. It printed: [key]. Its last line must be"),
      ]);
      expect(record.agent?.output).toContain("My key is [key].");
    }
    const key = /tinker-rl-[\w-]{32}/;
    expect(await textOfRun(home)).not.toMatch(key);
    expect(stdout + stderr).not.toMatch(key);
  });
});

describe("an agent that", () => {
  const fail = (how: string, agent: object = {}, folder = "", retries = 1) =>
    trainAgents({
      agent: { command: agentCommand("failing", how, folder), ...agent },
      run: { max_steps: 1, batch_size: 1, max_rollout_retries: retries },
    });

  it.each([
    ["at once", "1"],
    ["never asks", "0"],
  ])("fails %s is retried, and gets no reward", async (how, exit) => {
    const { rollouts } = await fail(how);
    expect(rollouts).toHaveLength(4);
    for (const { record } of rollouts) {
      expect([record.stop, record.reward, record.attempt]).toEqual(["max_retries", null, 1]);
      const failure = `The agent of local/calculator ended with code ${exit} without a turn of the model.`;
      expect(record.error).toContain(`${failure} It printed: I fail: ${how}.`);
      expect(record.agent).toEqual({ exit, output: `I fail: ${how}.\n`, refusals: [], failure });
    }
  });

  it("hangs is killed, and gets no reward", async () => {
    const { rollouts } = await fail("hangs", { timeout: 10 }, "", 0);
    for (const { record } of rollouts) {
      expect([record.stop, record.reward]).toEqual(["max_retries", null]);
      expect(record.error).toContain("took longer than 10 s (agent.timeout)");
      expect(record.agent).toMatchObject({ exit: null, output: "I fail: hangs.\n" });
      expect(record.agent?.failure).toContain("took longer than 10 s (agent.timeout)");
    }
  });

  it("leaves a child process ends its rollout, and the child is killed", async () => {
    const folder = await sharedFolder();
    const { code, rollouts } = await fail("leaves a child", {}, folder);
    expect(code).toBe(0);
    expect(rollouts.map(({ record }) => record.stop)).toEqual(Array(4).fill("agent_ended"));
    expect(await pidsIn(folder)).toHaveLength(4);
    await noneLeft(folder);
  });

  it("leaves a child in another process group that holds its output open still ends its rollout", async () => {
    const folder = await sharedFolder();
    const { code, rollouts } = await fail("leaves a child of its own", {}, folder);
    const left = (await pidsIn(folder)).filter((pid) => isProcessAlive(pid));
    for (const pid of left) process.kill(pid, "SIGKILL");
    expect([code, left.length]).toEqual([0, 4]);
    expect(rollouts.map(({ record }) => record.stop)).toEqual(Array(4).fill("agent_ended"));
  });
});

async function pidsIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(".pid")).map((name) => Number.parseInt(name, 10));
}

/** Process ids that agents wrote when they started. */
async function agentFolders(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith("tinker-rl-agent-"));
}

/** Waits until the processes have ended. */
function noneLeft(folder: string): Promise<unknown> {
  return eventually(async () =>
    (await pidsIn(folder)).some((pid) => isProcessAlive(pid)) ? null : true,
  );
}

describe("processes of agents", () => {
  const settings = (folder: string) => ({
    agent: { command: agentCommand("slow", folder) },
    run: { max_steps: 3, save_every: 1 },
  });

  it("end with the run, and also when the trainer is killed; the resumed run reaches the same result", async () => {
    const folder = await sharedFolder();
    await writeFile(join(folder, "go"), "");
    const whole = await trainAgents(settings(folder));
    expect(whole.code).toBe(0);
    expect(await pidsIn(folder)).toHaveLength(48);
    await noneLeft(folder);

    const killed = await sharedFolder();
    const home = await agentProject(settings(killed));
    const store = { TINKER_RL_STORE: join(home, "checkpoints") };
    // The first step, and the waiting agents of the second.
    const isAmid = async () => (await pidsIn(killed)).length === 32;
    const args = ["train", "-c", join(home, "config.yaml")];
    const temporary = await sharedFolder();
    await killedWhen(args, { ...store, TMPDIR: temporary }, isAmid, { alone: true });
    await noneLeft(killed);
    await eventually(async () => (await agentFolders(temporary)).length === 0 || null);

    await writeFile(join(killed, "go"), "");
    const resumed = await runProgram(["resume", runIn(home)], store);
    expect([resumed.code, resumed.stderr]).toEqual([0, ""]);
    await noneLeft(killed);
    expect(await trained(runIn(home))).toEqual(await trained(runIn(whole.home)));
    const outcomes = (await playedIn(home)).map(outcome);
    expect(outcomes).toEqual(whole.rollouts.map(outcome));
  });
});

describe("the key of a rollout", () => {
  it("gives access to that rollout only, and only while it is being played", async () => {
    const folder = await sharedFolder();
    const [intruding, alone] = await Promise.all([
      trainAgents({ agent: { command: agentCommand("intruding", folder) } }),
      trainAgents({ agent: { command: agentCommand("openai") } }),
    ]);
    expect([intruding.code, intruding.stderr]).toEqual([0, ""]);
    const said = intruding.rollouts.map(({ record }) => record.agent?.output ?? "");
    for (const output of said) expect(output).toMatch(/^\d+ others, \d ended, statuses 401\n/);
    expect(said.slice(8).every((output) => output.includes("8 ended"))).toBe(true);
    expect(intruding.rollouts.map(outcome)).toEqual(alone.rollouts.map(outcome));
    expect(intruding.rollouts.map(trainedOn)).toEqual(alone.rollouts.map(trainedOn));
  });
});

describe("an agent alone", () => {
  const run = async (...words: readonly string[]) => {
    const agent = { command: agentCommand("openai"), protocol: "openai" };
    const home = await agentProject({ agent });
    const own = ["-c", join(home, "config.yaml"), "--seed", "1"];
    return await runProgram(["env", ...words, ...own], { TINKER_RL_STORE: home });
  };

  it("plays a task with a model that the user chooses", async () => {
    const words = ["play", "local/calculator", "--agent", "--player", "random"];
    const { code, stdout, stderr } = await run(...words);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/reward .* in all · \d+ turns? · reached_terminal_state/);
    expect(stdout).toContain("The rollout ended the agent.");
  });

  it("is included in the check of its environment", async () => {
    const words = ["check", "local/calculator", "--tasks", "4"];
    const { code, stdout, stderr } = await run(...words);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ok +agent +\d turns?, then reached_terminal_state$/m);
  });
});
