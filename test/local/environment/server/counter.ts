/** An environment for server tests: a counter with a target, and a tool that waits for the test. */

import * as z from "zod";
import {
  defineEnvironment,
  type EnvironmentDefinition,
} from "../../../../src/local/environment/environment.ts";

export interface Counter {
  readonly environment: EnvironmentDefinition;
  /** Names of the tools that ran, in order. */
  readonly runs: readonly string[];
  /** Ends the oldest pending `wait`. */
  readonly letGo: () => void;
}

interface CounterState {
  value: number;
  readonly target: number;
}

export const LONG_TEXT = `${" ".repeat(9000)}😀 späße\n`.repeat(11);

export function counter(name = "counter"): Counter {
  const runs: string[] = [];
  const waiting: (() => void)[] = [];
  const environment = defineEnvironment<{ readonly target: number }, CounterState>({
    name,
    description: "Bring the counter to the target.",
    splits: { train: 20, test: 5 },
    task: (split, index) => ({ target: (split === "train" ? 100 : 200) + index }),
    start: ({ target }) => ({ value: 0, target }),
    prompt: ({ target }) => `Bring the counter to ${target}. 😀`,
    tools: {
      add: {
        description: "Adds to the counter.",
        input: z.strictObject({ amount: z.int(), times: z.int().min(1).max(9).default(1) }),
        run: (state, args) => {
          runs.push("add");
          state.value += Number(args["amount"]) * Number(args["times"]);
          const finished = state.value === state.target;
          return finished
            ? { text: "Done.", reward: 1, finished, metadata: { value: state.value } }
            : { text: `value=${state.value}` };
        },
      },
      wait: {
        description: "Waits.",
        input: null,
        run: async () => {
          runs.push("wait");
          await new Promise<void>((resolve) => waiting.push(resolve));
          return { text: LONG_TEXT, reward: 0 };
        },
      },
      crash: {
        description: "Crashes.",
        input: null,
        run: () => {
          throw new Error("first line\nsecond line");
        },
      },
    },
  });
  return { environment, runs, letGo: () => waiting.shift()?.() };
}
