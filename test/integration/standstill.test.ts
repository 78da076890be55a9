/** Trainers that are suspended for longer than any timeout, as on a sleeping computer: the result is the same. */

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Outcome } from "../resilience/outage/outcome.ts";
import { eventually, linesIn } from "./controlledRun.ts";
import { forgetfulStage, messages, type PlayedRun, played } from "./forgetfulRun.ts";

/** Longer than the run's timeouts, which are longer than any operation takes on a busy machine. */
const STANDSTILL_S = 60;
const LIMITS = "rollout_timeout: 45\nsampling_timeout: 45\n";
/** Like the Tinker service, which ends a session that was silent for a quarter of an hour. */
const SILENCE_MS = 30_000;

const row = z.object({ time: z.object({ total_s: z.number() }) });

const stage = forgetfulStage();

/** The trainer is suspended in the middle of the rollouts of a step. */
function playStopped(settings: string, silenceMs: number): Promise<PlayedRun> {
  return stage.play(
    { silenceMs },
    {
      settings,
      disturb: async (folder, send) => {
        await eventually(async () => (played(folder, 3) >= 4 ? true : null));
        send("SIGSTOP");
        await sleep(STANDSTILL_S * 1000);
        send("SIGCONT");
      },
    },
  );
}

async function undisturbed(settings: string): Promise<Outcome> {
  const whole = await stage.play({}, { settings });
  expect(whole.code, whole.stderr).toBe(0);
  return whole.outcome();
}

const RUNS = [
  { stepsAhead: 2, silenceMs: Number.POSITIVE_INFINITY },
  { stepsAhead: 0, silenceMs: SILENCE_MS },
] as const;

describe("a suspended trainer", { timeout: 300_000 }, () => {
  // Concurrent, because they only wait.
  it.concurrent.each(RUNS)(
    "$stepsAhead steps ahead, with a session that is lost after $silenceMs ms: ends as one that did not",
    async ({ stepsAhead, silenceMs }) => {
      const settings = `max_steps_off_policy: ${stepsAhead}\n${LIMITS}`;
      const whole = await undisturbed(settings);
      const run = await playStopped(settings, silenceMs);
      expect(run.code, run.stdout + run.stderr).toBe(0);
      expect(run.differencesFrom(whole)).toEqual([]);
      const isLost = silenceMs < STANDSTILL_S * 1000;
      expect(await messages(run.folder, "session-recovered")).toHaveLength(isLost ? 1 : 0);
      const times = (await linesIn(run.folder, "metrics.jsonl", row)).map(
        ({ time }) => time.total_s,
      );
      expect(Math.max(...times)).toBeLessThan(STANDSTILL_S);
    },
  );
});
