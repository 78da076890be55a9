import { describe, expect, it } from "vitest";
import { glm53 } from "../../../src/core/chat/families/glm.ts";
import { kimiK25 } from "../../../src/core/chat/families/kimi.ts";
import type { ParsedTurn } from "../../../src/core/chat/renderer.ts";
import { followUpsTo } from "../../../src/core/rollout/feedback.ts";
import { OPTIONS as DEFAULTS, formatOnBytes } from "../chat/families/formatOnBytes.ts";

const OPTIONS = { ...DEFAULTS, retention: "all" } as const;
const FIVE = { record: { name: "add" }, said: { content: "5" } };
/** An empty turn. */
const EMPTY: ParsedTurn = {
  reasoning: null,
  thinkingTokens: 0,
  content: "",
  lead: 0,
  calls: [],
  errors: [],
  unclosedThink: false,
  ended: true,
};
const NOON = { record: { name: "now" }, said: { content: "12:00" } };

describe("answers to a turn with valid and broken calls", () => {
  const added = ["<|user|>", "<|observation|>", "<|endoftext|>", "<think>", "</think>"];
  const { parse } = formatOnBytes(glm53(OPTIONS), [...added, "<tool_call>", "</tool_call>"]);

  it("are in the order of the calls, since many formats match them only by order", () => {
    const turn = parse(
      "</think><tool_call></tool_call><tool_call>add</tool_call><tool_call>a<arg_key></tool_call><tool_call>now</tool_call><tool_call>cut<|user|>",
    );
    const answers = followUpsTo(turn, [FIVE, NOON]);
    const names = answers.map((answer) => (answer.role === "tool" ? answer.name : "user"));
    expect(names).toEqual(["error", "add", "error", "now", "error"]);
    expect(answers.at(-1)?.content).toContain("not closed");
  });
});

describe("answer ids for calls that have ids", () => {
  const added = [
    ...["<|im_end|>", "</think>", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
    ...["<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"],
  ];
  const { parse } = formatOnBytes(kimiK25(OPTIONS), added);
  const call = (id: string, args: string): string =>
    `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
  const idsOf = (results: Parameters<typeof followUpsTo>[1], ...calls: readonly string[]) => {
    const turn = parse(`</think><|tool_calls_section_begin|>${calls.join("")}`);
    return followUpsTo(turn, results).map((answer) =>
      answer.role === "tool" ? answer.callId : null,
    );
  };

  it("are those the model wrote, also for broken calls and for calls with the same id", () => {
    const [add, now] = [call("functions.add:4", "{}"), call("functions.add:4", "{}")];
    expect(idsOf([FIVE, NOON], add, call("functions.add:2", "["), now)).toEqual([
      "functions.add:4",
      "functions.add:2",
      "functions.add:4",
    ]);
  });

  it("are generated if the model wrote none, and are unique within the turn", () => {
    expect(idsOf([FIVE, NOON], call("", "{}"), call("call_2", "{}"), call("call_3", "{}"))).toEqual(
      ["call_4", "call_2", "call_3"],
    );
    expect(idsOf([], call("", "{}"), call("", "{}"))).toEqual(["call_0", "call_1"]);
  });
});

it("an answer to a turn without a call is a user message", () => {
  const plain = { ...EMPTY, content: "My guess is 5." };
  expect(followUpsTo(plain, [{ record: { name: "act" }, said: { content: "higher" } }])).toEqual([
    { role: "user", content: "higher" },
  ]);
  expect(followUpsTo(plain, [])).toEqual([{ role: "user", content: "Call one of the tools." }]);
});
