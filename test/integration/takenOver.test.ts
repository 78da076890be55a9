/** A trainer that was suspended so long that another one took over its run: it must leave the run alone when it wakes up. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { HEARTBEAT_MS } from "../../src/core/runFolder/runFile.ts";
import { EXIT } from "../../src/shared/exitCodes.ts";
import { eventually, runFile, runIn } from "./controlledRun.ts";
import { forgetfulStage, played } from "./forgetfulRun.ts";
import type { Ended } from "./trainProgram.ts";

const stage = forgetfulStage();

/** As if the trainer had been suspended for a minute longer. */
async function ageHeartbeat(project: string): Promise<void> {
  const path = join(runIn(project), "run.json");
  const file = await runFile(project);
  const heartbeatAtMs = file.heartbeatAtMs - 60_000;
  await writeFile(path, JSON.stringify({ ...file, heartbeatAtMs }));
}

/** The lines of all step files, verbatim. */
async function indexLines(project: string, steps: number): Promise<readonly string[]> {
  const paths = Array.from({ length: steps }, (_, step) =>
    join(runIn(project), "rollouts", `step-00000${step}.index.jsonl`),
  );
  const files = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  return files.flatMap((text) => text.split("\n").filter((line) => line !== ""));
}

describe("a trainer that wakes up after another one has taken over its run", () => {
  it("ends without changing the run", { timeout: 180_000 }, async () => {
    // Includes rollouts that were sampled ahead, which the other trainer must not play again.
    const settings = "max_steps_off_policy: 2\n";
    const whole = await stage.play({}, { settings });
    expect(whole.code, whole.stderr).toBe(0);
    const seconds: Ended[] = [];
    const run = await stage.play(
      {},
      {
        settings,
        disturb: async (project, send, resume) => {
          await eventually(async () => (played(project, 2) >= 4 ? true : null));
          send("SIGSTOP");
          await sleep(HEARTBEAT_MS);
          await ageHeartbeat(project);
          const resumed = resume();
          await eventually(async () => {
            const { attempt, phase } = await runFile(project);
            return attempt === 2 && phase === "running" ? true : null;
          });
          send("SIGCONT");
          seconds.push(await resumed);
        },
      },
    );
    expect(run.code, run.stderr).toBe(EXIT.invalid);
    expect(run.stderr).toMatch(/Process \d+ on \S+ \(terminal\) has taken over the run in /);
    const [second] = seconds;
    expect(second?.code, second?.stderr).toBe(0);
    expect(run.differencesFrom(whole.outcome())).toEqual([]);
    const lines = await indexLines(run.folder, 5);
    expect(new Set(lines).size).toBe(lines.length);
    expect(await runFile(run.folder)).toMatchObject({ phase: "done", attempt: 2 });
  });
});
