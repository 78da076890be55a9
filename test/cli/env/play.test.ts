import { describe, expect, it } from "vitest";
import { readMove } from "../../../src/cli/env/play.ts";

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

describe("a line of a play", () => {
  it.each([
    ['move {"x": 1, "y": 2}', { kind: "call", name: "move", args: { x: 1, y: 2 } }],
    ["look", { kind: "call", name: "look", args: {} }],
    ["answer forty two", { kind: "call", name: "answer", args: { value: "forty two" } }],
    ["answer 42", { kind: "call", name: "answer", args: { value: "42" } }],
    ["wait 3", { kind: "call", name: "wait", args: { hours: 3 } }],
    ["Let me look around.", { kind: "text", text: "Let me look around." }],
  ])("%s is a move", (line, move) => {
    expect(read(line)).toEqual(move);
  });

  it.each([
    ["move 1 2", "The arguments are no JSON object. Write move {…}"],
    ['move {"x": 1', "The arguments are no JSON object. Write move {…}"],
    ["wait long", "hours is no integer: long"],
    ['mov {"x": 1}', "There is no tool mov. Did you mean move?"],
  ])("%s is corrected in words", (line, words) => {
    expect(() => read(line)).toThrow(words);
  });
});
