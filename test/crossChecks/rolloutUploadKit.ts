/** The fake of the hosted OpenReward service, and the comparison of recordings, from the ORS conformance kit. */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { KIT_ENVIRONMENT } from "../conformance/checkLines.ts";
import { KIT, kitPython } from "../conformance/openrewardKit.ts";

/** The official client's requests for the scenario. */
export const RECORDING = join(KIT, "recordings", "rollouts-openreward-0.1.167.jsonl");
export const API_KEY = "or_test";

/** An event as received. */
export type Event = Readonly<Record<string, unknown>>;

/** A rollout as stored by the service. */
export interface Kept {
  readonly started: Event;
  readonly updates: readonly Event[];
  readonly messages: readonly Event[];
}

/** A request as received by the service. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly fault: string | null;
  readonly body: { readonly events: readonly Event[] } | null;
}

export interface FaultRule {
  readonly match: { readonly method?: string; readonly path?: string; readonly body?: string };
  readonly after?: number;
  readonly times?: number;
  readonly action: "status" | "reset" | "hang" | "delay";
  readonly status?: number;
  readonly seconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Hosted {
  readonly url: string;
  rollouts(): Promise<Readonly<Record<string, Kept>>>;
  recording(): Promise<readonly Row[]>;
  faults(rules: readonly FaultRule[]): Promise<void>;
  stop(): Promise<void>;
}

export async function readScenario(): Promise<unknown> {
  return JSON.parse(await readFile(join(KIT, "rollout_scenario.json"), "utf8"));
}

/** Starts the fake with catalogue entries; `record` is a file for its received requests. */
export async function startHosted(
  environments: readonly string[],
  more: readonly string[] = [],
): Promise<Hosted> {
  const names = environments.flatMap((name) => ["--environment", name]);
  const args = [join(KIT, "fake_hosted.py"), "--port", "0", "--api-key", API_KEY];
  const child = spawn(kitPython ?? "", [...args, ...names, ...more], {
    env: KIT_ENVIRONMENT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The fake ended with ${code}.`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /^listening \w+ (http:\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const control = async (what: string, body?: unknown): Promise<unknown> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${url}/__control/${what}`, init)).json();
  };
  return {
    url,
    // The fake is part of the kit: its answers conform to it.
    rollouts: async () => (await control("rollouts")) as Readonly<Record<string, Kept>>,
    recording: async () => (await control("recording")) as readonly Row[],
    faults: async (rules) => void (await control("faults", rules)),
    stop: async () => {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

/** Runs the kit's comparison; returns its output and whether it found no difference. */
export async function compare(
  ...args: readonly string[]
): Promise<{ readonly isEqual: boolean; readonly text: string }> {
  const options = { env: KIT_ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 };
  const run = promisify(execFile);
  try {
    const { stdout } = await run(kitPython ?? "", [join(KIT, "compare.py"), ...args], options);
    return { isEqual: true, text: stdout };
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    return { isEqual: false, text: stdout ?? String(error) };
  }
}
