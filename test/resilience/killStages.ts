/**
 * The kill test of stages: trains a configuration with stages through the command line, kills all its processes with SIGKILL at twenty
 * times spread over its whole length, restarts it, and compares each stage with the undisturbed ones. Run:
 * `npm run resilience:stages` (about twelve minutes); exits with code 1 on a difference.
 */

import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { calculatorPlays } from "../integration/calculatorPlays.ts";
import { comparableStage, STAGED, TRAINED_STAGES } from "../integration/stagedConfig.ts";
import { startProgram } from "../integration/trainProgram.ts";

const { values } = parseArgs({ options: { kills: { type: "string", default: "20" } } });
const KILLS = Number(values.kills);
const POLL_MS = 20;
/** Only the end of a trainer's output is shown on failure. */
const MAX_SAID = 4_000;

const folder = mkdtempSync(join(tmpdir(), "tinker-rl-resilience-"));
const config = join(folder, "config.yaml");
const runs = join(folder, ".tinker-rl", "runs");
writeFileSync(join(folder, "plays.jsonl"), calculatorPlays(60));
writeFileSync(config, STAGED);

/** Bytes that the stages of a name have written: their progress, on a machine of any speed. */
function written(name: string): number {
  if (!existsSync(runs)) return 0;
  const sizeOf = (path: string): number => {
    try {
      return statSync(path).size;
    } catch {
      // Renamed in the meantime.
      return 0;
    }
  };
  const stages = readdirSync(runs, { withFileTypes: true, recursive: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes(`${name}-stages`),
  );
  return stages.reduce(
    (sum, { parentPath, name: file }) => sum + sizeOf(join(parentPath, file)),
    0,
  );
}

/** Trains to the end, or until this many bytes are written, when everything is killed. True if it was killed. */
async function train(name: string, until: number): Promise<boolean> {
  const child = startProgram(["train", config, `--run_name=${name}`], {}, true);
  const closed = once(child, "close");
  let said = "";
  child.stdout?.on("data", (text) => {
    said = `${said}${text}`.slice(-MAX_SAID);
  });
  child.stderr?.on("data", (text) => {
    said += text;
  });
  let isKilled = false;
  while (child.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (child.exitCode !== null || written(name) < until) continue;
    process.kill(-(child.pid ?? 0), "SIGKILL");
    isKilled = true;
    break;
  }
  await closed;
  if (!isKilled && child.exitCode !== 0) throw new Error(`${name} failed: ${said}`);
  return isKilled;
}

async function stagesOf(name: string) {
  const all = TRAINED_STAGES.map((stage) => comparableStage(join(runs, `${name}-stages.${stage}`)));
  return Promise.all(all);
}

await train("whole", Number.POSITIVE_INFINITY);
const whole = await stagesOf("whole");
const total = written("whole");
let failed = 0;
for (let i = 0; i < KILLS; i += 1) {
  const name = `killed${i}`;
  const until = Math.round((total * (i + 0.5)) / KILLS);
  const isKilled = await train(name, until);
  await train(name, Number.POSITIVE_INFINITY);
  const isEqual = isDeepStrictEqual(await stagesOf(name), whole);
  if (!isEqual || !isKilled) failed += 1;
  const said = isKilled ? (isEqual ? "equal" : "DIFFERENT") : "never came";
  console.log(`killed after ${Math.round((100 * until) / total)}% of what is written  ${said}`);
}
console.log(`${KILLS - failed} passed, ${failed} failed`);
await rm(folder, { recursive: true, force: true });
process.exitCode = failed === 0 ? 0 : 1;
