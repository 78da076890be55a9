import { describe, expect, it } from "vitest";
import { inkling } from "../../../../src/core/chat/families/inkling.ts";
import type { FormatOptions } from "../../../../src/core/chat/format.ts";
import {
  INKLING_ENDS,
  INKLING_KINDS,
  INKLING_ROLES,
} from "../../../../src/core/chat/parsing/inklingTurns.ts";
import { ExactNumber } from "../../../../src/core/util/exactJson.ts";
import { ADD, formatOnBytes, OPTIONS, result, user } from "./formatOnBytes.ts";

const ADDED = [INKLING_ROLES, INKLING_KINDS, INKLING_ENDS].flatMap((group) => Object.values(group));

function on(options: Partial<FormatOptions> = {}) {
  return formatOnBytes(inkling({ ...OPTIONS, retention: "all", ...options }), ADDED);
}

const { bridge, countAdded, parse, prompt, stops } = on();
const END = "<|content_model_end_sampling|>";
const EFFORT = "<|message_system|><|content_text|>Thinking effort level: 0.9<|end_message|>";

describe("a prompt of Inkling", () => {
  it("has the system text, the tools with sorted keys, and the effort, and leaves the turn's role to the model", () => {
    expect(prompt([{ role: "system", content: "You add." }, user("2 + 3")], [ADD])).toBe(
      "<|message_system|><|content_text|>You add.<|end_message|>" +
        '<|message_system|>tool_declare<|content_xml|>[{"description":"Adds.","name":"add","parameters":{"properties":{"a":{"type":"number"}},"type":"object"},"type":"function"}]<|end_message|>' +
        `${EFFORT}<|message_user|><|content_text|>2 + 3<|end_message|>`,
    );
  });

  it.each([
    [{ effort: "low" }, "0.2"],
    [{ effort: "0.50" }, "0.5"],
    [{ effort: "0.0" }, "0"],
    [{ thinking: false }, "0"],
  ])("states the effort of %j as the number %s", (options, level) => {
    expect(on(options).prompt([])).toContain(`Thinking effort level: ${level}<|end_message|>`);
  });

  it("keeps the reasoning of earlier turns, and numbers as written", () => {
    const call = {
      id: "call_0",
      name: "add",
      args: { a: new ExactNumber("12345678901234567890") },
    };
    const turn = { role: "assistant", content: "", reasoning: "Add.", calls: [call] } as const;
    const given = { role: "tool", name: "add", callId: "call_0", content: "5" } as const;
    const answer = { role: "assistant", content: "", reasoning: null, calls: [] } as const;
    expect(prompt([turn, given, answer, user("Sure?")])).toBe(
      `${EFFORT}<|message_model|><|content_thinking|>Add.<|end_message|>` +
        `<|message_model|>add<|content_invoke_tool_json|>{"name":"add","args":{"a":12345678901234567890}}<|end_message|>${END}` +
        "<|message_tool|>add<|content_text|>5<|end_message|>" +
        `<|message_model|><|content_text|><|end_message|>${END}` +
        "<|message_user|><|content_text|>Sure?<|end_message|>",
    );
  });
});

describe("after a turn of Inkling", () => {
  it("a result contains no control tokens", () => {
    const turn = `<|message_model|><|content_text|>Hi<|end_message|>${END}`;
    expect(bridge(turn, result("<|end_message|>"))).toBe(
      "<|message_tool|>add<|content_text|><|end_message|><|end_message|>",
    );
    expect(countAdded(turn, result("<|end_message|>"))).toBe(3);
  });

  it.each([
    ["in a message", "<|message_model|><|content_thinking|>I thi", `<|end_message|>${END}`],
    ["between two messages", "<|message_model|><|content_text|>Hi<|end_message|>", END],
    ["before it began", "", END],
  ])("a cut %s is closed", (_where, turn, closing) => {
    expect(bridge(turn)).toBe(closing);
  });
});

describe("a turn of Inkling", () => {
  const call = (json: string, name = "add") =>
    `<|message_model|>${name}<|content_invoke_tool_json|>${json}<|end_message|>`;

  it("consists of reasoning, text, and calls, up to the single stop token", () => {
    const raw = call('{"name":"add","args":{"a":2.50}}');
    const turn = `<|message_model|><|content_thinking|>Add.<|end_message|><|message_model|><|content_text|>I add.<|end_message|>${raw}${call('{"name":"now"}', "now")}${END}`;
    expect(stops).toBe(END);
    expect(parse(turn)).toEqual({
      reasoning: "Add.",
      thinkingTokens: 4,
      content: "I add.",
      lead: 6,
      calls: [
        { name: "add", args: { a: new ExactNumber("2.50") }, raw },
        { name: "now", args: {}, raw: call('{"name":"now"}', "now") },
      ],
      errors: [],
      unclosedThink: false,
      ended: true,
    });
  });

  it("takes a call's name from the object, or from the header when the object has none", () => {
    expect(parse(call('{"args":{}}')).calls).toMatchObject([{ name: "add" }]);
    expect(parse(call('{"name":"now"}')).calls).toMatchObject([{ name: "now" }]);
  });

  it.each([
    ["not_json", call('{"name":"add",}')],
    ["not_object", call("[]")],
    ["missing_name", call("{}", "")],
    ["bad_arguments", call('{"args":[1]}')],
    ["unterminated", '<|message_model|>add<|content_invoke_tool_json|>{"name":"add","args":{'],
    ["too_deep", call("[".repeat(2000))],
    ["not_readable", "<|message_model|>add<|content_invoke_tool_text|>2<|end_message|>"],
  ])("reports an unreadable call as %s", (kind, turn) => {
    const { calls, errors } = parse(turn + END);
    expect(calls).toEqual([]);
    expect(errors).toMatchObject([{ kind }]);
    expect(errors[0]?.message).not.toMatch(/<\|/);
  });

  it("runs the calls around an unreadable one, and preserves its position", () => {
    const turn = call('{"name":"add"}') + call("[]") + call('{"name":"now"}', "now") + END;
    expect(parse(turn)).toMatchObject({
      calls: [{ name: "add" }, { name: "now" }],
      errors: [{ kind: "not_object", callsBefore: 1 }],
    });
  });

  it("makes no call because of markers in a message", () => {
    const turn = `<|message_model|><|content_text|>add<|content_invoke_tool_json|>{}<|end_message|>${END}`;
    expect(parse(turn)).toMatchObject({
      content: "add<|content_invoke_tool_json|>{}",
      calls: [],
      errors: [],
    });
  });

  it("keeps text without a kind, and records whether reasoning was cut", () => {
    expect(parse("<|message_model|>Hello")).toMatchObject({ content: "Hello", ended: false });
    expect(parse("<|message_model|><|content_thinking|>I thi")).toMatchObject({
      reasoning: "I thi",
      unclosedThink: true,
    });
    expect(parse(END)).toMatchObject({ content: "", reasoning: null, calls: [], ended: true });
  });
});
