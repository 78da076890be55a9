/**
 * The secrets drill: whole runs with planted keys, against services that give them back wherever they can. Then everything that
 * was printed, written, sent or could be seen of the processes is searched for them, however they are encoded. Run: `npm run
 * drill:secrets` (about a minute, Linux); ends with exit code 1 when one is found, or when the search proves blind.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startServing } from "../integration/trainProgram.ts";
import { searchFaults } from "./secretsBlindness.ts";
import { packageEntries, treeContents } from "./secretsPlaces.ts";
import {
  addresses,
  brokenConfigs,
  dotEnv,
  ENVIRONMENT_SECRETS,
  hostedConfig,
  keysOf,
  plant,
} from "./secretsPlanted.ts";
import { makePlace, type Place, runWatched, type Told } from "./secretsRun.ts";
import { type Finding, Search } from "./secretsSearch.ts";
import { type StandIn, type StandIns, startStandIns } from "./secretsStandIns.ts";

interface Row {
  readonly place: string;
  readonly what: string;
  readonly bytes: number;
  readonly findings: readonly string[];
}

interface Case {
  readonly name: string;
  readonly place: Place;
  readonly standIns: StandIns;
  readonly all: readonly StandIn[];
}

const CONFIG = "tinker-config.yaml";
const RUN = join(".tinker-rl", "runs", "run");
const SERVICES = ["tinker", "environments", "wandb", "upload"] as const;
/** Says what the program logs. */
const DEBUG = { TINKER_RL_DEBUG: "1" };
/** They wait most of the time. */
const AT_ONCE = 6;

const keep = process.argv.includes("--keep");
const root = mkdtempSync(join(tmpdir(), "tinker-rl-secrets-"));
const planted = plant();
const secrets = Object.entries(planted).map(([name, value]) => ({ name, value }));
const search = new Search(secrets);
const rows: Row[] = [];
const wrong: string[] = [];
const serving = await startServing(join(root, "store"));

function look(place: string, what: string, contents: Iterable<readonly [string, Buffer | string]>) {
  let bytes = 0;
  const findings = new Set<string>();
  for (const [name, content] of contents) {
    bytes += content.length;
    for (const finding of search.find(content)) findings.add(told(name, finding));
  }
  rows.push({ place, what, bytes, findings: [...findings] });
}

function told(where: string, { secret, encoding }: Finding): string {
  return `${secret} (${encoding}) in ${where}`;
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) wrong.push(what);
}

function lookAtProcesses(place: string, { stdout, stderr, seen }: Told): void {
  look(place, "output", [
    ["stdout", stdout],
    ["stderr", stderr],
  ]);
  look(place, "variables of processes", invert(seen.variables));
  look(place, "command lines", invert(seen.commandLines));
  look(place, "files while it ran", seen.files);
  expectThat(seen.looks > 0 && seen.commandLines.size > 0, `${place}: no process was seen`);
}

function* invert(texts: ReadonlyMap<string, string>): Iterable<readonly [string, string]> {
  for (const [text, where] of texts) yield [where, text];
}

/** What is left: run folders, launches, caches, temporary files; not what the user wrote. */
function lookAtFiles(place: string, { project, home, temp }: Place): void {
  look(place, "run folders", treeContents(join(project, ".tinker-rl")));
  look(place, "home and temporary files", [...treeContents(home), ...treeContents(temp)]);
}

/** What services got beside their own key. */
function lookAtServices(place: string, standIns: StandIns): void {
  for (const standIn of Object.values(standIns) as readonly StandIn[]) {
    const sent = standIn.sent.splice(0);
    const isEnvironments = standIn === standIns.environments;
    let bytes = 0;
    const findings = new Set<string>();
    for (const content of sent) {
      bytes += content.length;
      for (const finding of search.find(content)) {
        const isOwn = ENVIRONMENT_SECRETS.some((name) => name === finding.secret);
        if (isEnvironments && isOwn) continue;
        findings.add(told(content.toString("utf8").split("\n", 1)[0] ?? "", finding));
      }
    }
    rows.push({ place, what: `sent to ${standIn.name}`, bytes, findings: [...findings] });
  }
}

/** A folder with a configuration and `.env`, and services of its own. */
async function openCase(name: string, config: string): Promise<Case> {
  const standIns = await startStandIns(serving, keysOf(planted));
  const place = makePlace(root, name.replace(/\W+/g, "-"));
  writeFileSync(join(place.project, ".env"), dotEnv(planted, addresses(standIns)), { mode: 0o600 });
  writeFileSync(join(place.project, CONFIG), config);
  const all: readonly StandIn[] = Object.values(standIns);
  return { name, place, standIns, all };
}

function closeCase({ name, place, standIns, all }: Case): void {
  lookAtFiles(name, place);
  lookAtServices(name, standIns);
  for (const standIn of all) standIn.close();
}

async function terminalRun(wandb: "online" | "offline"): Promise<void> {
  const opened = await openCase(`terminal, W&B ${wandb}`, hostedConfig(planted, wandb));
  const { name, place, all } = opened;
  for (const standIn of all) standIn.mood = "grumbles";
  let asking: Promise<readonly Told[]> | null = null;
  const ask = () =>
    Promise.all([
      runWatched(place, ["control", RUN, "status"]),
      runWatched(place, ["control", RUN, "set", "learning_rate=2e-4"]),
    ]);
  const args = ["train", "-c", CONFIG];
  const train = await runWatched(place, args, DEBUG, (stdout) => {
    if (/step\s+1\b/.test(stdout)) asking ??= ask();
  });
  expectThat(train.code === 0, `${name}: ended with ${train.code}: ${train.stderr.slice(-600)}`);
  lookAtProcesses(name, train);
  const asked: readonly Told[] = (await asking) ?? [];
  expectThat(asked.length > 0, `${name}: the run was never asked for its status`);
  for (const each of asked) lookAtProcesses(`${name}, control`, each);
  await inParallel(readingCommands(), async (args) => {
    const each = await runWatched(place, args);
    const isFound = args[0] !== "checkpoints";
    expectThat(!isFound || each.code === 0, `${name}: ${args.join(" ")}: ${each.stderr}`);
    lookAtProcesses(`${name}, ${args[0]}`, each);
  });
  const resume = await runWatched(place, ["resume", RUN, "--max_steps=4"], DEBUG);
  expectThat(resume.code === 0, `${name}: the resume ended with ${resume.code}`);
  lookAtProcesses(`${name}, resume`, resume);
  closeCase(opened);
}

function readingCommands(): readonly (readonly string[])[] {
  const shows = ["1", "3"].flatMap((step) => {
    const rollouts = ["1", "2", "3"].flatMap((group) => {
      const words = ["show", RUN, "--step", step, "--group", group];
      return [words, [...words, "--rollout", "1", "--tokens"]];
    });
    return [["show", RUN, "--step", step], ...rollouts];
  });
  return [
    ...[["runs"], ["validate", CONFIG], ["show", RUN], ["show", RUN, "--eval"]],
    ...shows,
    ["checkpoints", "delete", "tinker://no-such/weights/checkpoint_000001"],
  ];
}

/** Every service in turn says no to everything, with the key in its words. */
async function deniedRun(which: keyof StandIns): Promise<void> {
  const opened = await openCase(`denied by ${which}`, hostedConfig(planted, "online"));
  const { name, place, standIns } = opened;
  standIns[which].mood = "denies";
  const train = await runWatched(place, ["train", "-c", CONFIG, "--max_steps=1"], DEBUG);
  const isNeeded = which === "tinker" || which === "environments";
  expectThat(train.code === (isNeeded ? 5 : 0), `${name}: ended with ${train.code}`);
  lookAtProcesses(name, train);
  const path = "tinker://other/weights/checkpoint_000001";
  lookAtProcesses(`${name}, checkpoints`, await runWatched(place, ["checkpoints", "delete", path]));
  closeCase(opened);
}

async function brokenRun(config: string, index: number): Promise<void> {
  const opened = await openCase(`mistakes beside a secret ${index}`, config);
  const { name, place } = opened;
  for (const command of ["validate", "train"]) {
    const each = await runWatched(place, [command, CONFIG]);
    expectThat(each.code === 2, `${name}: ${command} ended with ${each.code}`);
    lookAtProcesses(name, each);
  }
  closeCase(opened);
}

/** Each in turn, a few at a time. */
async function inParallel<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function printTable(): void {
  const merged = new Map<string, { bytes: number; findings: Set<string> }>();
  for (const { place, what, bytes, findings } of rows) {
    const key = `${place.replace(/ \d+$/, "")}: ${what}`;
    const row = merged.get(key) ?? { bytes: 0, findings: new Set() };
    row.bytes += bytes;
    for (const finding of findings) row.findings.add(finding);
    merged.set(key, row);
  }
  for (const [key, { bytes, findings }] of merged) {
    const count = findings.size === 0 ? "none" : `${findings.size} FOUND`;
    console.log(`${key.padEnd(62)} ${String(bytes).padStart(11)} bytes  ${count}`);
    for (const finding of [...findings].slice(0, 12)) console.log(`    ${finding}`);
  }
}

try {
  const probe = await startStandIns(serving, keysOf(planted));
  wrong.push(...(await searchFaults(root, probe)));
  for (const standIn of Object.values(probe)) standIn.close();
  await inParallel<() => Promise<void>>(
    [
      () => terminalRun("online"),
      () => terminalRun("offline"),
      ...SERVICES.map((which) => () => deniedRun(which)),
      ...brokenConfigs(planted).map((config, i) => () => brokenRun(config, i)),
    ],
    (run) => run(),
  );
  look("the program", "dist", treeContents(resolve("dist")));
  look("the program", "package", packageEntries());
} finally {
  await serving.stop();
}
printTable();
for (const fault of wrong) console.log(`WRONG: ${fault}`);
const found = rows.reduce((sum, { findings }) => sum + findings.length, 0);
console.log(`${found} findings, ${wrong.length} faults of the drill`);
if (keep) console.log(`kept in ${root}`);
else rmSync(root, { recursive: true, force: true });
process.exitCode = found + wrong.length === 0 ? 0 : 1;
