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
  type Planted,
  plant,
} from "./secretsPlanted.ts";
import { makePlace, type Place, runWatched, type Told } from "./secretsRun.ts";
import { type Finding, Search } from "./secretsSearch.ts";
import { type Mood, type StandIn, type StandIns, startStandIns } from "./secretsStandIns.ts";

interface Row {
  readonly place: string;
  readonly what: string;
  readonly bytes: number;
  readonly findings: readonly string[];
}

const keep = process.argv.includes("--keep");
const root = mkdtempSync(join(tmpdir(), "tinker-rl-secrets-"));
const planted = plant();
const secrets = Object.entries(planted).map(([name, value]) => ({ name, value }));
const search = new Search(secrets);
const rows: Row[] = [];
const wrong: string[] = [];

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

function setMoods(standIns: StandIns, mood: Mood): void {
  for (const standIn of Object.values(standIns) as readonly StandIn[]) standIn.mood = mood;
}

function project(name: string, config: string, standIns: StandIns, own: Planted = planted): Place {
  const place = makePlace(root, name);
  writeFileSync(join(place.project, ".env"), dotEnv(own, addresses(standIns)), { mode: 0o600 });
  writeFileSync(join(place.project, "tinker-config.yaml"), config);
  return place;
}

const RUN = join(".tinker-rl", "runs", "run");

async function terminalRun(standIns: StandIns, wandb: "online" | "offline"): Promise<void> {
  const name = `terminal, W&B ${wandb}`;
  const place = project(`terminal-${wandb}`, hostedConfig(planted, wandb), standIns);
  setMoods(standIns, "grumbles");
  let others: Promise<readonly Told[]> | null = null;
  const train = await runWatched(
    place,
    ["train", "-c", "tinker-config.yaml"],
    { TINKER_RL_DEBUG: "1" },
    (stdout) => {
      if (!/step\s+1\b/.test(stdout)) return;
      others ??= (async () => [
        await runWatched(place, ["control", RUN, "status"]),
        await runWatched(place, ["control", RUN, "set", "learning_rate=2e-4"]),
      ])();
    },
  );
  expectThat(train.code === 0, `${name}: ended with ${train.code}: ${train.stderr.slice(-600)}`);
  lookAtProcesses(name, train);
  const commands: (readonly string[])[] = [
    ["runs"],
    ["validate", "tinker-config.yaml"],
    ["show", RUN],
    ["show", RUN, "--eval"],
    ["resume", RUN, "--max_steps=4"],
    ["checkpoints", "delete", "tinker://no-such/weights/checkpoint_000001"],
  ];
  for (const step of ["1", "2", "3"]) {
    commands.push(["show", RUN, "--step", step]);
    for (const group of ["1", "2", "3"]) {
      const rollout = ["show", RUN, "--step", step, "--group", group];
      commands.push(rollout, [...rollout, "--rollout", "1", "--tokens"]);
    }
  }
  const during: readonly Told[] = others === null ? [] : await others;
  expectThat(during.length === 2, `${name}: the run was never asked for its status`);
  for (const each of during) lookAtProcesses(`${name}, control`, each);
  for (const args of commands) {
    const each = await runWatched(place, args);
    const words = args.join(" ");
    expectThat(each.code === 0 || args[0] === "checkpoints", `${name}: ${words}: ${each.stderr}`);
    lookAtProcesses(`${name}, ${args[0]}`, each);
  }
  lookAtFiles(name, place);
  lookAtServices(name, standIns);
}

async function deniedRuns(standIns: StandIns): Promise<void> {
  for (const standIn of Object.values(standIns) as readonly StandIn[]) {
    const name = `denied by ${standIn.name}`;
    const place = project(`denied-${rows.length}`, hostedConfig(planted, "online"), standIns);
    setMoods(standIns, "well");
    standIn.mood = "denies";
    const variables = { TINKER_RL_DEBUG: "1" };
    const train = await runWatched(
      place,
      ["train", "-c", "tinker-config.yaml", "--max_steps=1"],
      variables,
    );
    const isService = standIn === standIns.tinker || standIn === standIns.environments;
    expectThat(train.code === (isService ? 5 : 0), `${name}: ended with ${train.code}`);
    lookAtProcesses(name, train);
    lookAtFiles(name, place);
    lookAtServices(name, standIns);
  }
}

async function brokenRuns(standIns: StandIns): Promise<void> {
  const name = "mistakes beside a secret";
  for (const [i, config] of brokenConfigs(planted).entries()) {
    const place = project(`broken-${i}`, config, standIns);
    for (const command of ["validate", "train"]) {
      const each = await runWatched(place, [command, "tinker-config.yaml"]);
      expectThat(each.code === 2, `${name} ${i}: ${command} ended with ${each.code}`);
      lookAtProcesses(`${name}, ${command} ${i}`, each);
    }
  }
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

const serving = await startServing(join(root, "store"));
const standIns = await startStandIns(serving, keysOf(planted));
try {
  wrong.push(...(await searchFaults(root, standIns)));
  await terminalRun(standIns, "online");
  await terminalRun(standIns, "offline");
  await deniedRuns(standIns);
  await brokenRuns(standIns);
  look("the program", "dist", treeContents(resolve("dist")));
  look("the program", "package", packageEntries());
} finally {
  for (const standIn of Object.values(standIns) as readonly StandIn[]) standIn.close();
  await serving.stop();
}
printTable();
for (const fault of wrong) console.log(`WRONG: ${fault}`);
const found = rows.reduce((sum, { findings }) => sum + findings.length, 0);
console.log(`${found} findings, ${wrong.length} faults of the drill`);
if (keep) console.log(`kept in ${root}`);
else rmSync(root, { recursive: true, force: true });
process.exitCode = found + wrong.length === 0 ? 0 : 1;
