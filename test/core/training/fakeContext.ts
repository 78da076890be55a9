/** A run context with a fixed clock and an in-memory file system. */

import type { Agent } from "../../../src/core/agents/agent.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import type { NewRunEvent } from "../../../src/core/runFolder/events.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import {
  createRolloutStore,
  type RolloutStore,
} from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { createUsageLog } from "../../../src/core/runFolder/usageLog.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import type { ServiceClient } from "../../../src/core/tinker/serviceClient.ts";
import {
  type PreparedEnvironment,
  type RunContext,
  type RunReporting,
  runLimits,
} from "../../../src/core/training/run/context.ts";
import { RunControl } from "../../../src/core/training/run/control.ts";
import { PausedTime } from "../../../src/core/training/run/pausedTime.ts";
import type { ProgressEvent } from "../../../src/core/training/run/progress.ts";
import { createTaskSequence } from "../../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../../src/node/hash.ts";
import type { RunPhase } from "../../../src/shared/runFile.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { aGate } from "../rollout/builders.ts";
import { type ScriptedEnvironment, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { renderer, tokenizer } from "../rollout/scriptedModel.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "../runFolder/memoryFileSystem.ts";
import { aConfig, ENVIRONMENT, someSettings } from "./builders.ts";
import { FakeTrainingClient } from "./fakeTrainingClient.ts";

/** A run context, plus what tests look at most often. */
export interface FakeContext extends RunContext {
  readonly clock: FakeClock;
  readonly client: FakeTrainingClient;
  readonly fileSystem: MemoryFileSystem;
  readonly progress: readonly ProgressEvent[];
  /** Phases that the run entered, in order. */
  readonly phases: readonly RunPhase[];
  /** Events of the run, in order. */
  readonly recorded: readonly NewRunEvent[];
  /** Paths of deleted checkpoints. */
  readonly deleted: string[];
}

export const FOLDER = "/runs/one";

export interface ContextOptions
  extends Partial<Pick<RunContext, "config" | "listPrices" | "sequence" | "totalSteps">>,
    Partial<Pick<RunReporting, "events" | "redactor">> {
  readonly remote?: ScriptedEnvironment;
  /** Plays instead of the built-in loop. */
  readonly agent?: Agent;
  /** Environments besides the one of the builders, by full name. */
  readonly otherRemotes?: Readonly<Record<string, ScriptedEnvironment>>;
  /** Default: the embedded model's. */
  readonly chat?: RunContext["services"]["chat"];
  /** Applies to all environments. */
  readonly settings?: RolloutSettings;
  readonly maxSessions?: number;
  /** Called after each phase change is recorded. */
  readonly onPhase?: (phase: RunPhase) => void;
  /** The service's answer to a request for its models; default: it refuses. */
  readonly capabilities?: ServiceClient["capabilities"];
  readonly deleteCheckpoint?: ServiceClient["deleteCheckpoint"];
  /** The service's answer to a request for the base model; default: it refuses. */
  readonly samplerForBase?: ServiceClient["samplerForBase"];
  /** Default: opens the training client's sampler under the path. */
  readonly samplerForPath?: ServiceClient["samplerForPath"];
  /** The folder that an earlier attempt left. */
  readonly fileSystem?: MemoryFileSystem;
  /** Wraps the rollout store. */
  readonly wrapStore?: (store: RolloutStore) => RolloutStore;
}

export function aContext(options: ContextOptions = {}): FakeContext {
  const { remote = scriptedEnvironment(), otherRemotes = {}, settings = someSettings() } = options;
  const { config = aConfig(), redactor = new Redactor(), totalSteps = null } = options;
  const { maxSessions, onPhase, capabilities, deleteCheckpoint, samplerForBase, wrapStore } =
    options;
  const clock = new FakeClock();
  const { fileSystem = createMemoryFileSystem() } = options;
  const client = new FakeTrainingClient();
  const progress: ProgressEvent[] = [];
  const phases: RunPhase[] = [];
  const recorded: NewRunEvent[] = [];
  const deleted: string[] = [];
  const service = fakeService(deleted);
  const changedService: ServiceClient = {
    ...service,
    capabilities: capabilities ?? service.capabilities,
    deleteCheckpoint: deleteCheckpoint ?? service.deleteCheckpoint,
    samplerForBase: samplerForBase ?? service.samplerForBase,
    samplerForPath: async (path) =>
      (await options.samplerForPath?.(path)) ?? { ...client.sampler, samplerId: path },
  };
  const store = createRolloutStore({ fileSystem, redactor, folder: FOLDER });
  const sources = [
    {
      environment: ENVIRONMENT,
      split: "train",
      count: 8,
      shuffle: false,
      numSamples: null,
      weight: 1,
    },
  ];
  const prepare = (played: ScriptedEnvironment): PreparedEnvironment => ({
    remote: played,
    settings,
    gate: aGate(played, clock, maxSessions),
    given: { maxContext: null, secrets: {} },
    agent: options.agent ?? null,
  });
  const remotes = Object.entries({ [ENVIRONMENT]: remote, ...otherRemotes });
  return {
    config,
    sequence: options.sequence ?? createTaskSequence(sources, 42, "proportional", sha256),
    totalSteps,
    listPrices: options.listPrices ?? null,
    limits: runLimits(config),
    control: new RunControl(),
    pauses: new PausedTime(clock),
    ports: { clock, random: { uuid: () => "id", uniform: () => 0 }, sha256 },
    services: {
      service: changedService,
      client,
      samplerPathOf: async (given) => given,
      isOwn: (path) => path.startsWith(`tinker://${client.modelId}/`),
      chat: options.chat ?? { renderer, tokenizer },
      environments: new Map(remotes.map(([name, played]) => [name, prepare(played)])),
    },
    storage: {
      fileSystem,
      folder: FOLDER,
      store: wrapStore?.(store) ?? store,
      usage: createUsageLog({ fileSystem, folder: FOLDER, log: silentLog }),
      attempt: 1,
      stage: null,
    },
    reporting: {
      events: options.events ?? { record: async (event) => void recorded.push(event) },
      watch: (event) => progress.push(event),
      log: silentLog,
      redactor,
      enterPhase: async (phase) => {
        phases.push(phase);
        onPhase?.(phase);
      },
    },
    clock,
    client,
    fileSystem,
    progress,
    phases,
    recorded,
    deleted,
  };
}

export function fakeService(deleted: string[]): ServiceClient {
  const refuse = () => Promise.reject(new Error("nothing of the kind is asked for here"));
  return {
    address: "http://tinker.test",
    capabilities: refuse,
    createTrainingClient: refuse,
    createTrainingClientFromState: refuse,
    samplerForPath: refuse,
    samplerForBase: refuse,
    listCheckpoints: refuse,
    setCheckpointTtl: refuse,
    deleteCheckpoint: async (path) => void deleted.push(path),
    weightsFacts: refuse,
    sessionId: refuse,
    finish: async () => undefined,
    close: () => undefined,
  };
}

/** Parsed lines of a file in the run folder; empty when the file does not exist. */
export function linesOf({ fileSystem }: FakeContext, path: string): readonly unknown[] {
  const text = new TextDecoder().decode(fileSystem.files.get(path));
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

export const PATHS = runPaths(FOLDER);
