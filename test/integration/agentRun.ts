/** Runs of the calculator task, played by the agent programs in `agents`. */

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import {
  type RolloutRecord,
  rolloutRecordSchema,
} from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../../src/core/runFolder/rollouts/tokenRecord.ts";
import { runIn } from "./controlledRun.ts";
import { readLines, runFolderWith } from "./localRun.ts";
import { tokenRecords } from "./tokenRecords.ts";
import { type Ended, runProgram } from "./trainProgram.ts";

export interface AgentRun extends Ended {
  /** The project folder of the run. */
  readonly home: string;
  /** Rollouts, ordered by step, group and index. */
  readonly rollouts: readonly PlayedRollout[];
}

export interface PlayedRollout {
  readonly record: RolloutRecord;
  /** Token streams, in order. */
  readonly streams: readonly TokenRecord[];
}

interface RunSettings {
  /** Keys under `agent`; absent = the built-in loop. */
  readonly agent?: object;
  readonly environment?: object;
  readonly run?: object;
}

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** A command that runs the program `agents/<name>`. */
export function agentCommand(program: string, ...args: readonly string[]): readonly string[] {
  const path = fileURLToPath(new URL(`./agents/${program}.mjs`, import.meta.url));
  return [process.execPath, path, ...args];
}

/** A folder where agents leave files; the tests remove it. */
export async function sharedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tinker-rl-test-agents-"));
  folders.push(folder);
  return folder;
}

/** Makes a project with a run of two steps of two groups of four rollouts, all of which are trained on. */
export async function agentProject({ agent, environment, run }: RunSettings): Promise<string> {
  const calculator = {
    splits: { train: {} },
    num_rollouts: 4,
    nonterminal_reward: 0,
    // With rewards as advantages, every rollout trains.
    min_reward: 0.125,
    ...environment,
    ...(agent === undefined ? undefined : { agent }),
  };
  const config = {
    model_name: "local/tiny-tool",
    run_name: "run",
    environments: { "local/calculator": calculator },
    batch_size: 2,
    max_steps: 2,
    seed: 42,
    learning_rate: 1e-3,
    warmup_steps: 0,
    advantage_calculation: "direct",
    max_rollout_retries: 0,
    ...run,
  };
  // Every JSON text is YAML.
  const home = await runFolderWith(JSON.stringify(config));
  folders.push(home);
  return home;
}

export async function trainAgents(settings: RunSettings): Promise<AgentRun> {
  const home = await agentProject(settings);
  const store = { TINKER_RL_STORE: join(home, "checkpoints") };
  const ended = await runProgram(["train", "-c", join(home, "config.yaml")], store);
  return { ...ended, home, rollouts: await playedIn(home) };
}

export async function playedIn(home: string): Promise<readonly PlayedRollout[]> {
  const folder = join(runIn(home), "rollouts");
  const names = await readdir(folder).catch(() => []);
  const steps = names.filter((name) => /^step-\d+\.jsonl$/.test(name)).sort();
  const played = await Promise.all(
    steps.map(async (name) => {
      const records = (await readLines(join(folder, name))).map((line) =>
        rolloutRecordSchema.parse(line),
      );
      const tokens = await tokenRecords(join(folder, name.replace("jsonl", "tokens.bin"))).catch(
        (): readonly TokenRecord[] => [],
      );
      return records
        .map((record) => ({ record, streams: tokens.filter(isOf(record)) }))
        .sort(({ record: a }, { record: b }) => a.group - b.group || a.rollout - b.rollout);
    }),
  );
  return played.flat();
}

function isOf({ group, rollout }: RolloutRecord): (tokens: TokenRecord) => boolean {
  return (tokens) => tokens.group === group && tokens.rollout === rollout;
}

/** What training reads of a rollout. */
export function trainedOn({ streams }: PlayedRollout) {
  return streams.map(({ ids, samplerLogprobs, mask, turns }) => ({
    ids: Array.from(ids),
    logprobs: Array.from(samplerLogprobs),
    mask: Array.from(mask),
    turns: Array.from(turns),
  }));
}

/** All files of the run as one string. */
export async function textOfRun(home: string): Promise<string> {
  const names = await readdir(runIn(home), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}
