/** `local/number-hunt`: find a secret number in five guesses from "higher" and "lower". */

import * as z from "zod";
import { integerBetween } from "../random.ts";
import { defineEnvironment } from "./environment.ts";
import { taskDraw } from "./taskDraw.ts";

type HuntTask = { readonly limit: number; readonly secret: number };
type HuntState = { readonly task: HuntTask; guesses: number };

const MAX_GUESSES = 5;

export const numberHunt = defineEnvironment<HuntTask, HuntState>({
  name: "number-hunt",
  description:
    "Find a secret number within five guesses; each guess is answered with higher or lower.",
  splits: { train: 4096, test: 512 },
  task: taskDraw(
    2,
    (uniform) => {
      // Five guesses can narrow a range of up to 31 numbers down to one.
      const limit = integerBetween(uniform, 28, 31);
      return { limit, secret: integerBetween(uniform, 1, limit) };
    },
    (task) => task.limit * 3 + task.secret,
  ),
  start: (task) => ({ task, guesses: 0 }),
  prompt: (task) =>
    `Find the secret number from 1 to ${task.limit}. You have ${MAX_GUESSES} guesses.`,
  tools: {
    guess: {
      description: "Guess the number.",
      input: z.object({ n: z.int() }),
      run(state, args) {
        const { secret } = state.task;
        const n = Number(args["n"]);
        state.guesses += 1;
        const metadata = { secret };
        if (n === secret) return { text: "correct", reward: 1, finished: true, metadata };
        const text = n < secret ? "higher" : "lower";
        if (state.guesses < MAX_GUESSES) return { text };
        return { text, reward: 0, finished: true, metadata };
      },
    },
  },
});
