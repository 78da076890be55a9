import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readMove } from "../../../src/cli/env/play.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { EXIT } from "../../../src/shared/exitCodes.ts";
import { aTrainer, createFakeProgram } from "../fakeProgram.ts";
import { createFakeTerminal } from "../fakeTerminal.ts";

const TOOLS = [
  {
    name: "answer",
    description: "",
    inputSchema: { type: "object", properties: { value: { type: "string" } } },
  },
  {
    name: "wait",
    description: "",
    inputSchema: { type: "object", properties: { hours: { type: "integer" } } },
  },
  {
    name: "move",
    description: "",
    inputSchema: { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } } },
  },
  { name: "look", description: "", inputSchema: null },
];
const read = (line: string) => readMove(line, TOOLS);

describe("an input line of a play", () => {
  it.each([
    ['move {"x": 1, "y": 2}', { kind: "call", name: "move", args: { x: 1, y: 2 } }],
    ["look", { kind: "call", name: "look", args: {} }],
    ["answer forty two", { kind: "call", name: "answer", args: { value: "forty two" } }],
    ["answer 42", { kind: "call", name: "answer", args: { value: "42" } }],
    ["wait 3", { kind: "call", name: "wait", args: { hours: 3 } }],
    ['lok_up {"x": 1}', { kind: "call", name: "lok_up", args: { x: 1 } }],
    ["Let me look around.", { kind: "text", text: "Let me look around." }],
  ])("%s is a move", (line, move) => {
    expect(read(line)).toEqual(move);
  });

  it.each([
    ["move 1 2", "The arguments are not a JSON object. Write move {…}"],
    ['move {"x": 1', "The arguments are not a JSON object. Write move {…}"],
    ["wait long", "hours is not of type integer: long"],
    ['mov {"x": 1}', "There is no tool mov. Did you mean move?"],
  ])("%s is rejected with a hint", (line, words) => {
    expect(() => read(line)).toThrow(words);
  });
});

const WON = {
  group: 0,
  turns: 1,
  rewards: [1],
  reward: 1,
  stop: "reached_terminal_state",
  error: null,
  agent: undefined,
  last: [],
  used: NO_TOKENS,
  costUsd: null,
} as const;
const FIRST_TURN = {
  turn: 0,
  text: "",
  news: [],
  isNew: true,
  tools: { tools: TOOLS, terminalTool: null, supportsGroupScoring: false, messageBlockTypes: [] },
  problem: null,
};

it("Ctrl+C ends a play that waits for a move, and finished plays are counted", async () => {
  const trainer = aTrainer({
    playTask: async (_files, { player, signal, onPlayed }) => {
      onPlayed?.(WON);
      if (player.kind !== "moves") throw new Error("Nobody makes a move.");
      const moving = player.player.move(FIRST_TURN, signal);
      program.interrupt();
      await moving;
      return { played: [], folder: null };
    },
  });
  const program = createFakeProgram({ trainer, input: new PassThrough() });
  const code = await runProgram(program, ["env", "play", "-c", "a.yaml", "--tasks", "2"]);
  expect([code, program.err.lines]).toEqual([EXIT.interrupted, ["error: The play was stopped."]]);
  expect(program.out.lines).toContain("mean reward 1.00 · 1 task");
  expect(program.listeners.size).toBe(0);
});

it("the results of the last turn are shown however the play ended", async () => {
  const last = ["KeyError: 'x'", "y".repeat(3_000)];
  const trainer = aTrainer({
    playTask: async (_files, { onPlayed }) => {
      onPlayed?.({ ...WON, stop: "tool_crashed", last });
      onPlayed?.({ ...WON, stop: "max_tokens" });
      return { played: [], folder: null };
    },
  });
  const program = createFakeProgram({ trainer });
  expect(await runProgram(program, ["env", "play", "-c", "a.yaml"])).toBe(EXIT.done);
  expect(program.out.lines).toEqual([
    "KeyError: 'x'",
    `${"y".repeat(1_999)}…`,
    "",
    "reward 1.00 in all · 1 turn · tool_crashed",
    "",
    "reward 1.00 in all · 1 turn · max_tokens",
    "No room for another turn: max_total_tokens or the context of the model is reached.",
  ]);
});

it("a play that failed ends the command with the code of a failed service", async () => {
  const trainer = aTrainer({
    playTask: async (_files, { onPlayed }) => {
      onPlayed?.(WON);
      onPlayed?.({ ...WON, reward: null, error: "The agent ended with code 1." });
      return { played: [], folder: null };
    },
  });
  const program = createFakeProgram({ trainer });
  expect(await runProgram(program, ["env", "play", "-c", "a.yaml"])).toBe(EXIT.service);
});

it("moves that are piped from a terminal are those of a script", async () => {
  const names: string[] = [];
  const trainer = aTrainer({
    playTask: async (_files, { player }) => {
      names.push(player.kind === "moves" ? player.name : player.kind);
      return { played: [], folder: null };
    },
  });
  for (const isTTY of [true, false]) {
    const program = createFakeProgram({
      trainer,
      input: Object.assign(new PassThrough(), { isTTY }),
    });
    Object.assign(program.err, createFakeTerminal({ isInteractive: true }));
    await runProgram(program, ["env", "play", "-c", "a.yaml"]);
  }
  expect(names).toEqual(["person", "script"]);
});

it("a word with a slash is not a move, and a mean says how many plays have no reward", async () => {
  const input = new PassThrough();
  input.end("/help\n/hlep\n/quit\n");
  const trainer = aTrainer({
    playTask: async (_files, { player, onPlayed }) => {
      if (player.kind !== "moves") throw new Error("Nobody makes a move.");
      expect(await player.player.move(FIRST_TURN, new AbortController().signal)).toEqual({
        kind: "leave",
      });
      onPlayed?.(WON);
      onPlayed?.({ ...WON, reward: null });
      return { played: [], folder: null };
    },
  });
  const program = createFakeProgram({ trainer, input });
  expect(await runProgram(program, ["env", "play", "-c", "a.yaml", "--tasks", "2"])).toBe(
    EXIT.done,
  );
  expect(program.err.lines).toContain("There is no command /hlep. Use /help, /tools or /quit.");
  expect(program.out.lines).toContain("mean reward 1.00, 1 without a reward · 2 tasks");
});

it("without a configuration, a play says what it needs", async () => {
  const program = createFakeProgram();
  expect(await runProgram(program, ["env", "play", "local/calculator"])).toBe(EXIT.invalid);
  expect(program.err.lines).toEqual([
    "error: env play needs --config_path: there is no tinker-config.yaml here.",
  ]);
});
