/** The probe environment of the ORS conformance kit: a counter, and one tool per aspect that a transport can get wrong. */

import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import {
  type ContentBlock,
  defineEnvironment,
  type EnvironmentTool,
  type ToolResult,
} from "../../src/local/environment/environment.ts";

const IMAGE: ContentBlock = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mO4IyKHFTEMLQkAj85DgTY7KIkAAAAASUVORK5CYII=",
};

const PATTERNS = {
  ascii: "0123456789abcdefghijklmnopqrstuvwxyz-",
  spaces: `x${" ".repeat(63)}`,
  emoji: "\u{1F600}\u00e9\u4e2d\u{1F469}\u200d\u{1F469}\u200d\u{1F467}",
  lines: 'line\n\tindented "quoted" \\ back\r\n',
  exotic: "\u2028\u2029\u0085\u00a0\u200b\ufeff\u0001\u007f\u05d0\u0301",
} as const;

interface State {
  value: number;
  readonly target: number;
  calls: number;
  waits: number;
}

const guest = z.strictObject({ name: z.string(), age: z.int().nullable().default(null) });
const booking = z.strictObject({
  room: z.enum(["single", "double"]),
  nights: z.int().min(1).max(14),
  guests: z.array(guest).min(1),
  note: z.string().nullable().default(null),
});

/** The first `count` code points of the endlessly repeated pattern. */
function patternText(kind: keyof typeof PATTERNS, count: number): string {
  const pattern = [...PATTERNS[kind]];
  const whole = PATTERNS[kind].repeat(Math.floor(count / pattern.length));
  return whole + pattern.slice(0, count % pattern.length).join("");
}

function measured(text: string): ToolResult {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { text, metadata: { code_points: [...text].length, sha256 } };
}

/** A tool whose arguments have the type of their schema. */
function tool<Shape extends z.ZodRawShape>(
  description: string,
  input: z.ZodObject<Shape>,
  run: (state: State, args: z.output<z.ZodObject<Shape>>) => ToolResult | Promise<ToolResult>,
): EnvironmentTool<State> {
  return { description, input, run: (state, args) => run(state, input.parse(args)) };
}

export const probe = defineEnvironment<
  { readonly id: string; readonly start: number; readonly target: number; readonly note: string },
  State
>({
  name: "probe",
  description: "Count from start to target.",
  splits: { train: 20, test: 5 },
  task: (split, index) => ({
    id: `${split}-${index}`,
    start: index,
    target: index + 10,
    note: "späße 😀",
  }),
  start: ({ start, target }) => ({ value: start, target, calls: 0, waits: 0 }),
  prompt: ({ start, target }) =>
    `The counter stands at ${start}. Bring it to ${target} and submit.`,
  promptBlocks: ({ start, target }) => [
    {
      type: "text",
      text: `The counter stands at ${start}. Bring it to ${target} and submit.`,
      detail: { part: 1 },
    },
    IMAGE,
    { type: "text", text: "Ready? 😀 ñ 中文" },
  ],
  tools: {
    add: tool(
      "Add an amount to the counter.",
      z.strictObject({ amount: z.int().min(-100).max(100) }),
      (state, { amount }) => {
        state.calls += 1;
        const before = Math.abs(state.target - state.value);
        state.value += amount;
        const after = Math.abs(state.target - state.value);
        const reward = Math.sign(before - after) * 0.1;
        return { text: `value=${state.value}`, reward, metadata: { value: state.value } };
      },
    ),
    look: {
      description: "Read the counter.",
      input: null,
      run: (state) => {
        state.calls += 1;
        const { value, calls } = state;
        return { text: `value=${value}`, metadata: { value, calls } };
      },
    },
    submit: tool(
      "Hand in the value. Ends the episode.",
      z.strictObject({ value: z.int() }),
      (state, { value }) => {
        const reward = value !== state.target ? -1 : state.value === value ? 1 : 0.5;
        return { text: "done", reward, finished: true, metadata: { target: state.target } };
      },
    ),
    wait: tool(
      "Answer after some seconds.",
      z.strictObject({ seconds: z.number().min(0).max(120) }),
      async (state, { seconds }) => {
        state.waits += 1;
        const runs = state.waits;
        await sleep(seconds * 1000);
        return { text: "waited", metadata: { runs } };
      },
    ),
    big: tool(
      "Return a long, predictable text.",
      z.strictObject({
        chars: z.int().min(0).max(5_000_000),
        kind: z.enum(["ascii", "spaces", "emoji", "lines", "exotic"]).default("ascii"),
      }),
      (_, { chars, kind }) => measured(patternText(kind, chars)),
    ),
    echo: tool("Return the given text.", z.strictObject({ text: z.string() }), (_, { text }) =>
      measured(text),
    ),
    picture: {
      description: "Text, image, text.",
      input: null,
      run: () => ({
        text: "beforeafter",
        blocks: [
          { type: "text", text: "before", detail: { a: 1 } },
          { ...IMAGE, detail: { alt: "red" } },
          { type: "text", text: "after" },
        ],
        reward: 0.25,
        metadata: { nested: { list: [1, null, "x"] } },
      }),
    },
    book: tool("Book a room.", booking, (_, args) => ({
      text: "booked",
      metadata: { arguments: args },
    })),
    crash: tool(
      "Raise an error.",
      z.strictObject({ message: z.string().default("deliberate failure") }),
      (_, { message }) => {
        throw new Error(message);
      },
    ),
  },
});
