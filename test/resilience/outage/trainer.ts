/** The trainer as a separate process, and its progress according to the run folder. */

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ended, endOf, startProgram, type Variables } from "../../integration/trainProgram.ts";

export interface Trainer {
  /** Resolves when that many rollouts of a step have ended. @throws Error if the trainer ends before */
  reached(step: number, rollouts: number): Promise<void>;
  /** Resolves when the condition holds. @throws Error if the trainer ends before */
  until(what: string, holds: () => boolean): Promise<void>;
  kill(): Promise<void>;
  readonly ended: Promise<Ended>;
}

const LOOK_MS = 50;

export function startTrainer(
  args: readonly string[],
  variables: Variables,
  runFolder: string,
): Trainer {
  const child = startProgram(args, variables);
  const ended = endOf(child);
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    while (!holds()) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`The trainer ended before ${what}: ${(await ended).stderr}`);
      }
      await sleep(LOOK_MS);
    }
  };
  return {
    ended,
    until,
    reached: (step, rollouts) => {
      const bodies = `${runFolder}/rollouts/step-${String(step).padStart(6, "0")}.jsonl`;
      return until(`step ${step + 1}`, () => countLines(bodies) >= rollouts);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function countLines(path: string): number {
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}
