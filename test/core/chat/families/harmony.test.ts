import { describe, expect, it } from "vitest";
import { createControlTokens } from "../../../../src/core/chat/controlTokens.ts";
import { gptOss } from "../../../../src/core/chat/families/harmony.ts";
import type { FormatOptions } from "../../../../src/core/chat/format.ts";
import { createNativeRenderer } from "../../../../src/core/chat/nativeRenderer.ts";
import type { AssistantMessage, ToolDeclaration } from "../../../../src/core/chat/renderer.ts";
import { type ExactJsonObject, ExactNumber } from "../../../../src/core/util/exactJson.ts";
import { GPT_OSS_TOKENS } from "../../../fixtures/controlTokens.ts";
import { byteTokenizer } from "../byteTokenizer.ts";
import { OPTIONS } from "./formatOnBytes.ts";

const tokenizer = byteTokenizer(GPT_OSS_TOKENS);

const sampled = createControlTokens(tokenizer).encode;

function renderer(options: Partial<FormatOptions> = {}) {
  return createNativeRenderer(gptOss({ ...OPTIONS, ...options }), tokenizer);
}

function tool(parameters: ExactJsonObject, description = "Adds.\nTwo numbers."): ToolDeclaration {
  return { type: "function", function: { name: "add", description, parameters } };
}

const number = { type: "number" };
const ADD = tool({ type: "object", properties: { a: number, b: number }, required: ["a"] });

const SYSTEM = `<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.
Knowledge cutoff: 2024-06
Current date: 2026-01-02

Reasoning: medium

# Valid channels: analysis, commentary, final. Channel must be included for every message.`;

describe("a prompt of gpt-oss", () => {
  it("has the system text in a developer message, with the tools as TypeScript", () => {
    const messages = [
      { role: "system", content: "You add." },
      { role: "user", content: "2 + 3" },
    ] as const;
    expect(tokenizer.decode(renderer().renderInitial(messages, [ADD]))).toBe(
      `${SYSTEM}
Calls to these tools must go to the commentary channel: 'functions'.<|end|><|start|>developer<|message|># Instructions

You add.

# Tools

## functions

namespace functions {

// Adds.
// Two numbers.
type add = (_: {
a: number,
b?: number,
}) => any;

} // namespace functions<|end|><|start|>user<|message|>2 + 3<|end|><|start|>assistant`,
    );
  });

  it("includes the given effort and date, but not without its preamble", () => {
    const prompt = (options: Partial<FormatOptions>) =>
      tokenizer.decode(renderer(options).renderInitial([{ role: "user", content: "Hi" }], []));
    const prompted = prompt({ effort: "high", date: "2027-03-04" });
    expect(prompted).toContain("Current date: 2027-03-04\n\nReasoning: high\n");
    expect(prompt({ isBare: true })).toBe("<|start|>user<|message|>Hi<|end|><|start|>assistant");
  });

  it("drops reasoning before the last answer, and none with retention: all", () => {
    const turn = (reasoning: string, isCall: boolean): AssistantMessage => ({
      role: "assistant",
      content: "",
      reasoning,
      calls: isCall ? [{ id: "call_0", name: "add", args: { a: new ExactNumber("1.0") } }] : [],
    });
    const messages = [
      ...[{ role: "user", content: "q" } as const, turn("Old.", true), turn("Older.", false)],
      ...[{ role: "user", content: "q" } as const, turn("New.", true)],
      { role: "tool", name: "add", callId: "call_0", content: "5" } as const,
    ];
    const prompt = (retention: FormatOptions["retention"]) =>
      tokenizer.decode(renderer({ retention, isBare: true }).renderInitial(messages, []));
    expect(prompt("template")).toBe(
      "<|start|>user<|message|>q<|end|>" +
        '<|start|>assistant to=functions.add<|channel|>commentary <|constrain|>json<|message|>{"a": 1.0}<|call|>' +
        "<|start|>assistant<|channel|>final<|message|><|end|>" +
        "<|start|>user<|message|>q<|end|>" +
        "<|start|>assistant<|channel|>analysis<|message|>New.<|end|>" +
        '<|start|>assistant to=functions.add<|channel|>commentary <|constrain|>json<|message|>{"a": 1.0}<|call|>' +
        "<|start|>functions.add to=assistant<|channel|>commentary<|message|>5<|end|><|start|>assistant",
    );
    expect(prompt("all").match(/analysis<\|message\|>\w+/g)).toHaveLength(3);
  });
});

describe("tools as TypeScript", () => {
  const declared = (properties: ExactJsonObject, required: string[] = []): string => {
    const parameters = { type: "object", properties, required };
    const prompt = tokenizer.decode(
      renderer({ isBare: true }).renderInitial([], [tool(parameters, "")]),
    );
    return prompt.slice(prompt.indexOf("(_: "), prompt.indexOf(" => any"));
  };

  it("have their types, defaults, and choices", () => {
    const properties = {
      id: { type: "integer", description: "Its id", title: "Id" },
      kind: { type: "string", enum: ["a", "b"], default: "a" },
      text: { type: "string", default: "x", nullable: true, examples: ["one", "two"] },
      both: { type: ["integer", "null"] },
      list: { type: "array", items: { type: "boolean" }, default: [true] },
      any: { anyOf: [{ type: "string" }] },
      bare: { type: "array" },
    };
    expect(declared(properties, ["id"])).toBe(
      `(_: {
// Id
//
// Its id
id: number,
kind?: "a" | "b", // default: a
// Examples:
// - "one"
// - "two"
text?: string | null, // default: "x"
both?: number | null,
list?: boolean[], // default: [true]
any?: any,
bare?: Array<any>,
})`,
    );
  });

  it("expand nested objects, and put alternatives on separate lines", () => {
    const where = {
      description: "Where",
      oneOf: [
        { type: "string", description: "A name" },
        { type: "integer", description: "An id", default: 1 },
      ],
      default: "here",
    };
    const box = { type: "object", description: "A box", properties: { x: number } };
    expect(declared({ where, box })).toBe(
      `(_: {
// Where
// default: "here"
where?:
 | string
 | number // An id default: 1
,
// A box
box?:     // A box
{
    x?: number,
    },
})`,
    );
  });
});

describe("after a turn of gpt-oss", () => {
  const bridge = (turn: string) => {
    const { closing, delta } = renderer().bridge(sampled(turn), [
      { role: "tool", name: "add", callId: "call_0", content: "5<|end|>" },
      { role: "user", content: "Go on" },
    ]);
    return { closing: tokenizer.decode(closing), delta };
  };

  it("results come from the function and contain no control tokens", () => {
    const { closing, delta } = bridge(
      "<|channel|>commentary to=functions.add<|message|>{}<|call|>",
    );
    expect(closing).toBe("");
    expect(tokenizer.decode(delta)).toBe(
      "<|start|>functions.add to=assistant<|channel|>commentary<|message|>5<|end|><|end|><|start|>user<|message|>Go on<|end|><|start|>assistant",
    );
    expect(delta.filter((id) => id === sampled("<|end|>")[0])).toHaveLength(2);
  });

  it.each([
    ["in a message", "<|channel|>analysis<|message|>I thi", "<|end|>"],
    ["in a header", "<|channel|>comm", "<|end|>"],
    ["between two messages", "<|channel|>analysis<|message|>So.<|end|>", ""],
  ])("a cut %s is closed", (_where, turn, closing) => {
    expect(bridge(turn).closing).toBe(closing);
  });
});

describe("a turn of gpt-oss", () => {
  const parse = (text: string, tools: readonly ToolDeclaration[] = []) =>
    renderer().parse(sampled(text), tools);

  it("consists of reasoning, text, and a call", () => {
    const call =
      '<|start|>assistant<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 12345678901234567890}<|call|>';
    const turn = `<|channel|>analysis<|message|>Add.<|end|><|start|>assistant<|channel|>commentary<|message|>I add.<|end|>${call}`;
    expect(parse(turn)).toEqual({
      reasoning: "Add.",
      thinkingTokens: 4,
      content: "I add.",
      lead: 6,
      calls: [{ name: "add", args: { a: new ExactNumber("12345678901234567890") }, raw: call }],
      errors: [],
      unclosedThink: false,
      ended: true,
    });
  });

  it.each([
    [
      "behind the role",
      " to=functions.add<|channel|>commentary <|constrain|>json<|message|>{}<|call|>",
    ],
    [
      "behind the channel",
      "<|channel|>commentary to=functions.add<|constrain|>json<|message|>{}<|call|>",
    ],
    ["in the analysis channel", "<|channel|>analysis to=functions.add code<|message|>{}<|call|>"],
    [
      "in a message that ends like any other",
      "<|channel|>commentary to=functions.add<|message|>{}<|end|>",
    ],
    [
      "in a complete message without its end",
      "<|channel|>commentary to=functions.add<|message|>{}",
    ],
  ])("calls a function named %s", (_where, turn) => {
    expect(parse(turn)).toMatchObject({
      calls: [{ name: "add", args: {} }],
      errors: [],
      content: "",
    });
  });

  it.each([
    ["another recipient", "<|channel|>commentary to=add<|message|>{}<|call|>"],
    ["words in a message", "<|channel|>final<|message|>to=functions.add {}<|return|>"],
    [
      "control tokens in a message",
      "<|channel|>final<|message|><|channel|>commentary to=functions.add<|message|>{}<|return|>",
    ],
  ])("makes no call because of %s", (_what, turn) => {
    expect(parse(turn)).toMatchObject({ calls: [], errors: [], ended: true });
  });

  it.each([
    ["a declared tool", "<|channel|>commentary to=add <|constrain|>json"],
    ["a declared tool behind the role", " to=add<|channel|>commentary"],
    ["a function behind the type", "<|channel|>commentary <|constrain|>json to=functions.add"],
    ["a declared tool behind the type", "<|channel|>commentary<|constrain|>to=add"],
  ])("calls %s", (_what, header) => {
    const { calls, errors } = parse(`${header}<|message|>{"a": 1}<|call|>`, [ADD]);
    expect({ calls, errors }).toMatchObject({
      calls: [{ name: "add", args: { a: 1 } }],
      errors: [],
    });
  });

  it("may call a tool with spaces in its name, and a type is not taken as part of a name", () => {
    const named = (name: string): ToolDeclaration => ({
      ...ADD,
      function: { ...ADD.function, name },
    });
    const tools = [named("get"), named("get the weather"), named("get the")];
    const nameIn = (header: string) =>
      parse(`${header}<|message|>{}<|call|>`, tools).calls.map(({ name }) => name);
    expect(nameIn(" to=functions.get the weather<|channel|>commentary")).toEqual([
      "get the weather",
    ]);
    expect(nameIn("<|channel|>commentary to=get the weather json")).toEqual(["get the weather"]);
    expect(nameIn("<|channel|>commentary to=functions.get json")).toEqual(["get"]);
    expect(nameIn("<|channel|>commentary to=functions.other json")).toEqual(["other"]);
  });

  it.each([
    ["another recipient", "<|channel|>commentary to=function.add <|constrain|>json"],
    ["a recipient that is no tool", " to=python<|channel|>analysis code"],
    ["no recipient", "<|channel|>commentary <|constrain|>json"],
  ])("reports a message to %s that ends like a call", (_what, header) => {
    const turn = `${header}<|message|>{"a": 1}<|call|>`;
    const { calls, errors, content } = parse(turn, [ADD]);
    expect({ calls, errors, content }).toMatchObject({
      calls: [],
      errors: [{ kind: "missing_name", raw: turn }],
      content: "",
    });
    expect(errors[0]?.message).toContain("functions.NAME");
    expect(parse(turn.replace("<|call|>", "<|return|>"), [ADD]).errors).toEqual([]);
  });

  it("treats a message without recipient and type as text, even if it ends like a call", () => {
    expect(parse("<|channel|>commentary<|message|>I add.<|call|>", [ADD])).toMatchObject({
      content: "I add.",
      calls: [],
      errors: [],
    });
    expect(parse("<|channel|>analysis<|message|>I add.<|call|>", [ADD])).toMatchObject({
      reasoning: "I add.",
      calls: [],
      errors: [],
    });
  });

  it.each([
    ["not_json", '<|message|>{"a": 1,}<|call|>'],
    ["not_json", "<|message|><|call|>"],
    ["bad_arguments", "<|message|>[1]<|call|>"],
    ["unterminated", '<|message|>{"a": '],
    ["unterminated", ""],
    ["too_deep", `<|message|>${"[".repeat(2000)}<|call|>`],
  ])("reports an unreadable call as %s", (kind, rest) => {
    const { calls, errors } = parse(`<|channel|>commentary to=functions.add${rest}`);
    expect(calls).toEqual([]);
    expect(errors).toMatchObject([{ kind }]);
    expect(errors[0]?.message).not.toMatch(/<\|/);
  });

  it("keeps text without a header, and may be empty", () => {
    expect(parse("Hello<|return|>")).toMatchObject({ content: "Hello", calls: [], errors: [] });
    expect(parse("<|return|>")).toMatchObject({ content: "", reasoning: null, ended: true });
    expect(parse("")).toMatchObject({ content: "", reasoning: null, ended: false });
  });

  it("records whether reasoning was cut", () => {
    expect(parse("<|channel|>analysis<|message|>I thi")).toMatchObject({
      reasoning: "I thi",
      unclosedThink: true,
      ended: false,
    });
  });
});
