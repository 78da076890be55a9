import { describe, expect, it } from "vitest";
import {
  nemotron3Nano,
  nemotron3Super,
  nemotron3Ultra,
} from "../../../../src/core/chat/families/nemotron3.ts";
import type { FormatOptions } from "../../../../src/core/chat/format.ts";
import type { ToolDeclaration } from "../../../../src/core/chat/renderer.ts";
import { formatOnBytes, OPTIONS, result, user } from "./formatOnBytes.ts";

const ADDED = [
  ...["<|im_start|>", "<|im_end|>", "<think>", "</think>"],
  ...["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
];
const OPENING = "<|im_start|>assistant\n<think>\n";
const CALL =
  "<tool_call>\n<function=add>\n<parameter=a>\n2\n</parameter>\n</function>\n</tool_call>";

function nano(options: Partial<FormatOptions> = {}) {
  return formatOnBytes(nemotron3Nano({ ...OPTIONS, ...options }), ADDED);
}

describe("a prompt of Nemotron 3", () => {
  it("begins with a system turn, even without a system text", () => {
    expect(nano().prompt([user(" Hi ")])).toBe(
      `<|im_start|>system\n<|im_end|>\n<|im_start|>user\n Hi <|im_end|>\n${OPENING}`,
    );
    expect(nano({ thinking: false }).prompt([user("Hi")])).toMatch(
      /<\|im_start\|>assistant\n<think><\/think>$/,
    );
  });

  it("declares tools as XML, with non-string values as Python writes them", () => {
    const tool: ToolDeclaration = {
      type: "function",
      function: {
        name: "book",
        description: " Books. ",
        parameters: {
          type: "object",
          properties: {
            room: { type: ["string", "null"], description: "Room", default: null },
            kind: { enum: ["später"], items: { nested: true }, vip: false },
          },
          required: ["room"],
        },
      },
    };
    const text = nano().prompt([{ role: "system", content: "Be kind." }, user("Book.")], [tool]);
    expect(text).toContain(
      "<|im_start|>system\nBe kind.\n\n# Tools\n\nYou have access to the following functions:\n\n<tools>" +
        "\n<function>\n<name>book</name>\n<description>Books.</description>\n<parameters>" +
        "\n<parameter>\n<name>room</name>\n<type>['string', 'null']</type>\n<description>Room</description>\n<default>None</default>\n</parameter>" +
        '\n<parameter>\n<name>kind</name>\n<enum>["später"]</enum>\n<items>{"nested": true}</items>\n<vip>False</vip>\n</parameter>' +
        '\n<required>["room"]</required>\n</parameters>\n</function>\n</tools>\n\nIf you choose to call',
    );
  });

  it.each([
    ["Nano", nemotron3Nano, "</think>\nBecause.", "<think>\nI know.\n</think>\nBecause."],
    ["Ultra", nemotron3Ultra, "</think>Because.", "<think>\nI know.</think>Because."],
  ])(
    "drops the reasoning of %s before the last message of the user",
    (_name, create, dropped, kept) => {
      const conversation = [
        user("Why?"),
        { role: "assistant", content: "Because.", reasoning: "I know.", calls: [] } as const,
        user("Really?"),
      ];
      const show = (retention: FormatOptions["retention"]): string =>
        formatOnBytes(create({ ...OPTIONS, retention }), ADDED).prompt(conversation);
      expect(show("template")).toContain(
        `<|im_start|>assistant\n<think>${dropped}<|im_end|>\n<|im_start|>user`,
      );
      expect(show("all")).toContain(`<|im_start|>assistant\n${kept}<|im_end|>`);
    },
  );

  it("shows an earlier call and its result", () => {
    const text = nano().prompt([
      user("Add."),
      {
        role: "assistant",
        content: "I add.",
        reasoning: "Easy.",
        calls: [{ id: "0", name: "add", args: { a: 2 } }],
      },
      { role: "tool", name: "add", callId: "0", content: " 5\n" },
    ]);
    expect(text).toContain(
      `<think>\nEasy.\n</think>\nI add.\n${CALL}\n<|im_end|>\n` +
        `<|im_start|>user\n<tool_response>\n 5\n\n</tool_response>\n<|im_end|>\n${OPENING}`,
    );
  });

  it("states the effort after the last user message", () => {
    const low = formatOnBytes(nemotron3Super({ ...OPTIONS, effort: "low" }), ADDED);
    const turn = { role: "assistant", content: "Hello.", reasoning: null, calls: [] } as const;
    expect(low.prompt([user("Hi"), turn, user("Why?")])).toMatch(
      /user\nHi<\|im_end\|>.*user\nWhy\?\n\n\{reasoning effort: low\}<\|im_end\|>/s,
    );
    const medium = formatOnBytes(nemotron3Ultra({ ...OPTIONS, effort: "medium" }), ADDED);
    expect(medium.prompt([user("Hi")])).toContain("Hi\n\n{reasoning effort: efficient}");
    const off = formatOnBytes(
      nemotron3Super({ ...OPTIONS, thinking: false, effort: "low" }),
      ADDED,
    );
    expect(off.prompt([user("Hi")])).not.toContain("effort");
  });
});

describe("a turn of Nemotron 3", () => {
  it("has reasoning up to its closing marker, then text and calls typed by the schema", () => {
    expect(nano().parse(`Easy.\n</think>\n\nI add.\n${CALL}\n<|im_end|>`)).toMatchObject({
      reasoning: "Easy.",
      content: "I add.",
      calls: [{ name: "add", args: { a: 2 }, raw: CALL }],
      errors: [],
      ended: true,
    });
    expect(nano().parse(`Perhaps ${CALL}<|im_end|>`)).toMatchObject({
      calls: [],
      unclosedThink: true,
    });
  });

  it("with an unreadable call is reported without control tokens", () => {
    const { errors } = nano().parse("</think><tool_call>\n{}\n</tool_call><|im_end|>");
    expect(errors).toMatchObject([{ kind: "not_readable" }]);
    for (const token of ADDED) expect(errors[0]?.message).not.toContain(token);
  });

  it("calls nothing with a blank name", () => {
    const turn = `</think>${CALL.replace("=add>", "= >")}<|im_end|>`;
    expect(nano().parse(turn)).toMatchObject({ calls: [], errors: [{ kind: "missing_name" }] });
  });
});

describe("after a turn of Nemotron 3", () => {
  it("results share a user turn, and a message has its own", () => {
    const next = nano().bridge(
      `Easy.</think>${CALL}<|im_end|>`,
      ...[result("5"), result("6"), { role: "user", content: "Say it." } as const],
    );
    expect(next).toBe(
      "\n<|im_start|>user\n<tool_response>\n5\n</tool_response>\n<tool_response>\n6\n</tool_response>\n<|im_end|>\n" +
        `<|im_start|>user\nSay it.<|im_end|>\n${OPENING}`,
    );
  });

  it("a cut turn is closed, open reasoning first", () => {
    const next = `\n<|im_start|>user\nGo on.<|im_end|>\n${OPENING}`;
    const goOn = { role: "user", content: "Go on." } as const;
    expect(nano().bridge("Easy.</think>It is", goOn)).toBe(`<|im_end|>${next}`);
    expect(nano().bridge("Eas", goOn)).toBe(`</think><|im_end|>${next}`);
    expect(nano({ thinking: false }).bridge("It", goOn)).toMatch(/^<\|im_end\|>\n/);
  });
});
