import { describe, expect, it } from "vitest";
import { exportRow } from "../../../src/core/examples/exportRow.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { NO_MARK } from "../../../src/shared/marks.ts";
import { aRecord, aRolloutSummary } from "../runFolder/builders.ts";

function messagesOf(changes: Partial<RolloutRecord>) {
  const run = { name: "run", trained: {} };
  const chosen = { summary: aRolloutSummary(0), mark: NO_MARK };
  return exportRow(run, chosen, aRecord(changes)).messages;
}

function openingOf(changes: Partial<RolloutRecord>) {
  return messagesOf({ ...changes, turns: [] });
}

const asked = { type: "user_message", content: "Go." } as const;
const rules = { type: "system_message", content: "Be brief." } as const;

describe("the opening of an exported rollout", () => {
  it("has one system message, with the configured text before the task's", () => {
    const user = { role: "user", content: "Go." };
    const opening = (systemText: string | null) =>
      openingOf({ systemText, conversation: [rules, asked] });
    expect(opening("Use tools.")).toEqual([
      { role: "system", content: "Use tools.\n\nBe brief." },
      user,
    ]);
    expect(opening(null)).toEqual([{ role: "system", content: "Be brief." }, user]);
  });

  it("has the assistant's text and all of its calls in one message", () => {
    const call = (name: string) =>
      ({ type: "tool_call", content: "{}", name, callId: name }) as const;
    const said = { type: "assistant_message", content: "I look." } as const;
    const seen = { type: "tool_result", content: "Snow.", callId: "a" } as const;
    const opening = openingOf({
      systemText: null,
      conversation: [asked, said, call("a"), call("b"), seen, call("c")],
    });
    const made = (name: string) => ({
      id: name,
      type: "function",
      function: { name, arguments: "{}" },
    });
    expect(opening).toEqual([
      { role: "user", content: "Go." },
      { role: "assistant", content: "I look.", tool_calls: [made("a"), made("b")] },
      { role: "tool", tool_call_id: "a", content: "Snow." },
      { role: "assistant", content: null, tool_calls: [made("c")] },
    ]);
  });

  it("is the prompt if the record has no conversation", () => {
    expect(openingOf({ systemText: null, promptText: "Go." })).toEqual([
      { role: "user", content: "Go." },
    ]);
  });
});

describe("the turns of an exported rollout", () => {
  const found = { name: "search", text: "Snow.", isError: false, reward: null, finished: false };
  const turns = aRecord().turns.map((turn) => {
    const said = { content: "Action: search(snow)", calls: [] };
    return { ...turn, ...said, results: [found], nudge: "Observation: Snow." };
  });
  const agent = { exit: "0", output: "", refusals: [] };
  const answers = (changes: Partial<RolloutRecord>) =>
    messagesOf({ ...changes, turns }).filter(({ role }) => role === "user");
  const task = { role: "user", content: "What is 2 + 3?" };
  const observed = { role: "user", content: "Observation: Snow." };

  it.each([
    [
      '{"expr":"2 { 3"}',
      '<tool_call>\n{"name": "calc", "arguments": {"expr": "2 { 3"}}\n</tool_call>',
    ],
    [
      '{"quote":"a \\" b","n":[1,2]}',
      '{"arguments": {"quote": "a \\" b", "n": [1, 2]}, "name": "calc"}',
    ],
  ])("have the arguments %s with the spaces that the model wrote", (args, raw) => {
    const own = turns.map((turn) => ({ ...turn, calls: [{ name: "calc", args, raw }] }));
    const [call] = messagesOf({ turns: own }).flatMap(({ tool_calls = [] }) => tool_calls) as {
      readonly function: { readonly arguments: string };
    }[];
    expect(call?.function.arguments).not.toBe(args);
    expect(raw).toContain(call?.function.arguments);
    expect(JSON.parse(call?.function.arguments ?? "")).toEqual(JSON.parse(args));
  });

  it("include the reply to a text without a call", () => {
    expect(answers({})).toEqual([task, { role: "user", content: "Snow." }, observed]);
  });

  it("exclude results of the agent's own calls", () => {
    expect(answers({ agent })).toEqual([task, observed]);
  });

  it("exclude results of other calls if an agent ran fewer than the model made", () => {
    const made = (name: string) => ({ name, args: "{}", raw: "" });
    const calls = [made("search"), made("final_answer")];
    const answer = { ...found, name: "answer", text: "Correct, reward 1." };
    const own = turns.map((turn) => ({ ...turn, calls, results: [found, answer] }));
    const results = messagesOf({ agent, turns: own }).filter(({ role }) => role === "tool");
    expect(results).toEqual([{ role: "tool", tool_call_id: "call_0", content: "Snow." }]);
    const itself = own.map((turn) => ({
      ...turn,
      results: [{ ...found, agentArgs: '{"query":"snow"}' }],
    }));
    expect(messagesOf({ agent, turns: itself }).filter(({ role }) => role === "tool")).toEqual([]);
  });
});
