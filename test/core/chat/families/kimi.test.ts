import { describe, expect, it } from "vitest";
import {
  kimiK2,
  kimiK2Thinking,
  kimiK25,
  kimiK26,
} from "../../../../src/core/chat/families/kimi.ts";
import { KIMI_TOKENS } from "../../../fixtures/controlTokens.ts";
import { ADD, formatOnBytes, OPTIONS, user } from "./formatOnBytes.ts";

const ALL = { ...OPTIONS, retention: "all" } as const;
const k2 = formatOnBytes(kimiK2(OPTIONS), KIMI_TOKENS);
const thinking = formatOnBytes(kimiK2Thinking(OPTIONS), KIMI_TOKENS);
const k25 = formatOnBytes(kimiK25(OPTIONS), KIMI_TOKENS);
const plain = formatOnBytes(kimiK25({ ...OPTIONS, thinking: false }), KIMI_TOKENS);
const k26 = formatOnBytes(kimiK26(ALL), KIMI_TOKENS);

const OPENING = "<|im_assistant|>assistant<|im_middle|>";
const HI = "<|im_user|>user<|im_middle|>Hi<|im_end|>";
const KIMI =
  "<|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|>";

function call(id: string, args: string): string {
  return `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
}

function section(...calls: readonly string[]): string {
  return `<|tool_calls_section_begin|>${calls.join("")}<|tool_calls_section_end|>`;
}

const CALLS = section(call("functions.add:0", '{"a": 2}'));

describe("a prompt of Kimi", () => {
  it("opens the reasoning, or an empty one, unless the model does so itself", () => {
    expect(thinking.prompt([user("Hi")])).toBe(`${KIMI}${HI}${OPENING}`);
    expect(k25.prompt([user("Hi")])).toBe(`${HI}${OPENING}<think>`);
    expect(plain.prompt([user("Hi")])).toBe(`${HI}${OPENING}<think></think>`);
    expect(k2.prompt([{ role: "system", content: "" }, user("Hi")])).toBe(
      `<|im_system|>system<|im_middle|><|im_end|>${HI}${OPENING}`,
    );
  });

  it("declares tools as compact JSON with sorted keys, or as TypeScript", () => {
    const declared = "<|im_system|>tool_declare<|im_middle|>";
    expect(thinking.prompt([user("Hi")], [ADD])).toBe(
      `${declared}[{"function":{"description":"Adds.","name":"add","parameters":{"properties":{"a":{"type":"number"}},"type":"object"}},"type":"function"}]<|im_end|>${KIMI}${HI}${OPENING}`,
    );
    expect(k25.prompt([user("Hi")], [ADD])).toBe(
      `${declared}# Tools\n\n## functions\nnamespace functions {\n// Adds.\ntype add = (_: {\n  a?: number\n}) => any;\n}\n<|im_end|>${HI}${OPENING}<think>`,
    );
  });

  const calling = {
    role: "assistant",
    content: "I add.",
    reasoning: "Use it.",
    calls: [{ id: "functions.add:7", name: "add", args: { a: 2 } }],
  } as const;
  const five = { role: "tool", name: "add", callId: "functions.add:7", content: "5" } as const;
  const answer = { role: "assistant", content: "Five.", reasoning: "So.", calls: [] } as const;
  const RESULT = "<|im_system|>add<|im_middle|>## Return of functions.add:7\n5<|im_end|>";
  const called = `I add.${section(call("functions.add:7", '{"a": 2}'))}<|im_end|>${RESULT}`;

  it("refers to a result's call by its id", () => {
    expect(k25.prompt([user("Hi"), calling, five])).toBe(
      `${HI}${OPENING}<think>Use it.</think>${called}${OPENING}<think>`,
    );
  });

  it("drops reasoning up to the last answer without a call, unless the run keeps all", () => {
    const conversation = [user("Hi"), calling, five, answer, user("Hi")];
    expect(k25.prompt(conversation)).toBe(
      `${HI}${OPENING}<think></think>${called}${OPENING}<think></think>Five.<|im_end|>${HI}${OPENING}<think>`,
    );
    expect(k26.prompt(conversation)).toBe(
      `${HI}${OPENING}<think>Use it.</think>${called}${OPENING}<think>So.</think>Five.<|im_end|>${HI}${OPENING}<think>`,
    );
  });

  it("follows the template of K2 Instruct, with a literal backslash-n and renumbered calls", () => {
    expect(k2.prompt([user("Hi"), calling, five])).toContain(
      `I add.${CALLS}<|im_end|><|im_system|>tool<|im_middle|>## Return of functions.add:7\\n5<|im_end|>`,
    );
  });
});

describe("a turn of Kimi", () => {
  it("opens its reasoning itself or starts inside it", () => {
    const read = { reasoning: "Hm.", content: "Five.", ended: true };
    expect(thinking.parse("<think>Hm.</think>Five.<|im_end|>")).toMatchObject(read);
    expect(k25.parse("Hm.</think>Five.<|im_end|>")).toMatchObject(read);
    expect(plain.parse("Five.<|im_end|>")).toMatchObject({ ...read, reasoning: null });
    expect(k25.stops).toBe("<|im_end|>");
  });

  it("gives each call the id that the model wrote, and keeps numbers exact", () => {
    const turn = `</think>I add.${section(
      call("functions.math.add:3", '{"a": 12345678901234567890}'),
      call("now", "{}"),
    )}<|im_end|>`;
    const { calls, content, errors } = k25.parse(turn);
    expect(content).toBe("I add.");
    expect(errors).toEqual([]);
    expect(calls).toMatchObject([
      {
        id: "functions.math.add:3",
        name: "math.add",
        args: { a: { text: "12345678901234567890" } },
      },
      { id: "now", name: "now", args: {} },
    ]);
  });

  it("counts the complete calls of a cut turn", () => {
    const turn = `</think>${CALLS.replace("<|tool_calls_section_end|>", "<|tool_call_begin|>fun")}`;
    expect(k25.parse(turn)).toMatchObject({
      calls: [{ id: "functions.add:0" }],
      errors: [{ kind: "unterminated", callsBefore: 1 }],
      ended: false,
    });
  });

  it.each([
    ["no arguments", call("functions.add:0", ""), "not_json", "functions.add:0"],
    ["a list", call("functions.add:0", "[1]"), "bad_arguments", "functions.add:0"],
    ["no name", call("functions.:0", "{}"), "missing_name", undefined],
    [
      "no marker",
      "<|tool_call_begin|>functions.add:0 {}<|tool_call_end|>",
      "not_readable",
      undefined,
    ],
  ])("reports a call with %s to the model without control tokens", (_what, broken, kind, id) => {
    const { calls, errors } = k25.parse(`</think>${section(broken, call("a:1", "{}"))}<|im_end|>`);
    expect(calls).toMatchObject([{ id: "a:1", name: "a" }]);
    expect(errors).toMatchObject([{ kind, raw: broken, callsBefore: 0 }]);
    expect(errors[0]?.id).toBe(id);
    expect(KIMI_TOKENS.filter((token) => errors[0]?.message.includes(token))).toEqual([]);
  });

  it("reads markers outside the section as text and skips what follows the section", () => {
    const bare = call("functions.add:0", "{}");
    expect(k25.parse(`</think>${bare}<|im_end|>`)).toMatchObject({ content: bare, calls: [] });
    expect(k25.parse(`</think>${CALLS}Done.${CALLS}<|im_end|>`)).toMatchObject({
      content: "",
      calls: [{ id: "functions.add:0" }],
      errors: [],
    });
  });
});

describe("after a turn of Kimi", () => {
  const result = (content: string) =>
    ({ role: "tool", name: "add", callId: "functions.add:0", content }) as const;
  const RESULT = "<|im_system|>add<|im_middle|>## Return of functions.add:0\n5<|im_end|>";

  it("a result carries the id of its call", () => {
    expect(k25.bridge(`</think>${CALLS}<|im_end|>`, result("5"))).toBe(
      `${RESULT}${OPENING}<think>`,
    );
    expect(plain.bridge(`${CALLS}<|im_end|>`, result("5"), { role: "user", content: "Hi" })).toBe(
      `${RESULT}${HI}${OPENING}<think></think>`,
    );
  });

  it("a cut turn is closed, including its reasoning", () => {
    const hi = { role: "user", content: "Hi" } as const;
    expect(thinking.bridge("<think></think>It is", hi)).toBe(`<|im_end|>${HI}${OPENING}`);
    expect(k25.bridge("I should thi", hi)).toBe(`</think><|im_end|>${HI}${OPENING}<think>`);
  });
});
