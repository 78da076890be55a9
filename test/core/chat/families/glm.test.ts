import { describe, expect, it } from "vitest";
import { glm53, glm53Flash } from "../../../../src/core/chat/families/glm.ts";
import type { InitialMessage } from "../../../../src/core/chat/renderer.ts";
import { ADD, OPTIONS as DEFAULTS, formatOnBytes, result, user } from "./formatOnBytes.ts";

const ADDED = [
  ...["[gMASK]", "<sop>", "<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>"],
  ...["<|observation|>", "<think>", "</think>", "<tool_call>", "</tool_call>"],
  ...["<tool_response>", "</tool_response>", "<arg_key>", "</arg_key>"],
  ...["<arg_value>", "</arg_value>"],
];
const OPTIONS = { ...DEFAULTS, retention: "all" } as const;
const { prompt, parse, bridge, stops } = formatOnBytes(glm53(OPTIONS), ADDED);
const START = "[gMASK]<sop><|system|>Reasoning Effort: Max";
const OPENING = "<|assistant|><think>";
const CALL = "<tool_call>add<arg_key>a</arg_key><arg_value>2</arg_value></tool_call>";

describe("a prompt of GLM 5.3", () => {
  it("states the effort, then the messages, with nothing between the turns", () => {
    expect(prompt([{ role: "system", content: "Be brief.\n" }, user(" Hi ")])).toBe(
      `${START}<|system|>Be brief.\n<|user|> Hi ${OPENING}`,
    );
    const low = formatOnBytes(glm53Flash({ ...OPTIONS, effort: "low" }), ADDED);
    expect(low.prompt([])).toBe(`${START.replace("Max", "Low")}${OPENING}`);
  });

  it("declares a tool as JSON in its original key order", () => {
    expect(prompt([user("Add.")], [ADD])).toContain(
      '<tools>\n{"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}}\n</tools>\n',
    );
  });

  const calls = [
    { id: "first", name: "add", args: { a: 2, text: "3", list: [1, null] } },
    { id: "second", name: "now", args: {} },
  ];
  const conversation: readonly InitialMessage[] = [
    user("Go."),
    { role: "assistant", content: " Two calls. ", reasoning: "Hm.", calls },
    { role: "tool", name: "now", callId: "second", content: "12:00" },
    { role: "tool", name: "add", callId: "first", content: "5\n" },
  ];
  const TURN =
    "</think>Two calls.<tool_call>add<arg_key>a</arg_key><arg_value>2</arg_value><arg_key>text</arg_key><arg_value>3</arg_value><arg_key>list</arg_key><arg_value>[1, null]</arg_value></tool_call><tool_call>now</tool_call>" +
    "<|observation|><tool_response>5\n</tool_response><tool_response>12:00</tool_response>";

  it("shows results in the order of their calls under one role token", () => {
    expect(prompt(conversation)).toBe(`${START}<|user|>Go.${OPENING}Hm.${TURN}${OPENING}`);
  });

  it("drops reasoning before the last user message if configured", () => {
    const pruning = formatOnBytes(glm53({ ...OPTIONS, retention: "template" }), ADDED);
    expect(pruning.prompt(conversation)).toContain(`${OPENING}Hm.${TURN}`);
    expect(pruning.prompt([...conversation, user("On.")])).toContain(
      `${OPENING}${TURN}<|user|>On.${OPENING}`,
    );
  });
});

describe("a turn of GLM 5.3", () => {
  it("begins inside the reasoning and ends with the role token of the next message", () => {
    expect(stops).toBe("<|user|><|observation|><|endoftext|>");
    expect(parse("Hm.</think>Five.<|user|>")).toMatchObject({
      reasoning: "Hm.",
      content: "Five.",
      calls: [],
      ended: true,
    });
    expect(parse("Hm.</think>Fi")).toMatchObject({ content: "Fi", ended: false });
    expect(parse(`Hm. ${CALL}<|observation|>`)).toMatchObject({ calls: [], unclosedThink: true });
  });

  it("types arguments by the schema and keeps strings as written", () => {
    const text = { type: "string" };
    const { name, description } = ADD.function;
    const parameters = { type: "object", properties: { text } };
    const tool = { ...ADD, function: { name, description, parameters } };
    const turn = `</think><tool_call>add
<arg_key>text</arg_key>
<arg_value>
  42
</arg_value>
<arg_key>a</arg_key><arg_value>42</arg_value>
</tool_call><|observation|>`;
    expect(parse(turn, [tool]).calls).toMatchObject([
      { name: "add", args: { text: "\n  42\n", a: 42 } },
    ]);
  });

  it("keeps a closing tag inside a value that ends with another one", () => {
    const text = "a</arg_value> b</arg_value></tool";
    const turn = `</think><tool_call>add<arg_key>a</arg_key><arg_value>${text}</arg_value>`;
    expect(parse(`${turn}<arg_key>b</arg_key><arg_value>1</arg_value></tool_call>`)).toMatchObject({
      calls: [{ args: { a: text, b: 1 } }],
      errors: [],
    });
  });

  it("never lets an unclosed value swallow the next argument", () => {
    const open = "<tool_call>add<arg_key>b</arg_key><arg_value>1";
    const turn = `${open}\n<arg_key>a</arg_key><arg_value>2</arg_value></tool_call>`;
    expect(parse(`</think>${turn}<|observation|>`)).toMatchObject({
      calls: [],
      errors: [{ kind: "unclosed_argument", raw: turn }],
    });
  });

  it("may contain a call written as JSON", () => {
    const turn = '</think><tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>';
    expect(parse(turn)).toMatchObject({ calls: [{ name: "add", args: { a: 1 } }], errors: [] });
  });

  it.each([
    ["no name", CALL.replace("add", "")],
    ["a key without a value", CALL.replace(/<arg_value>.*<\/arg_value>/, "")],
    ["an open key", CALL.replace("</arg_key>", "")],
    ["an open value", CALL.replace("</arg_value>", "")],
    ["an empty key", CALL.replace(">a<", "><")],
    ["text between arguments", CALL.replace("<arg_value>", " and <arg_value>")],
    ["broken JSON", '<tool_call>{"name": "add"</tool_call>'],
  ])("reports a call with %s to the model without control tokens", (_what, broken) => {
    const { calls, errors } = parse(`</think>${broken}${CALL}<|observation|>`);
    expect(calls).toMatchObject([{ name: "add", args: { a: 2 } }]);
    expect(errors).toMatchObject([{ kind: "not_readable", raw: broken }]);
    expect(ADDED.filter((token) => errors[0]?.message.includes(token))).toEqual([]);
  });
});

describe("after a turn of GLM 5.3", () => {
  const five = `<tool_response>5</tool_response>`;

  it("the role token that the model sampled is not repeated", () => {
    expect(bridge(`</think>${CALL}<|observation|>`, result("5"))).toBe(`${five}${OPENING}`);
    expect(bridge("</think>Hi.<|user|>", { role: "user", content: "On." })).toBe(`On.${OPENING}`);
  });

  it("the right role token follows a wrong one", () => {
    const next = `<|observation|>${five}${five}<|user|>On.${OPENING}`;
    const followUps = [result("5"), result("5"), { role: "user", content: "On." }] as const;
    expect(bridge(`</think>${CALL}<|user|>`, ...followUps)).toBe(next);
    expect(bridge(`</think>${CALL}<|endoftext|>`, ...followUps)).toBe(next);
  });

  it("a cut turn continues with the role token, after closing cut reasoning", () => {
    const next = `<|user|>On.${OPENING}`;
    expect(bridge("</think>It is", { role: "user", content: "On." })).toBe(next);
    expect(bridge("I should thi", { role: "user", content: "On." })).toBe(
      `</think><|endoftext|>${next}`,
    );
  });
});
