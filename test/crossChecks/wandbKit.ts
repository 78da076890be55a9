/** Finds the W&B conformance kit, which is not part of the repository: a fake server, a scenario, and a comparison. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  ExtendedObject,
  ExtendedValue,
} from "../../src/core/tracking/wandb/run/extendedJson.ts";
import { kitFolder } from "../conformance/kits.ts";

/** Empty if the checks are skipped. */
export const WANDB_KIT = kitFolder(
  "TINKER_RL_WANDB_KIT",
  "conformance/wandb",
  "a fake for the W&B server, and what the official client left on it",
);

export interface Fault {
  readonly match: string;
  readonly nth?: number;
  readonly times?: number;
  readonly do: string;
  readonly [option: string]: unknown;
}

export interface FakeWandb {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly violations: readonly string[];
  stop(): Promise<void>;
  addFaults(faults: readonly Fault[]): void;
  state(full?: boolean): RunStates;
}

export interface RecordedRequest {
  readonly kind: "graphql" | "file_stream" | "put" | "other";
  readonly t: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly fault?: string;
  readonly op?: string;
  readonly body?: unknown;
}

/** Only the members that tests here read. */
export interface RunStates {
  readonly runs: Readonly<Record<string, RunState>>;
  readonly violations: readonly string[];
}

export interface RunState {
  readonly id: string;
  readonly displayName: string | null;
  readonly config: ExtendedObject;
  readonly tags: readonly string[];
  readonly history: readonly ExtendedObject[];
  readonly summary: ExtendedObject;
  readonly console: readonly { readonly stream: string; readonly text: string }[];
  readonly files: Readonly<Record<string, { readonly announced: boolean }>>;
  readonly attempts: readonly { readonly complete: boolean; readonly exitcode: number | null }[];
  readonly state: string;
  readonly exitcode: number | null;
  readonly problems: readonly string[];
}

export interface ScenarioStep {
  readonly op: "define_metric" | "log" | "config" | "summary" | "console" | "file";
  readonly name?: string;
  readonly step?: string | number;
  readonly row?: ExtendedObject;
  readonly table?: {
    readonly key: string;
    readonly columns: readonly string[];
    readonly data: readonly (readonly ExtendedValue[])[];
  };
  readonly update?: ExtendedObject;
  readonly stream?: "stdout" | "stderr";
  readonly text?: string;
  readonly path?: string;
}

export interface ScenarioAttempt {
  readonly label: string;
  readonly run: string;
  readonly init: {
    readonly name?: string;
    readonly group?: string;
    readonly jobType?: string;
    readonly notes?: string;
    readonly tags?: readonly string[];
    readonly resume: "allow" | null;
    readonly config?: ExtendedObject;
  };
  readonly steps: readonly ScenarioStep[];
  readonly exitcode: number;
}

export interface Scenario {
  readonly project: string;
  readonly attempts: readonly ScenarioAttempt[];
}

export async function startFakeWandb(options: object = {}): Promise<FakeWandb> {
  const { startFakeWandb: start } = await kitModule("fake_wandb.mjs");
  return start(options);
}

/** The differences of two states; an empty list means that they are equivalent. */
export async function compareStates(
  expected: unknown,
  actual: unknown,
  options: object = {},
): Promise<readonly unknown[]> {
  const { compareStates: compare } = await kitModule("compare.mjs");
  return compare(expected, JSON.parse(JSON.stringify(actual)), options);
}

export async function readKitJson(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(WANDB_KIT, name), "utf8"));
}

/** The scenario with its placeholders for numbers that JSON cannot represent replaced by those numbers. */
export async function readScenario(): Promise<Scenario> {
  const { revive } = await kitModule("lib/extjson.mjs");
  return revive(await readKitJson("scenario.json"));
}

/** The kit has its own types, which are not available without it. */
// biome-ignore lint/suspicious/noExplicitAny: see above
async function kitModule(name: string): Promise<any> {
  return import(pathToFileURL(join(WANDB_KIT, name)).href);
}
