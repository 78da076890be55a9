/** Environments with one defect each, and sound ones that look similar. */

import * as z from "zod";
import type { JsonObject } from "../../../src/core/json.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "../../../src/core/ports.ts";
import {
  defineEnvironment,
  type EnvironmentDefinition,
  type ToolResult,
} from "../../../src/local/environment/environment.ts";
import { createUniform } from "../../../src/shared/uniform.ts";

type SumTask = { readonly a: number; readonly b: number };

export interface Planted {
  /** The defect, or what looks like one. */
  readonly what: string;
  /** Id of the check that finds it; null when there is no defect. */
  readonly check: string | null;
  /** The minimum severity. */
  readonly severity?: "defect" | "warning" | undefined;
  readonly environment: EnvironmentDefinition;
  /** A misbehaving server. */
  readonly http?: ((inner: HttpClient) => HttpClient) | undefined;
  readonly limits?: { readonly slowCallMs?: number; readonly callMs?: number } | undefined;
}

/** Tasks of `test` are numbered from 1000 on, so that the splits share none. */
function sumTask(split: "train" | "test", index: number): SumTask {
  const n = split === "train" ? index : 1000 + index;
  return { a: 10 + (n % 83), b: 100 + n };
}

const answerInput = z.object({ value: z.string() });

interface SumChanges {
  readonly splits?: { readonly train: number; readonly test: number };
  readonly task?: (split: "train" | "test", index: number) => JsonObject;
  readonly prompt?: (task: SumTask) => string;
  readonly answer?: (value: string, task: SumTask, state: { tries: number }) => ToolResult;
  readonly description?: string;
  readonly tools?: EnvironmentDefinition["tools"];
}

/** Adds two numbers; `changes` introduce the defect. */
export function sum(changes: SumChanges = {}): EnvironmentDefinition {
  type State = { readonly task: SumTask; tries: number };
  return defineEnvironment<SumTask & JsonObject, State>({
    name: "planted",
    description: "Add two numbers.",
    splits: changes.splits ?? { train: 200, test: 50 },
    task: (changes.task ?? sumTask) as (
      split: "train" | "test",
      index: number,
    ) => SumTask & JsonObject,
    start: (task) => ({ task, tries: 0 }),
    prompt: changes.prompt ?? (({ a, b }) => `What is ${a}+${b}?`),
    tools: {
      answer: {
        description: changes.description ?? "Give the sum.",
        input: answerInput,
        run: (state, args) => (changes.answer ?? grade)(String(args["value"]), state.task, state),
      },
      ...(changes.tools as Record<string, never>),
    },
  });
}

export function truthOf({ a, b }: SumTask): string {
  return String(a + b);
}

export function verdict(isRight: boolean, task: SumTask, reward = isRight ? 1 : 0): ToolResult {
  return {
    text: isRight ? "right" : "wrong",
    reward,
    finished: true,
    metadata: { truth: truthOf(task) },
  };
}

function grade(value: string, task: SumTask): ToolResult {
  return verdict(value.trim() === truthOf(task), task);
}

/** Words that occur in no other task. */
function story(n: number): string {
  const words = [
    "apple",
    "river",
    "stone",
    "cloud",
    "tiger",
    "piano",
    "lemon",
    "engine",
    "forest",
    "window",
  ];
  return Array.from(
    { length: 24 },
    (_, i) => `${words[(n * 7 + i * 3) % 10]}${(n * 31 + i * 17) % 97}`,
  ).join(" ");
}

/** Random words, different for each number. */
function passage(n: number): string {
  const uniform = createUniform(n);
  return Array.from({ length: 60 }, () => Math.floor(uniform() * 36 ** 4).toString(36)).join(" ");
}

let calls = 0;
const sharedNotes: string[] = [];
let sharedCount = 0;
const solved = new Set<string>();
const remembered: string[] = [];

const note: EnvironmentDefinition["tools"] = {
  write: {
    description: "Write a note.",
    input: z.object({ text: z.string() }),
    run(_state, args) {
      sharedNotes.push(String(args["text"]));
      return { text: "written" };
    },
  },
  read: {
    description: "Read all notes.",
    input: null,
    run: () => ({ text: sharedNotes.slice(-40).join(" ") || "nothing" }),
  },
};

/** Replaces text in the answers to requests whose path ends in `path`. */
function rewriting(
  path: string,
  rewrite: (text: string, request: HttpRequest) => string,
): (inner: HttpClient) => HttpClient {
  return (inner) => ({
    send: async (request) => {
      const response = await inner.send(request);
      if (!new URL(request.url).pathname.endsWith(path) || response.status !== 200) return response;
      return withText(response, rewrite(await response.text(), request));
    },
  });
}

function withText(response: Pick<HttpResponse, "status" | "header">, text: string): HttpResponse {
  const bytes = new TextEncoder().encode(text);
  return {
    status: response.status,
    header: (name) => response.header(name),
    bytes: async () => bytes,
    text: async () => text,
    stream: async function* () {
      yield bytes;
    },
  };
}

function errorEvent(text: string): string {
  return text.replace(
    /event: (end|chunk)\ndata: [^\n]*/,
    "event: error\ndata: KeyError: 'no_such_tool'",
  );
}

/** Claims to have deleted a session, but keeps it. */
function keepingSessions(inner: HttpClient): HttpClient {
  const ok: Pick<HttpResponse, "status" | "header"> = { status: 200, header: () => null };
  return {
    send: async (request) =>
      /\/delete(_session)?$/.test(request.url)
        ? withText(ok, JSON.stringify({ sid: request.headers?.["x-session-id"] ?? "" }))
        : await inner.send(request),
  };
}

/** Runs calls after the end, because the environment never reports the end. */
const runsAfterEnd = rewriting("/call", (text) =>
  text.includes("THE-END") ? text.replace('"finished":false', '"finished":true') : text,
);

export const PLANTED: readonly Planted[] = [
  {
    what: "flaky grader",
    check: "stable-grader",
    environment: sum({
      answer: (value, task) => {
        calls += 1;
        return verdict(value.trim() === truthOf(task) ? calls % 5 !== 0 : calls % 7 === 0, task);
      },
    }),
  },
  {
    what: "grader with a random part in its reward",
    check: "stable-grader",
    environment: sum({
      answer: (value, task) => {
        calls += 1;
        const isRight = value.trim() === truthOf(task);
        return {
          ...verdict(isRight, task),
          text: "noted",
          reward: (isRight ? 0.9 : 0) + (calls % 10) / 100,
        };
      },
    }),
  },
  {
    what: "answer in the prompt",
    check: "answer-in-prompt",
    environment: sum({
      prompt: (task) => `What is ${task.a}+${task.b}? (answer: ${truthOf(task)})`,
    }),
  },
  {
    what: "answer in a comment of the prompt",
    check: "answer-in-prompt",
    environment: sum({
      prompt: (task) => `Add.\n<!-- expected = "${truthOf(task)}" -->\n${task.a}+${task.b}`,
    }),
  },
  {
    what: "answer in the description of a tool",
    check: "answer-in-tools",
    environment: sum({
      task: (_split, index) => ({ a: index, b: 500 - index }),
      description: "Give the sum. The correct answer is 500.",
    }),
  },
  {
    what: "answer as the default of a schema",
    check: "answer-in-tools",
    environment: sum({ task: (_split, index) => ({ a: index, b: 500 - index }) }),
    http: rewriting("/task_tools", (text) =>
      text.replace('"value":{"type":"string"}', '"value":{"type":"string","default":"500"}'),
    ),
  },
  {
    what: "overlapping splits",
    check: "split-overlap",
    environment: sum({
      task: (split, index) => sumTask("train", split === "test" ? index * 3 : index) as JsonObject,
    }),
  },
  {
    what: "overlapping splits with other ids",
    check: "split-overlap",
    environment: sum({
      task: (split, index) => ({ id: `${split}-${index}`, ...sumTask("train", index) }),
    }),
  },
  {
    what: "nearly the same questions in two splits",
    check: "near-overlap",
    severity: "warning",
    environment: sum({
      task: (split, index) => ({ ...sumTask(split, index), n: index }),
      prompt: (task) =>
        `${story(Number((task as unknown as { n: number }).n))} What is ${task.a}+${task.b}?`,
    }),
  },
  {
    what: "duplicates",
    check: "task-duplicates",
    severity: "warning",
    environment: sum({ task: (split, index) => sumTask(split, index % 20) as JsonObject }),
  },
  {
    what: "reward for form",
    check: "form-only",
    environment: sum({
      answer: (value, task) =>
        verdict(value.trim() === truthOf(task), task, value.trim() === truthOf(task) ? 1 : 0.5),
    }),
  },
  {
    what: "small reward for form",
    check: "form-only",
    severity: "warning",
    environment: sum({
      answer: (value, task) =>
        verdict(value.trim() === truthOf(task), task, value.trim() === truthOf(task) ? 1 : 0.1),
    }),
  },
  {
    what: "constant reward for any answer",
    check: "constant-reward",
    environment: sum({ answer: (_value, task) => ({ ...verdict(true, task), metadata: {} }) }),
  },
  {
    what: "farmed reward",
    check: "farmed-reward",
    environment: sum({
      answer: (value, task) =>
        value.trim() === truthOf(task)
          ? { text: "right, go on", reward: 1 }
          : { text: "wrong", reward: 0, finished: true, metadata: { truth: truthOf(task) } },
    }),
  },
  {
    what: "shared notes",
    check: "isolation",
    environment: sum({ tools: note }),
  },
  {
    what: "shared notes beside a tool that crashes",
    check: "isolation",
    environment: sum({
      tools: {
        calc: {
          description: "Multiply.",
          input: z.object({ expr: z.string() }),
          run(_state, args) {
            const [, right] = String(args["expr"]).split("*");
            if (right === undefined) throw new Error("not enough values to unpack");
            return { text: right };
          },
        },
        ...note,
      },
    }),
  },
  {
    what: "shared lock",
    check: "isolation",
    environment: sum({
      tools: {
        enter: {
          description: "Enter the room.",
          input: null,
          async run() {
            sharedCount += 1;
            const seen = sharedCount;
            await new Promise((resolve) => setTimeout(resolve, 3));
            sharedCount -= 1;
            return { text: seen === 1 ? "entered" : "occupied" };
          },
        },
      },
    }),
  },
  {
    what: "leak of sessions",
    check: "session-release",
    environment: sum(),
    http: keepingSessions,
  },
  {
    what: "NaN as a reward",
    check: "reward-range",
    environment: sum(),
    http: rewriting("/call", (text) => text.replace(/"reward":[01]\b/, '"reward":NaN')),
  },
  {
    what: "text as a reward",
    check: "reward-range",
    environment: sum(),
    http: rewriting("/call", (text) => text.replace(/"reward":([01])\b/, '"reward":"$1"')),
  },
  {
    what: "infinite reward",
    check: "reward-range",
    environment: sum(),
    http: rewriting("/call", (text) => text.replace(/"reward":[01]\b/, '"reward":1e999')),
  },
  {
    what: "huge reward",
    check: "reward-range",
    environment: sum({
      answer: (value, task) =>
        verdict(value === truthOf(task), task, value === truthOf(task) ? 1e9 : 0),
    }),
  },
  {
    what: "slow call",
    check: "speed",
    severity: "warning",
    environment: sum({
      tools: {
        wait: {
          description: "Think.",
          input: null,
          async run() {
            await new Promise((resolve) => setTimeout(resolve, 120));
            return { text: "done" };
          },
        },
      },
    }),
    limits: { slowCallMs: 100 },
  },
  {
    what: "call that never returns",
    check: "speed",
    environment: sum({
      tools: {
        wait: {
          description: "Think.",
          input: null,
          run: () => new Promise<ToolResult>(() => undefined),
        },
      },
    }),
    limits: { callMs: 150, slowCallMs: 100 },
  },
  {
    what: "crash on odd arguments",
    check: "malformed-calls",
    environment: sum({
      answer: (value, task) => {
        if (value === "") throw new Error("IndexError: string index out of range");
        return grade(value, task);
      },
    }),
  },
  {
    what: "crash on a lone surrogate",
    check: "malformed-calls",
    severity: "warning",
    environment: sum({
      answer: (value, task) => {
        encodeURIComponent(value);
        return grade(value, task);
      },
    }),
  },
  {
    what: "crash on a missing argument",
    check: "malformed-calls",
    environment: sum(),
    http: rewriting("/call", (text) =>
      text.includes("input_validation") ? errorEvent(text) : text,
    ),
  },
  {
    what: "crash on valid arguments",
    check: "random-calls",
    environment: sum({
      tools: {
        calc: {
          description: "Divide 100 by a number.",
          input: z.object({ n: z.int().min(0).max(3) }),
          run(_state, args) {
            if (args["n"] === 0) throw new Error("ZeroDivisionError: division by zero");
            return { text: String(100 / Number(args["n"])) };
          },
        },
      },
    }),
  },
  {
    what: "crash on an unknown tool",
    check: "unknown-tool",
    environment: sum(),
    http: rewriting("/call", (text) => (text.includes("not_found") ? errorEvent(text) : text)),
  },
  {
    what: "injected grader",
    check: "instructed-grader",
    environment: sum({
      answer: (value, task) =>
        verdict(
          value.trim() === truthOf(task) || /\b(?:is correct|verdict: correct)\b/i.test(value),
          task,
        ),
    }),
  },
  {
    what: "judge that reads a score from the answer",
    check: "instructed-grader",
    environment: sum({
      answer: (value, task) => {
        const score = /"?(?:score|rating)"?:\s*(\d+)/i.exec(value)?.[1];
        return verdict(value.trim() === truthOf(task) || Number(score) >= 1, task);
      },
    }),
  },
  {
    what: "early end that pays",
    check: "early-end",
    environment: sum({
      tools: {
        give_up: {
          description: "Give up.",
          input: null,
          run: () => ({ text: "bye", reward: 1, finished: true }),
        },
      },
    }),
  },
  {
    what: "empty answer pays",
    check: "empty-answer",
    environment: sum({
      answer: (value, task) => verdict(truthOf(task).includes(value.trim()), task),
    }),
  },
  {
    what: "prompt changes between sessions",
    check: "same-prompt",
    severity: "warning",
    environment: sum({
      prompt: (task) => {
        calls += 1;
        return `What is ${task.a}+${task.b}? (attempt ${calls})`;
      },
    }),
  },
  {
    what: "answers change between sessions",
    check: "same-answers",
    severity: "warning",
    environment: sum({
      tools: {
        roll: {
          description: "Roll.",
          input: null,
          run: () => {
            calls += 1;
            return { text: `rolled ${calls}` };
          },
        },
      },
    }),
  },
  {
    what: "invalid schema",
    check: "tool-schemas",
    environment: sum(),
    http: rewriting("/task_tools", (text) => text.replace('"type":"string"', '"type":"str"')),
  },
  {
    what: "required argument that is not described",
    check: "tool-schemas",
    environment: sum(),
    http: rewriting("/task_tools", (text) =>
      text.replace('"required":["value"]', '"required":["answer"]'),
    ),
  },
  {
    what: "bad tool name",
    check: "tool-names",
    environment: sum({
      tools: { "look up": { description: "Look.", input: null, run: () => ({ text: "nothing" }) } },
    }),
  },
  {
    what: "calls after the end run and pay",
    check: "after-end",
    environment: sum({
      answer: (value, task) => ({
        text: value === truthOf(task) ? "right THE-END" : "wrong THE-END",
        reward: value === truthOf(task) ? 1 : 0,
        metadata: { truth: truthOf(task) },
      }),
    }),
    http: runsAfterEnd,
  },
  {
    what: "secret echoed",
    check: "secret-echo",
    environment: sum(),
    http: (inner) => {
      let secrets = "";
      return rewriting("/call", (text) =>
        text.replace('"text":"wrong"', `"text":"wrong ${secrets}"`),
      )({
        send: (request) => {
          const header = request.headers?.["x-secrets"];
          if (header !== undefined) secrets = atob(header).replaceAll('"', "'");
          return inner.send(request);
        },
      });
    },
  },
  {
    what: "empty split",
    check: "splits",
    environment: sum({ splits: { train: 50, test: 0 } }),
  },
  {
    what: "tasks that cannot be read",
    check: "splits",
    environment: sum(),
    http: (inner) => ({
      send: async (request) =>
        request.url.endsWith("/num_tasks")
          ? withText({ status: 500, header: () => null }, '{"detail":"Invalid JSON"}')
          : await inner.send(request),
    }),
  },
  {
    what: "empty prompt",
    check: "session-start",
    environment: sum({ prompt: () => " " }),
  },
  {
    what: "reward never given",
    check: "reward-given",
    environment: sum({ answer: (_value, task) => ({ text: `noted ${task.a}`, finished: true }) }),
  },
  {
    what: "right answer that is not paid",
    check: "right-answer",
    severity: "warning",
    environment: sum({
      task: (split, index) => {
        const task = sumTask(split, index);
        return { ...task, answer: truthOf(task) };
      },
      answer: () => ({ text: "wrong", reward: 0, finished: true }),
    }),
  },
  {
    what: "prompt that is too long",
    check: "prompt-length",
    severity: "warning",
    environment: sum({ prompt: (task) => `${"Think well. ".repeat(12_000)}${task.a}+${task.b}` }),
  },
  {
    what: "too few sessions at once without saying so",
    check: "load",
    environment: sum(),
    http: (inner) => {
      let open = 0;
      return {
        send: async (request) => {
          if (request.url.endsWith("/create")) {
            open += 1;
            if (open > 20)
              return withText(
                { status: 500, header: () => null },
                '{"detail":"Too many open files"}',
              );
          }
          if (request.url.endsWith("/delete")) open -= 1;
          return await inner.send(request);
        },
      };
    },
  },
  {
    what: "answer in the reply to a wrong answer",
    check: "answer-in-feedback",
    environment: sum({
      answer: (value, task, state) => {
        state.tries += 1;
        if (value.trim() !== truthOf(task) && state.tries < 3) {
          return { text: `Wrong. The correct answer is ${truthOf(task)}. Try again.` };
        }
        return verdict(value.trim() === truthOf(task), task);
      },
    }),
  },
  {
    what: "grader that accepts a list of numbers",
    check: "hedged-answer",
    environment: sum({
      answer: (value, task) => verdict(value.split(/\s+/).includes(truthOf(task)), task),
    }),
  },
  {
    what: "grader that looks for the answer anywhere",
    check: "hedged-answer",
    severity: "warning",
    environment: sum({
      task: (split, index) => ({ ...sumTask(split, index), word: `w${(index * 7919) % 9973}k` }),
      prompt: (task) => `Name the word of ${task.b}.`,
      answer: (value, task) => {
        const { word } = task as unknown as { word: string };
        return { text: "noted", reward: value.includes(word) ? 1 : 0, finished: true };
      },
    }),
  },
  {
    what: "the same choice is right everywhere",
    check: "answer-variety",
    environment: sum({
      tools: {
        choose: {
          description: "Choose.",
          input: z.object({ option: z.enum(["A", "B", "C", "D"]) }),
          run: (_state, args) => ({
            text: "noted",
            reward: args["option"] === "C" ? 1 : 0,
            finished: true,
          }),
        },
      },
    }),
  },
  {
    what: "template that was not filled in",
    check: "prompt-text",
    environment: sum({ prompt: () => "Solve this problem: {question}" }),
  },
  {
    what: "missing values in some prompts",
    check: "prompt-text",
    severity: "warning",
    environment: sum({
      prompt: (task) => `Question: ${task.a % 5 === 0 ? "None" : `${task.a}+${task.b}`}`,
    }),
  },
  {
    what: "fewer tasks than it says",
    check: "session-start",
    environment: sum({
      task: (split, index) => {
        if (split === "test" && index > 44) throw new Error("IndexError: list index out of range");
        return sumTask(split, index) as JsonObject;
      },
    }),
  },
  {
    what: "a task is paid once only",
    check: "stable-grader",
    environment: sum({
      answer: (value, task) => {
        const isRight = value.trim() === truthOf(task);
        const isNew = !solved.has(truthOf(task));
        if (isRight) solved.add(truthOf(task));
        return verdict(isRight && isNew, task);
      },
    }),
  },
  {
    what: "calls fail when many come at once",
    check: "load",
    environment: sum({
      answer: (value, task) => grade(value, task),
      tools: {},
    }),
    http: (inner) => {
      let running = 0;
      return {
        send: async (request) => {
          if (!request.url.endsWith("/call")) return await inner.send(request);
          running += 1;
          const isFull = running > 40;
          const response = await inner.send(request);
          const text = await response.text();
          await new Promise((resolve) => setTimeout(resolve, 20));
          running -= 1;
          return withText(response, isFull ? errorEvent(text) : text);
        },
      };
    },
  },
  {
    what: "notes that outlive their session",
    check: "isolation",
    environment: sum({
      tools: {
        remember: {
          description: "Remember a text.",
          input: z.object({ text: z.string() }),
          run(_state, args) {
            const before = remembered.at(-33) ?? "nothing";
            remembered.push(String(args["text"]));
            return { text: `noted, after ${before}` };
          },
        },
      },
    }),
  },
];

/** Sound environments that a check might mistake for broken ones. */
export const SOUND: readonly Planted[] = [
  { what: "sums", check: null, environment: sum() },
  {
    what: "partial rewards by distance",
    check: null,
    environment: sum({
      answer: (value, task) => {
        const error = Math.abs(Number.parseFloat(value) - Number(truthOf(task)));
        const reward = Number.isFinite(error) ? 1 / (1 + error) : 0;
        return { text: `off by ${error}`, reward, finished: true };
      },
    }),
  },
  {
    what: "a random start",
    check: null,
    environment: sum({
      prompt: (task) => {
        calls += 1;
        return `Round ${calls}: what is ${task.a}+${task.b}?`;
      },
    }),
  },
  {
    what: "a game that pays each step",
    check: null,
    environment: defineEnvironment<{ seed: number }, { steps: number }>({
      name: "planted",
      description: "Stay alive.",
      splits: { train: 500, test: 50 },
      task: (split, index) => ({ seed: index + (split === "test" ? 500 : 0) }),
      start: () => ({ steps: 0 }),
      prompt: () => "Stay alive for as long as you can.",
      tools: {
        move: {
          description: "Move.",
          input: z.object({ direction: z.enum(["left", "right"]) }),
          run(state, args) {
            state.steps += 1;
            const isOver = state.steps > 30;
            return {
              text: `at ${state.steps} after ${String(args["direction"])}`,
              reward: 1,
              finished: isOver,
            };
          },
        },
      },
    }),
  },
  {
    what: "a bandit",
    check: null,
    environment: defineEnvironment<{ best: number }, { best: number }>({
      name: "planted",
      description: "Pull the better arm.",
      splits: { train: 100, test: 20 },
      task: (split, index) => ({ best: index + (split === "test" ? 100 : 0) }),
      start: (task) => task,
      prompt: () => "Pull an arm.",
      tools: {
        pull: {
          description: "Pull an arm.",
          input: z.object({ arm: z.int().min(0).max(1) }),
          run(state, args) {
            calls += 1;
            const isBest = Number(args["arm"]) === state.best % 2;
            return {
              text: "pulled",
              reward: calls % (isBest ? 2 : 5) === 0 ? 1 : 0,
              finished: true,
            };
          },
        },
      },
    }),
  },
  {
    what: "multiple choice",
    check: null,
    environment: sum({
      prompt: (task) =>
        `What is ${task.a}+${task.b}?\n${[0, 1, 2, 3].map((i) => `${"ABCD"[i]}) ${Number(truthOf(task)) + i - (task.b % 4)}`).join("\n")}\nAnswer with: A, B, C or D.`,
      answer: (value, task) => {
        const isRight = value.trim() === "ABCD"[task.b % 4];
        return {
          text: isRight ? "right" : "wrong",
          reward: isRight ? 1 : 0,
          finished: true,
          metadata: { truth: "ABCD"[task.b % 4] ?? "" },
        };
      },
    }),
  },
  {
    what: "a question about a text",
    check: null,
    environment: sum({
      prompt: (task) =>
        `The sum of ${task.a} and ${task.b} that Ada noted was ${truthOf(task)}. Which number did she note?`,
    }),
  },
  {
    what: "a penalty for each wrong answer",
    check: null,
    environment: sum({
      answer: (value, task) => ({
        ...verdict(value === truthOf(task), task, value === truthOf(task) ? 1 : -1),
      }),
    }),
  },
  {
    what: "yes or no",
    check: null,
    environment: sum({
      prompt: (task) => `Is ${task.a}+${task.b} even? Answer yes or no.`,
      answer: (value, task) => {
        const truth = (task.a + task.b) % 2 === 0 ? "yes" : "no";
        return {
          text: value === truth ? "right" : "wrong",
          reward: value === truth ? 1 : 0,
          finished: true,
          metadata: { truth },
        };
      },
    }),
  },
  {
    what: "a maze that ends at its goal only",
    check: null,
    environment: defineEnvironment<{ goal: number }, { at: number; readonly goal: number }>({
      name: "planted",
      description: "Walk to the goal.",
      splits: { train: 300, test: 50 },
      task: (split, index) => ({ goal: 2 + (index % 4) + (split === "test" ? 4 : 0) }),
      start: (task) => ({ at: 0, goal: task.goal }),
      prompt: ({ goal }) => `Walk from 0 to ${goal}.`,
      tools: {
        walk: {
          description: "Take a step.",
          input: z.object({ direction: z.enum(["left", "right"]) }),
          run(state, args) {
            state.at += args["direction"] === "right" ? 1 : -1;
            if (state.at !== state.goal) return { text: `at ${state.at}` };
            return { text: "arrived", reward: 1, finished: true };
          },
        },
      },
    }),
  },
  {
    what: "six tries with a share of the letters",
    check: null,
    environment: sum({
      task: (split, index) => ({ ...sumTask(split, index), n: index * (split === "test" ? 3 : 2) }),
      prompt: () => "Guess a number of three digits. You have six tries.",
      answer: (value, task, state) => {
        state.tries += 1;
        const right = [...truthOf(task)].filter((digit, i) => value[i] === digit).length;
        if (right === truthOf(task).length) return { text: "right", reward: 1, finished: true };
        const text = `${right} digits are right`;
        return state.tries < 6 ? { text } : { text, reward: right / 10, finished: true };
      },
    }),
  },
  {
    what: "a long passage with a question",
    check: null,
    environment: sum({
      task: (split, index) => ({
        ...sumTask(split, index),
        n: index + (split === "test" ? 5_000 : 0),
      }),
      prompt: (task) =>
        `${passage((task as unknown as { n: number }).n)}\nHow much is ${task.a}+${task.b}?`,
    }),
  },
  {
    what: "code that is run",
    check: null,
    environment: sum({
      tools: {
        run: {
          description: "Run code.",
          input: z.object({ code: z.string(), timeout: z.int().min(1).max(60).default(10) }),
          run: (_state, args) => ({ text: `SyntaxError: ${String(args["code"]).slice(0, 40)}` }),
        },
      },
    }),
  },
];
