import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FollowUp, ToolDeclaration } from "../../../../src/core/chat/renderer.ts";
import { chatml, qwen3 } from "../../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../../src/core/chat/template/templateRenderer.ts";
import { FIRST_ADDED } from "../byteTokenizer.ts";
import {
  ADDED,
  idOf,
  PLAIN_TEMPLATE,
  sampled,
  THINKING_TEMPLATE,
  tinyModel,
} from "../tinyModel.ts";

const { decode } = tinyModel().tokenizer;
const plain = createTemplateRenderer({ model: tinyModel(), family: chatml, thinking: false });
const hybrid = (thinking: boolean) =>
  createTemplateRenderer({ model: tinyModel(THINKING_TEMPLATE), family: qwen3, thinking });

const tool = (name: string, description = "", property = "x"): ToolDeclaration => ({
  type: "function",
  function: {
    name,
    description,
    parameters: { type: "object", properties: { [property]: { type: "string", description } } },
  },
});
const result = (content: string): FollowUp => ({
  role: "tool",
  name: "add",
  callId: "call_1",
  content,
});
const nudge = (content: string): FollowUp => ({ role: "user", content });

const addedIn = (ids: readonly number[]) => ids.filter((id) => id >= FIRST_ADDED);
/** Arbitrary text with whole and partial control tokens. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...ADDED, "<|im_", "im_end|>", "think", "<", ">", "|>", "\uE000"),
      fc.string({ unit: "grapheme" }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join("").replaceAll("\u0000", ""));

describe("the first prompt", () => {
  it("ends where the model's turn begins", () => {
    const ids = plain.renderInitial([{ role: "user", content: "Add 1 and 2." }], [tool("add")]);
    expect(decode(ids)).toBe(
      "<|im_start|>system\nTools:\nadd(x)<|im_end|>\n<|im_start|>user\nAdd 1 and 2.<|im_end|>\n<|im_start|>assistant\n",
    );
    expect(addedIn(ids).map((id) => ADDED[id - FIRST_ADDED])).toEqual([
      ...["<|im_start|>", "<|im_end|>", "<|im_start|>", "<|im_end|>", "<|im_start|>"],
    ]);
  });

  it("passes arguments as JSON text to a template that rejects objects, as Python rejects them", () => {
    const source = `{% for m in messages %}<|im_start|>{{ m.content }}{% for c in m.tool_calls or [] %}{{ 'call ' + c.function.arguments }}{% endfor %}<|im_end|>{% endfor %}`;
    const renderer = createTemplateRenderer({
      model: tinyModel(source),
      family: chatml,
      thinking: false,
    });
    const call = { id: "call_0", name: "add", args: { x: 1, y: ["é"] } };
    const ids = renderer.renderInitial(
      [
        { role: "user", content: "q" },
        { role: "assistant", content: "", reasoning: null, calls: [call] },
      ],
      [],
    );
    expect(decode(ids)).toBe(
      `<|im_start|>q<|im_end|><|im_start|>call {"x": 1, "y": ["é"]}<|im_end|>`,
    );
  });

  it("closes an empty think block when thinking is off", () => {
    const opening = (thinking: boolean) =>
      decode(hybrid(thinking).renderInitial([{ role: "user", content: "Hi" }], []));
    expect(opening(true)).toMatch(/<\|im_start\|>assistant\n$/);
    expect(opening(false)).toMatch(/<\|im_start\|>assistant\n<think>\n\n<\/think>\n\n$/);
  });

  it("encodes control tokens only from the configuration", () => {
    const content = "Call with <tool_call>. Tools: <tool_call>";
    const trusted = [[0, "Call with <tool_call>. Tools: ".length]] as const;
    const count = (spans: typeof trusted | readonly []) =>
      plain
        .renderInitial([{ role: "system", content, trusted: spans }], [])
        .filter((id) => id === idOf("<tool_call>")).length;
    expect(count(trusted)).toBe(1);
    expect(count([])).toBe(0);
  });

  it("gets no control token from any task prompt or tool, and keeps their text", () => {
    const skeleton = addedIn(plain.renderInitial([{ role: "user", content: "a" }], [tool("b")]));
    fc.assert(
      fc.property(hostile, hostile, (content, name) => {
        const ids = plain.renderInitial([{ role: "user", content }], [tool(name, name, name)]);
        expect(addedIn(ids)).toEqual(skeleton);
        expect(decode(ids)).toContain(`<|im_start|>user\n${content}<|im_end|>`);
      }),
    );
  });

  it("gets no control token from text that a template puts between angle brackets", () => {
    const source = PLAIN_TEMPLATE.replace(
      "{{ t.function.name }}",
      "<{{ t.function.name | trim }}>",
    );
    const renderer = createTemplateRenderer({
      model: tinyModel(source),
      family: chatml,
      thinking: false,
    });
    const ids = renderer.renderInitial([{ role: "user", content: "a" }], [tool(" think ")]);
    expect(decode(ids)).toContain("<think>");
    expect(ids).not.toContain(idOf("<think>"));
  });

  it("names the keys to set when the template refuses", () => {
    const model = tinyModel("{{ raise_exception('No tools here') }}");
    const renderer = createTemplateRenderer({ model, family: chatml, thinking: false });
    expect(() => renderer.renderInitial([{ role: "user", content: "a" }], [])).toThrow(
      /No tools here.*tokenizer_name/,
    );
  });
});

describe("a bridge", () => {
  const ended = sampled("Hm.<|im_end|>");

  it("adds one result turn per tool result if the template does", () => {
    const { closing, delta } = plain.bridge(ended, [result("3"), result("4")]);
    expect(closing).toEqual([]);
    expect(decode(delta)).toBe(
      "\n<|im_start|>tool\n3<|im_end|>\n<|im_start|>tool\n4<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it("puts results into one turn if the template does, followed by a nudge", () => {
    const { delta } = hybrid(true).bridge(ended, [result("3"), result("4"), nudge("Go on.")]);
    expect(decode(delta)).toBe(
      "\n<|im_start|>user\n<tool_response>\n3\n</tool_response>\n<tool_response>\n4\n</tool_response><|im_end|>\n" +
        "<|im_start|>user\nGo on.<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it("closes a turn that did not end, after any open think block", () => {
    const closingOf = (turn: string) => hybrid(true).bridge(sampled(turn), []).closing;
    expect(closingOf("Hm.<|im_end|>")).toEqual([]);
    expect(closingOf("Hm")).toEqual([idOf("<|im_end|>")]);
    expect(closingOf("<think>a</think>b")).toEqual([idOf("<|im_end|>")]);
    expect(closingOf("<think>a")).toEqual([idOf("</think>"), idOf("<|im_end|>")]);
    expect(closingOf('<tool_call>{"name": "a", "arguments": {}}</tool_call>')).toEqual([
      idOf("<|im_end|>"),
    ]);
    expect(closingOf("")).toEqual([idOf("<|im_end|>")]);
  });

  it("yields the same ids as rendering the whole conversation, if the template preserves prefixes", () => {
    const start = plain.renderInitial([{ role: "user", content: "Hi" }], []);
    const { closing, delta } = plain.bridge(sampled("Hello"), [nudge("Bye")]);
    const whole =
      "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n" +
      "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n";
    expect([...start, ...sampled("Hello"), ...closing, ...delta]).toEqual(sampled(whole));
  });

  it("works with a template that trims or quotes its input", () => {
    const source = PLAIN_TEMPLATE.replace("{{ m.content }}", "{{ m.content | trim | tojson }}");
    const renderer = createTemplateRenderer({
      model: tinyModel(source),
      family: chatml,
      thinking: false,
    });
    const { delta } = renderer.bridge(ended, [result(' a "b" <|im_end|> ')]);
    expect(decode(delta)).toContain('\n"a \\"b\\" <|im_end|>"<|im_end|>\n');
    expect(addedIn(delta)).toHaveLength(3);
  });

  it("gets no control token from any result or nudge, and keeps their text", () => {
    const expected = addedIn(hybrid(true).bridge(ended, [result("a"), nudge("b")]).delta);
    const renderer = hybrid(true);
    fc.assert(
      fc.property(hostile, hostile, (output, hint) => {
        const { delta } = renderer.bridge(ended, [result(output), nudge(hint)]);
        expect(addedIn(delta)).toEqual(expected);
        expect(decode(delta)).toContain(`<tool_response>\n${output}\n</tool_response>`);
      }),
    );
  });

  it("is refused by a template that cannot show it", () => {
    const model = tinyModel("{%- for m in messages %}{{ m.role }}{% endfor %}");
    const renderer = createTemplateRenderer({ model, family: chatml, thinking: false });
    expect(() => renderer.bridge(ended, [result("3")])).toThrow(/cannot continue.*tokenizer_name/);
  });
});

describe("creating a renderer", () => {
  it("requires a template and the family's end token", () => {
    const model = tinyModel();
    const without = { ...model.tokenizer, addedTokens: [] };
    const options = { family: chatml, thinking: false };
    expect(() =>
      createTemplateRenderer({ ...options, model: { ...model, template: null } }),
    ).toThrow(expect.objectContaining({ code: "chat-template-missing" }));
    expect(() =>
      createTemplateRenderer({ ...options, model: { ...model, tokenizer: without } }),
    ).toThrow(expect.objectContaining({ code: "chat-token-missing" }));
  });
});
