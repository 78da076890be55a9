/** Services that are reached as hosted ones are: over the network, with a key. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { chained, renaming } from "../integration/tinkerServersGaps.ts";
import {
  type Filter,
  type Gateway,
  startGateway,
  upstreamOf,
} from "../integration/tinkerServersProxy.ts";

/** Names beginning with `local/` are embedded, so the served model has another one, as long. */
export const SERVED_MODEL = "Org/Tiny-tool-1";

const PREFIX = "/models";

/** Those that the server signs lead through the gateway, too. */
const SIGNED_ADDRESSES: Filter = {
  request: (passing) => passing,
  answer: (answer) => {
    if (!answer.type.includes("json")) return answer;
    const address = /(?<=http:\/\/[\w.:]+)(?=\/api\/v1\/training_runs\/)/g;
    return { ...answer, body: Buffer.from(answer.body.toString().replace(address, PREFIX)) };
  },
};

export interface Services {
  readonly tinker: Gateway;
  readonly environments: Gateway;
  /** What both look for. */
  readonly key: string;
  readonly stop: () => void;
}

/** Starts `serve`, which keeps its checkpoints in `store`, and gateways that write down what they are asked. */
export async function startServices(store: string): Promise<Services> {
  const child = spawn(process.execPath, ["dist/trainer/tinker-rl.js", "serve", "--store", store], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const printed = await exportsOf(child);
  const read = (name: string): string => {
    const value = printed.get(name);
    if (value === undefined) throw new Error(`serve did not print ${name}`);
    return value;
  };
  const tinker = await startGateway({
    upstream: upstreamOf(read("TINKER_BASE_URL")),
    prefix: PREFIX,
    filter: chained(renaming("local/tiny-tool", SERVED_MODEL), SIGNED_ADDRESSES),
  });
  const environments = await startGateway({
    upstream: upstreamOf(read("OPENREWARD_SESSION_URL")),
    prefix: "/environments",
  });
  const stop = (): void => {
    tinker.close();
    environments.close();
    child.kill("SIGINT");
  };
  return { tinker, environments, key: read("TINKER_API_KEY"), stop };
}

/** The lines that a user would copy. */
async function exportsOf({ stdout }: ChildProcess): Promise<ReadonlyMap<string, string>> {
  if (stdout === null) throw new Error("The program has no output.");
  const found = new Map<string, string>();
  for await (const line of createInterface({ input: stdout })) {
    const [, name, value] = /^\s*export (\w+)=(\S+)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) found.set(name, value);
    if (name === "OPENREWARD_API_KEY") break;
  }
  // What it prints from now on must not fill the pipe.
  stdout.resume();
  return found;
}
