import { describe, expect, it } from "vitest";
import { type PlayerView, randomPlayer } from "../../../src/core/play/player.ts";

const TOOLS = {
  tools: [
    {
      name: "move",
      description: "",
      inputSchema: {
        type: "object",
        properties: {
          to: { enum: ["north", "south"] },
          steps: { type: "integer", minimum: 1, maximum: 3 },
        },
        required: ["to", "steps"],
      },
    },
    { name: "look", description: "", inputSchema: null },
  ],
  terminalTool: null,
  supportsGroupScoring: false,
  messageBlockTypes: [],
};

async function movesOf(seed: number, tools: PlayerView["tools"] = TOOLS) {
  const player = randomPlayer(seed);
  const view: PlayerView = {
    turn: 0,
    text: "",
    news: [{ role: "user", content: "Find the apple." }],
    isNew: true,
    tools,
    problem: null,
  };
  const moves = [];
  for (let turn = 0; turn < 30; turn += 1) moves.push(await player.move(view, undefined));
  return moves;
}

describe("a random player", () => {
  it("calls every tool, with arguments that its schema allows", async () => {
    const calls = (await movesOf(1)).flatMap((move) => (move.kind === "call" ? [move] : []));
    expect(calls).toHaveLength(30);
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(["move", "look"]));
    for (const { name, args } of calls) {
      if (name === "look") expect(args).toEqual({});
      else {
        expect(["north", "south"]).toContain(args["to"]);
        expect([1, 2, 3]).toContain(args["steps"]);
      }
    }
  });

  it("makes the same moves with the same seed", async () => {
    expect(await movesOf(1)).toEqual(await movesOf(1));
    expect(await movesOf(2)).not.toEqual(await movesOf(1));
  });

  it("writes words if there is nothing to call", async () => {
    const moves = await movesOf(1, { ...TOOLS, tools: [] });
    expect(moves.every(({ kind }) => kind === "text")).toBe(true);
  });
});
