/** `local/calculator`: one two-operand question, a tool that computes, and a tool that answers. */

import * as z from "zod";
import { integerBetween } from "../random.ts";
import { answerTool } from "./answerTool.ts";
import { defineEnvironment } from "./environment.ts";
import { taskDraw } from "./taskDraw.ts";

type CalculatorTask = { readonly a: number; readonly operator: string; readonly b: number };

const OPERATORS = ["+", "-", "*"];
const EXPRESSION = /^\s*(\d{1,4})\s*([-+*])\s*(\d{1,4})\s*$/;

function compute({ a, operator, b }: CalculatorTask): number {
  if (operator === "+") return a + b;
  return operator === "-" ? a - b : a * b;
}

export const calculator = defineEnvironment<CalculatorTask, CalculatorTask>({
  name: "calculator",
  description: "Work out a sum, difference or product with a calculator, then answer.",
  splits: { train: 4096, test: 512 },
  task: taskDraw(
    1,
    (uniform) => ({
      a: integerBetween(uniform, 2, 99),
      operator: OPERATORS[integerBetween(uniform, 0, 2)] ?? "+",
      b: integerBetween(uniform, 2, 99),
    }),
    (task) => task.a * 7 + task.b * 3 + OPERATORS.indexOf(task.operator),
  ),
  start: (task) => task,
  prompt: (task) => `What is ${task.a}${task.operator}${task.b}?`,
  tools: {
    calc: {
      description: "Compute a sum, difference or product of two whole numbers, as in 12*34.",
      input: z.object({ expr: z.string() }),
      run(_task, args) {
        const match = EXPRESSION.exec(String(args["expr"]));
        if (match === null) return { text: "not an expression" };
        const [, a, operator = "+", b] = match;
        return { text: String(compute({ a: Number(a), operator, b: Number(b) })) };
      },
    },
    answer: answerTool(
      "Give the final answer. Ends the episode.",
      (answer, task) => answer.trim() === String(compute(task)),
      (task) => ({ truth: compute(task) }),
    ),
  },
});
