/** What the parts of a run share, on a still clock and a file system in memory. */

import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import { runPaths } from "../../../src/core/runFolder/layout.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import type { ServiceClient } from "../../../src/core/tinker/serviceClient.ts";
import { type RunContext, runLimits } from "../../../src/core/training/context.ts";
import { RunControl } from "../../../src/core/training/control.ts";
import { createTaskSequence } from "../../../src/core/training/dataset.ts";
import type { ProgressEvent } from "../../../src/core/training/progress.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { aGate } from "../rollout/aGate.ts";
import { type ScriptedEnvironment, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { renderer, tokenizer } from "../rollout/scriptedModel.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "../runFolder/memoryFileSystem.ts";
import { aConfig, ENVIRONMENT, someSettings } from "./builders.ts";
import { FakeTrainingClient } from "./fakeTrainingClient.ts";

export interface FakeContext extends RunContext {
  readonly clock: FakeClock;
  readonly client: FakeTrainingClient;
  readonly fileSystem: MemoryFileSystem;
  readonly progress: readonly ProgressEvent[];
  /** Paths of checkpoints that were deleted. */
  readonly deleted: string[];
}

export const FOLDER = "/runs/one";

interface CommandHandler extends Partial<RunContext> {
  readonly remote?: ScriptedEnvironment;
  readonly settings?: RolloutSettings;
  readonly maxSessions?: number;
}

export function aContext({
  remote = scriptedEnvironment(),
  settings = someSettings(),
  maxSessions = Number.POSITIVE_INFINITY,
  ...overrides
}: CommandHandler = {}): FakeContext {
  const clock = new FakeClock();
  const config = overrides.config ?? aConfig();
  const fileSystem = createMemoryFileSystem();
  const redactor = overrides.redactor ?? new Redactor();
  const progress: ProgressEvent[] = [];
  const deleted: string[] = [];
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
  const gate = aGate(remote, clock, maxSessions);
  const environment = { remote, settings, gate, given: { maxContext: null, secrets: {} } };
  return {
    config,
    folder: FOLDER,
    random: { uuid: () => "id", uniform: () => 0 },
    log: silentLog,
    sha256,
    renderer,
    tokenizer,
    store: createRolloutStore({ fileSystem, redactor, folder: FOLDER }),
    events: { record: async () => undefined },
    redactor,
    service: fakeService(deleted),
    environments: new Map([[ENVIRONMENT, environment]]),
    sequence: createTaskSequence(sources, 42, "proportional", sha256),
    totalSteps: null,
    limits: runLimits(config),
    control: new RunControl(),
    watch: (event) => progress.push(event),
    enterPhase: async () => undefined,
    attempt: 1,
    ...overrides,
    clock,
    client: new FakeTrainingClient(),
    fileSystem,
    progress,
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
    finish: async () => undefined,
    close: () => undefined,
  };
}

/** Parsed lines of a file in the run folder; none when there is no such file. */
export function linesOf({ fileSystem }: FakeContext, path: string): readonly unknown[] {
  const text = new TextDecoder().decode(fileSystem.files.get(path));
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

export const PATHS = runPaths(FOLDER);
