import { describe, expect, it } from "vitest";
import { type AgentPlay, agentCheck } from "../../../src/core/play/agentCheck.ts";

const PLAY: AgentPlay = {
  turns: 2,
  stop: "agent_ended",
  error: null,
  agent: { exit: "0", output: "bye\n", refusals: [] },
};

describe("the check of an agent", () => {
  it("passes with one that asks the model and ends, also because the environment says so", () => {
    const passed = { findings: [], measured: "2 turns, then agent_ended" };
    expect(agentCheck(PLAY)).toMatchObject(passed);
    expect(agentCheck({ ...PLAY, stop: "reached_terminal_state" }).findings).toEqual([]);
  });

  it("finds a defect in one that fails, hangs or never asks, with what it printed", () => {
    const agent = { exit: "1", output: "KeyError: 'x'\n", refusals: [] };
    const said = (play: AgentPlay) => agentCheck(play).findings[0]?.message;
    const failure = "The agent of acme/games ended with code 1.";
    expect(said({ ...PLAY, stop: "agent_failed", agent: { ...agent, failure } })).toBe(
      `${failure} It printed: KeyError: 'x'`,
    );
    expect(said({ ...PLAY, turns: 0, stop: "error", error: "It never asked." })).toBe(
      "It never asked.",
    );
  });
});
