/** Malicious launch folders and configurations. */

import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fuzzedText, uniformFrom } from "../../core/config/editing/fuzzedTexts.ts";
import { brokenLines, changeOne, heavyJson, otherEncoding, replacement } from "./damage.ts";
import { plantedPaths } from "./home.ts";
import type { Attack } from "./runCases.ts";
import type { Seeded } from "./seeded.ts";

const LAUNCH_KINDS = [
  "link",
  "pipe",
  "depth",
  "size",
  "encoding",
  "lines",
  "number",
  "id",
  "type",
] as const;
const CONFIG_KINDS = [
  ...["link", "pipe", "size", "encoding", "id", "merges", "aliases", "depth", "long lines"],
  ...["many keys", "variables", "broken", "folder"],
] as const;

export const LAUNCH_ATTACKS: readonly string[] = LAUNCH_KINDS;
export const CONFIG_ATTACKS: readonly string[] = CONFIG_KINDS;

export function writeLaunchCase(
  folder: string,
  kind: string,
  choose: Seeded,
  home: string,
): Attack {
  const request = {
    configPath: choose.pick(plantedPaths(home)),
    title: "train",
    resume: null,
    overrides: [],
    program: folder,
    pid: 2 ** 30,
  };
  const launch = {
    schemaVersion: 1,
    pid: 2 ** 30,
    control: null,
    exitCode: 0,
    error: null,
    folder: choose.pick(plantedPaths(home)),
  };
  const files: Record<string, string | Uint8Array> = {
    "request.json": JSON.stringify(request),
    "launch.json": JSON.stringify(launch),
    "output.log": "step 1\n\u001b]0;owned\u0007\u001b[2J".repeat(10),
  };
  mkdirSync(folder, { recursive: true });
  const name = choose.pick(Object.keys(files));
  const path = join(folder, name);
  const text = String(files[name]);
  const before: unknown = name === "request.json" ? request : launch;
  if (kind === "link" || kind === "pipe") delete files[name];
  if (kind === "depth") files[name] = heavyJson(choose);
  if (kind === "encoding") files[name] = otherEncoding(text, choose);
  if (kind === "lines") files[name] = brokenLines(text, choose);
  if (kind === "number" || kind === "id" || kind === "type") {
    files[name] = JSON.stringify(changeOne(before, choose, replacement(kind, choose, home)));
  }
  for (const [each, content] of Object.entries(files)) writeFileSync(join(folder, each), content);
  if (kind === "link") symlinkSync(choose.pick([...plantedPaths(home), "/dev/zero", path]), path);
  if (kind === "pipe") spawnSync("mkfifo", [path]);
  if (kind === "size") truncateSync(path, choose.pick([30e6, 300e6, 5e9]));
  return { kind: `launch: ${kind}`, what: name };
}

/** YAML merges: each by the next, twice by the next, or all by one. */
function merges(choose: Seeded): string {
  const use = choose.pick([
    (name: string) => `*${name}`,
    (name: string) => `[*${name}, *${name}]`,
    () => `[${Array(40).fill("*m0").join(", ")}]`,
  ]);
  const count = choose.pick([300, 900, 2_000]);
  const lines = Array.from(
    { length: count },
    (_, i) => `m${i + 1}: &m${i + 1} {<<: ${use(`m${i}`)}, k${i}: 1}\n`,
  );
  const place = choose.pick(["", "environments:\n"]);
  const indent = place === "" ? "" : "  ";
  return `${place}${indent}m0: &m0 {k: 1}\n${lines.map((line) => indent + line).join("")}`;
}

function aliases(choose: Seeded): string {
  const count = choose.pick([10, 200, 2_000]);
  const use = (i: number): string => `[${Array(9).fill(`*a${i}`).join(", ")}]`;
  const lines = Array.from({ length: count }, (_, i) => `a${i + 1}: &a${i + 1} ${use(i)}\n`);
  return `a0: &a0 [x]\n${lines.join("")}environments: *a${count}\nsecrets: *a${count}\n`;
}

function manyKeys(choose: Seeded): string {
  const count = choose.pick([3_000, 60_000]);
  const place = choose.pick([
    "",
    "environments:\n",
    "secrets:\n",
    "environments: {local/calculator: {splits:\n",
  ]);
  const keys = Array.from({ length: count }, (_, i) => `  batch_siz${i}: ${i}\n`);
  return `model_name: local/tiny-tool\n${place}${keys.join("")}`;
}

function longLines(choose: Seeded): string {
  const length = choose.pick([20_000, 250_000, 5_000_000]);
  const key = choose.pick(["model_name", "log_path", "learning_rate", "run_name", "x"]);
  const piece = choose.pick([
    "x",
    "a/",
    "../",
    "1",
    "1_",
    "# tinker-rl-ignore TRL207 ",
    "\\x41",
    "]",
  ]);
  const text = piece.repeat(length / piece.length);
  return choose.pick([`${key}: ${text}\n`, `${text}: 1\n`, `${key}: "${text}"\n`, `#${text}\n`]);
}

export function writeConfigCase(
  folder: string,
  kind: string,
  choose: Seeded,
  { home, sound, hosts }: { readonly home: string; readonly sound: string; readonly hosts: string },
): Attack {
  mkdirSync(folder, { recursive: true });
  const path = join(
    folder,
    choose.pick(["tinker-config.yaml", "tinker-config.yaml", "tinker-config.json"]),
  );
  const names = [
    ...plantedPaths(home),
    "..",
    "/dev/zero",
    "\u001b[2J\u202e",
    "x".repeat(5_000),
    hosts,
  ];
  const texts: Readonly<Record<string, () => string | Uint8Array>> = {
    encoding: () => otherEncoding(sound, choose),
    id: () =>
      ["log_path", "run_name", "tokenizer_name", "tinker_base_url", "openreward_base_url"]
        .map((key) => `${key}: ${JSON.stringify(choose.pick(names))}\n`)
        .join(sound),
    merges: () => merges(choose),
    aliases: () => aliases(choose),
    depth: () =>
      choose
        .pick(["[", "{a: ", "- ", "? ", "a:\n ", "&a ["])
        .repeat(choose.pick([50, 200, 20_000])),
    "long lines": () => longLines(choose),
    "many keys": () => manyKeys(choose),
    broken: () => fuzzedText(choose.below(5), uniformFrom(choose.below(1e9)), [sound], 200_000),
    variables: () => sound,
    size: () => sound,
  };
  const text = texts[kind]?.();
  if (text !== undefined) writeFileSync(path, text);
  if (kind === "link") {
    symlinkSync(choose.pick([...plantedPaths(home), "/dev/zero", "/dev/full", path, home]), path);
  }
  if (kind === "pipe") spawnSync("mkfifo", [path]);
  if (kind === "folder") mkdirSync(path);
  if (kind === "size") truncateSync(path, choose.pick([1e6, 15e6, 5e9]));
  if (kind === "variables") writeVariables(folder, choose, home);
  return { kind: `config: ${kind}`, what: path };
}

/** A `.env` file next to a valid configuration. */
function writeVariables(folder: string, choose: Seeded, home: string): void {
  const path = join(folder, ".env");
  const content = choose.pick([
    () => "A=1\n".repeat(300_000),
    () => `A="${"x".repeat(3_000_000)}\n`,
    () => "'\n=\"\n`".repeat(100_000),
    () => "A='\n".repeat(20_000),
    null,
    "pipe",
    "sparse",
  ]);
  if (content === null) symlinkSync(choose.pick([...plantedPaths(home), "/dev/zero"]), path);
  else if (content === "pipe") spawnSync("mkfifo", [path]);
  else if (typeof content === "function") writeFileSync(path, content());
  else {
    writeFileSync(path, "A=1\n");
    truncateSync(path, 5e9);
  }
}
