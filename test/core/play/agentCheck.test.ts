import { describe, expect, it } from "vitest";
import { type AgentPlay, agentCheck } from "../../../src/core/play/agentCheck.ts";

const PLAY: AgentPlay = {
  turns: 2,
  stop: "agent_ended",
  error: null,
  agent: { exit: "0", output: "bye\n", refusals: [] },
};

describe("the agent check", () => {
  it("passes for an agent that calls the model and ends, also if the environment ends it", () => {
    const passed = { findings: [], measured: "2 turns, then agent_ended" };
    expect(agentCheck(PLAY)).toMatchObject(passed);
    expect(agentCheck({ ...PLAY, stop: "reached_terminal_state" }).findings).toEqual([]);
  });

  it("reports a defect for an agent that fails, hangs, or never calls the model, with its output", () => {
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
