/** Maliciously changed run folders. */

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { brokenLines, changeOne, heavyJson, otherEncoding, replacement } from "./damage.ts";
import { plantedPaths } from "./home.ts";
import type { Seeded } from "./seeded.ts";

export interface Attack {
  readonly kind: string;
  /** What was changed, for debugging. */
  readonly what: string;
}

interface Target {
  /** A valid run folder whose copies are changed. */
  readonly sound: string;
  readonly home: string;
}

const LISTS = [
  ...["metrics.jsonl", "events.jsonl", "checkpoints.jsonl", "eval/results.jsonl", "upload.jsonl"],
  ...["rollouts/step-000000.index.jsonl", "rollouts/step-000000.jsonl", "eval/step-000000.jsonl"],
  "superseded/attempt-1/metrics.jsonl",
];
const DOCUMENTS = [
  ...["run.json", "run.json", "state.json", "state.prev.json", "config.resolved.json"],
  ...["overrides.json", "wandb.json"],
];
const TEXTS = [...LISTS, ...DOCUMENTS, "config.yaml"];
const FOLDERS = ["rollouts", "eval", "superseded", "superseded/attempt-1", "wandb"];
const TOKENS = "rollouts/step-000000.tokens.bin";

const DEVICES = ["/dev/zero", "/dev/full", "/dev/random", "/proc/self/mem", "/proc/self/environ"];

type Change = (folder: string, choose: Seeded, target: Target) => string;

const CHANGES: Readonly<Record<string, Change>> = {
  link: (folder, choose, { home }) => {
    const name = choose.pick([...TEXTS, TOKENS, ...FOLDERS, "control", "metrics.jsonl.tmp"]);
    const path = join(folder, name);
    const to = choose.pick([
      ...plantedPaths(home),
      ...DEVICES,
      home,
      "/",
      path,
      `${folder}/nowhere`,
    ]);
    return `${name} -> ${putLink(path, to)}`;
  },
  pipe: (folder, choose) => {
    const name = choose.pick([...TEXTS, TOKENS]);
    clear(join(folder, name));
    spawnSync("mkfifo", [join(folder, name)]);
    return name;
  },
  "file for folder": (folder, choose) => {
    const isFolder = choose.below(2) === 0;
    const name = isFolder ? choose.pick(FOLDERS) : choose.pick(TEXTS);
    clear(join(folder, name));
    if (isFolder) writeFileSync(join(folder, name), "no folder");
    else mkdirSync(join(folder, name, "a folder"), { recursive: true });
    return name;
  },
  depth: (folder, choose) => {
    const name = choose.pick([...LISTS, ...DOCUMENTS]);
    const before = read(folder, name);
    const heavy = Array.from({ length: 1 + choose.below(3) }, () => heavyJson(choose));
    const isList = LISTS.includes(name);
    return write(folder, name, isList ? `${before}${heavy.join("\n")}\n` : (heavy[0] ?? ""));
  },
  size: (folder, choose) => {
    const name = choose.pick([...TEXTS, TOKENS]);
    const before = read(folder, name);
    const bytes = LISTS.includes(name) ? choose.pick([30e6, 200e6]) : choose.pick([30e6, 5e9]);
    // Sparse, so that it takes no space: the added part reads as zeros.
    write(folder, name, before);
    truncateSync(join(folder, name), bytes);
    return `${name} with ${bytes} bytes`;
  },
  "long lines": (folder, choose) => {
    const name = choose.pick(LISTS);
    const line = JSON.stringify({
      ...lineOf(folder, name),
      text: "x".repeat(choose.pick([2e6, 2e7])),
    });
    return write(folder, name, `${read(folder, name)}${line}\n`.repeat(1 + choose.below(2)));
  },
  count: (folder, choose) => {
    const name = choose.pick([...LISTS, "rollouts", "overrides.json"]);
    if (name === "rollouts") return manyFiles(folder, choose);
    if (name === "overrides.json") {
      const texts = Array.from({ length: choose.pick([900, 50_000]) }, (_, i) => `a.b${i}=${i}`);
      return write(folder, name, JSON.stringify(texts));
    }
    const line = lineOf(folder, name);
    const count = choose.pick([2_000, 20_000]);
    const numbered = Array.from({ length: count }, (_, i) =>
      JSON.stringify({ ...line, step: i, group: i, rollout: i % 7, [`m${i % 5_000}`]: i }),
    );
    return write(folder, name, `${numbered.join("\n")}\n`);
  },
  encoding: (folder, choose) => {
    const name = choose.pick(TEXTS);
    return write(folder, name, otherEncoding(read(folder, name), choose));
  },
  lines: (folder, choose) => {
    const name = choose.pick(TEXTS);
    return write(folder, name, brokenLines(read(folder, name), choose));
  },
  numbers: (folder, choose, target) => changeValues(folder, choose, target, "number"),
  names: (folder, choose, target) => changeValues(folder, choose, target, "id"),
  types: (folder, choose, target) => changeValues(folder, choose, target, "type"),
  prototype: (folder, choose, target) => changeValues(folder, choose, target, "key"),
  attempt: (folder, choose) => {
    const file = { ...document(folder, "run.json") };
    const key = choose.pick(["attempt", "generation", "startedAtMs", "heartbeatAtMs", "pid"]);
    const value = choose.pick([0, 300_000, 999_999, 1e9, Number.MAX_SAFE_INTEGER, 4_000_000_000]);
    return write(folder, "run.json", JSON.stringify({ ...file, [key]: value }), `${key} ${value}`);
  },
  control: (folder, choose, { home }) => {
    const tokenPath = choose.pick([
      ...plantedPaths(home),
      ...DEVICES,
      `${home}/tinker-rl-run-x/token`,
    ]);
    const file = {
      ...document(folder, "run.json"),
      phase: "running",
      pid: process.pid,
      heartbeatAtMs: Date.now() + 1e9,
      control: {
        address: choose.pick([join(dirname(tokenPath), "control.sock"), home]),
        tokenPath,
      },
      configPath: choose.pick(plantedPaths(home)),
    };
    return write(folder, "run.json", JSON.stringify(file), tokenPath);
  },
  configuration: (folder, choose, { home }) => {
    const configPath = choose.pick([...plantedPaths(home), "/dev/zero", "../../..", ""]);
    const file = { ...document(folder, "run.json"), configPath };
    return write(folder, "run.json", JSON.stringify(file), configPath);
  },
  tokens: (folder, choose) => {
    const path = join(folder, TOKENS);
    const bytes = new Uint8Array(readFileSync(path));
    for (let left = 4; left > 0; left -= 1) {
      const at = 4 * choose.below(Math.min(60, bytes.length / 4));
      const number = choose.pick([0, 1, 2 ** 31, 2 ** 32 - 1, 300_000, 0x31524b54]);
      new DataView(bytes.buffer).setUint32(at, number, true);
    }
    return write(folder, TOKENS, bytes.subarray(0, 1 + choose.below(bytes.length)));
  },
  places: (folder, choose) => {
    const name = "rollouts/step-000000.index.jsonl";
    const changed = read(folder, name)
      .split("\n")
      .map((line) =>
        line.replace(/"(offset|length|stream|turns|tokens)":\d+/g, (all, key: string) =>
          choose.below(2) === 0
            ? all
            : `"${key}":${choose.pick([0, 1, 2 ** 40, 2 ** 53 - 1, 64e6])}`,
        ),
      );
    truncateSync(join(folder, "rollouts/step-000000.jsonl"), 2 ** 41);
    return write(folder, name, changed.join("\n"));
  },
};

export const RUN_ATTACKS: readonly string[] = Object.keys(CHANGES);

/** Writes a changed copy of the valid run to `folder`. */
export function writeRunCase(folder: string, kind: string, choose: Seeded, target: Target): Attack {
  cpSync(target.sound, folder, { recursive: true });
  const what = CHANGES[kind]?.(folder, choose, target) ?? "nothing";
  return { kind: `run: ${kind}`, what };
}

function clear(path: string): void {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
}

function putLink(path: string, to: string): string {
  clear(path);
  symlinkSync(to, path);
  return to;
}

function read(folder: string, name: string): string {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function write(
  folder: string,
  name: string,
  content: string | Uint8Array,
  detail = `${content.length} bytes`,
): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
  return `${name}: ${detail.slice(0, 100)}`;
}

/** A line of a JSON Lines file, or one that any such file could have. */
function lineOf(folder: string, name: string): object {
  const first = read(folder, name).split("\n", 1)[0] ?? "";
  return first.startsWith("{") ? { ...JSON.parse(first) } : { step: 0 };
}

function document(folder: string, name: string): object {
  return { ...JSON.parse(read(folder, name)) };
}

function changeValues(
  folder: string,
  choose: Seeded,
  { home }: Target,
  kind: Parameters<typeof replacement>[0],
): string {
  const isList = choose.below(2) === 0;
  const name = isList ? choose.pick(LISTS) : choose.pick(DOCUMENTS);
  const changed = (text: string): string => {
    if (text.trim() === "") return text;
    let value: unknown = JSON.parse(text);
    for (let left = 1 + choose.below(4); left > 0; left -= 1) {
      value = changeOne(value, choose, replacement(kind, choose, home));
    }
    return JSON.stringify(value);
  };
  const before = read(folder, name);
  if (!isList) return write(folder, name, changed(before === "" ? '{"a":{"b":1}}' : before));
  return write(folder, name, `${before.split("\n").map(changed).join("\n")}\n`);
}

function manyFiles(folder: string, choose: Seeded): string {
  const count = 3_000;
  const stem = choose.pick(["step-", "step-9000000", "step-999999999999999999", "x"]);
  for (let i = 0; i < count; i += 1) {
    const name = `${stem}${String(i).padStart(6, "0")}.index.jsonl`;
    writeFileSync(join(folder, "rollouts", name), "{}\n");
  }
  return `${count} files ${stem}…`;
}
