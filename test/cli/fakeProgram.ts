/** Fake parts of a program for tests. */

import { Readable } from "node:stream";
import { expect, vi } from "vitest";
import type { TrainerProgram } from "../../src/cli/arguments/programOptions.ts";
import type { TrainerApi } from "../../src/cli/arguments/trainerApi.ts";
import type { AppError } from "../../src/core/errors.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import type { RunEnd, TrainRequest } from "../../src/trainer/plan/types.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock, settle } from "../fakes/fakeClock.ts";
import { onlyMembers } from "../fakes/onlyMembers.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { createFakeTerminal } from "./fakeTerminal.ts";

export interface FakeProgram extends TrainerProgram {
  readonly out: ReturnType<typeof createFakeTerminal>;
  readonly err: ReturnType<typeof createFakeTerminal>;
  /** Presses Ctrl+C. */
  interrupt(): void;
  /** The handlers of an interrupt. */
  readonly listeners: ReadonlySet<() => void>;
}

export function createFakeProgram(changes: Partial<TrainerProgram> = {}): FakeProgram {
  const listeners = new Set<() => void>();
  const { trainer = aTrainer() } = changes;
  return {
    clock: new FakeClock(),
    fileSystem: createMemoryFileSystem(),
    input: Readable.from([]),
    log: silentLog,
    isProcessAlive: () => false,
    trainer,
    loadTrainer: async () => trainer,
    serveView: async () => {
      throw new Error("This program shows no pages.");
    },
    serveMcp: async () => {
      throw new Error("This program serves no assistant.");
    },
    scriptPath: "/usr/bin/tinker-rl",
    loadTokenizer: async () => ({
      vocabSize: 256,
      addedTokens: [],
      encodeText: (text) => [...new TextEncoder().encode(text)],
      decode: (ids) => new TextDecoder().decode(Uint8Array.from(ids)),
    }),
    templatesFolder: "/templates",
    invocation: { program: "tinker-rl", cwd: "/home/me" },
    version: "1.2.3",
    serveEditor: async () => undefined,
    isDebug: false,
    ...changes,
    out: createFakeTerminal(),
    err: createFakeTerminal(),
    interrupts: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    interrupt: () => {
      for (const listener of listeners) listener();
    },
    listeners,
  };
}

/** Resolves once the command is loaded, listens for interrupts, and waits for something. */
export async function underWay({ listeners }: FakeProgram): Promise<void> {
  await vi.waitFor(() => expect(listeners.size).toBeGreaterThan(0), { timeout: 10_000 });
  await settle();
}

export function aTrainer(changes: Partial<TrainerApi> = {}): TrainerApi {
  return onlyMembers(changes);
}

/** A run that ends when the test ends it. */
export function aFakeRun() {
  const calls: string[] = [];
  const requests: TrainRequest[] = [];
  let end: (end: RunEnd) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const ended = new Promise<RunEnd>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // A test may let the run fail before the program awaits it.
  ended.catch(() => undefined);
  const trainer = aTrainer({
    startTraining: (request) => {
      requests.push(request);
      return {
        ended,
        stopAndSave: () => calls.push("stopAndSave"),
        stopNow: () => calls.push("stopNow"),
      };
    },
  });
  return { calls, requests, trainer, end, fail };
}

/** Common members of all services that run until they fail or are closed. */
export function aService() {
  const failing = new AbortController();
  const serving = { isClosed: false, fail: (error: AppError) => failing.abort(error) };
  const close = async (): Promise<void> => {
    serving.isClosed = true;
  };
  return { serving, failed: failing.signal, close };
}

type EventOf<Kind extends ProgressEvent["kind"]> = Extract<ProgressEvent, { kind: Kind }>;

export function started(changes: Partial<EventOf<"started">> = {}): ProgressEvent {
  return {
    kind: "started",
    folder: "/home/me/runs/demo",
    name: "demo",
    model: "local/tiny-tool",
    step: 0,
    totalSteps: 40,
    isTotalAtMost: false,
    stopAtStep: null,
    groupsPerStep: 16,
    stepsAhead: 0,
    environments: ["local/calculator"],
    ...changes,
  };
}

export function rolloutFinished(done: number, reward: number | null): ProgressEvent {
  return { kind: "rollout-finished", step: 0, done, rollouts: 4, reward, sampledTokens: 20 };
}

export function stepFinished(changes: Partial<EventOf<"step-finished">> = {}): ProgressEvent {
  return {
    kind: "step-finished",
    step: 11,
    totalSteps: 40,
    isTotalAtMost: false,
    rewardMean: 0.53,
    decidingReward: 0.53,
    trend: { direction: "unclear", steps: 12, groups: null },
    loss: -12.3,
    trainedGroups: 13,
    groups: 16,
    untrainedTokens: 0,
    failedAgents: 0,
    crashed: 0,
    learningRate: 1e-3,
    rolloutS: 1,
    trainS: 0.2,
    totalS: 1.2,
    sampledTokens: 4812,
    etaS: 35,
    used: { tokens: 0, costUsd: null },
    ...changes,
  };
}
