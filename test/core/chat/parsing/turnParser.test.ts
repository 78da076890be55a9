import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { qwen3 } from "../../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../../src/core/chat/template/templateRenderer.ts";
import { byteTokenizer } from "../byteTokenizer.ts";
import { sampled, THINKING_TEMPLATE, tinyModel } from "../tinyModel.ts";

const { parse } = createTemplateRenderer({
  model: tinyModel(THINKING_TEMPLATE),
  family: qwen3,
  thinking: true,
});

const CALL_A = '<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>';
const CALL_B = '<tool_call>\n{"name": "b", "arguments": {}}\n</tool_call>';

describe("a turn", () => {
  it("is split into reasoning, visible text, and calls in order", () => {
    const turn = parse(
      sampled(`<think>\nFirst a.\n</think>\n\nI call two. ${CALL_A}\n${CALL_B}<|im_end|>`),
    );
    expect(turn).toEqual({
      reasoning: "First a.",
      thinkingTokens: 10,
      content: "I call two.",
      lead: 11,
      calls: [
        { name: "a", args: { x: 1 }, raw: CALL_A },
        { name: "b", args: {}, raw: CALL_B },
      ],
      errors: [],
      unclosedThink: false,
      ended: true,
    });
  });

  it("preserves Unicode", () => {
    const turn = parse(
      sampled('<tool_call>{"name": "a", "arguments": {"x": "漢字 🙂"}}</tool_call>é<|im_end|>'),
    );
    expect(turn).toMatchObject({ content: "é", calls: [{ args: { x: "漢字 🙂" } }] });
  });

  it("runs complete calls before a length cut and reports the cut one", () => {
    const turn = parse(sampled(`${CALL_A}<tool_call>\n{"name": "b", "argu`));
    expect(turn).toMatchObject({
      calls: [{ name: "a" }],
      errors: [{ kind: "unterminated" }],
      ended: false,
    });
  });

  it("treats a call that opens inside another as a new one", () => {
    const turn = parse(sampled(`<tool_call>{"name": "b", ${CALL_A}<|im_end|>`));
    expect(turn).toMatchObject({ calls: [{ name: "a" }], errors: [{ kind: "unterminated" }] });
  });

  it("runs the valid calls next to a malformed one", () => {
    const turn = parse(sampled(`<tool_call>[1]</tool_call>${CALL_B}<|im_end|>`));
    expect(turn).toMatchObject({
      calls: [{ name: "b" }],
      errors: [{ kind: "not_object", raw: "<tool_call>[1]</tool_call>" }],
    });
  });

  it("treats a spelled-out marker as text when the model has a token for it", () => {
    const spelled = new TextEncoder().encode(CALL_A);
    expect(parse([...spelled])).toMatchObject({ calls: [], content: CALL_A });
  });

  it("ends at its end token, ignoring anything sampled after it", () => {
    expect(parse(sampled(`Done.<|im_end|>\n<|im_start|>user\n${CALL_A}`))).toMatchObject({
      content: "Done.",
      calls: [],
      ended: false,
    });
  });

  it("may be empty", () => {
    expect(parse([])).toMatchObject({ reasoning: null, content: "", calls: [], ended: false });
  });
});

describe("thinking", () => {
  it("never runs a call, closed or not", () => {
    expect(parse(sampled(`<think>${CALL_A}</think>${CALL_B}<|im_end|>`))).toMatchObject({
      reasoning: CALL_A,
      calls: [{ name: "b" }],
      unclosedThink: false,
    });
    expect(parse(sampled(`<think>${CALL_A}<|im_end|>`))).toMatchObject({
      calls: [],
      errors: [],
      unclosedThink: true,
      ended: true,
    });
  });

  it("reports a call inside it if nothing follows", () => {
    const { calls, errors } = parse(sampled(`<think>hm ${CALL_A}\n</think>\n\n<|im_end|>`));
    expect({ calls, errors }).toMatchObject({
      calls: [],
      errors: [{ kind: "in_reasoning", raw: CALL_A, callsBefore: 0 }],
    });
    expect(errors[0]?.message).not.toMatch(/<think|<tool_call/);
  });

  it("exposes a call that did not run if the turn has no other", () => {
    const thoughtCall = (turn: string) => {
      const parsed = parse(sampled(turn));
      return [parsed.thoughtCall, parsed.errors.length];
    };
    expect(thoughtCall(`<think>${CALL_B} ${CALL_A}</think>Yes.<|im_end|>`)).toEqual([CALL_A, 0]);
    expect(thoughtCall(`<think>${CALL_A}<|im_end|>`)).toEqual([CALL_A, 0]);
    expect(thoughtCall(`<think>${CALL_A}</think>${CALL_B}<|im_end|>`)).toEqual([undefined, 0]);
    expect(thoughtCall("<think>A <tool_call> is\n</tool_call></think><|im_end|>")).toEqual([
      undefined,
      0,
    ]);
  });

  it("does not affect earlier calls", () => {
    expect(parse(sampled(`${CALL_A}<think>hm`))).toMatchObject({
      calls: [{ name: "a" }],
      unclosedThink: true,
    });
  });

  it("is null when empty", () => {
    expect(parse(sampled("<think>\n\n</think>\n\nYes.<|im_end|>"))).toMatchObject({
      reasoning: null,
      content: "Yes.",
    });
  });

  it("is also parsed with thinking off", () => {
    const off = createTemplateRenderer({
      model: tinyModel(THINKING_TEMPLATE),
      family: qwen3,
      thinking: false,
    });
    expect(off.parse(sampled("<think>why</think>Yes.<|im_end|>"))).toMatchObject({
      reasoning: "why",
      content: "Yes.",
    });
  });

  it("is open from the start when the template opens it", () => {
    const source = THINKING_TEMPLATE.replace(
      "{% if not enable_thinking %}<think>\n\n</think>\n\n{% endif %}",
      "<think>\n",
    );
    const forced = createTemplateRenderer({
      model: tinyModel(source),
      family: qwen3,
      thinking: true,
    });
    expect(forced.parse(sampled(`hm ${CALL_A}</think>Yes.<|im_end|>`))).toMatchObject({
      reasoning: `hm ${CALL_A}`,
      content: "Yes.",
      calls: [],
    });
    expect(forced.parse(sampled("hm"))).toMatchObject({ unclosedThink: true });
  });
});

describe("markers without their own tokens", () => {
  const textual = createTemplateRenderer({
    model: { ...tinyModel(THINKING_TEMPLATE), tokenizer: byteTokenizer(["<|im_end|>"]) },
    family: qwen3,
    thinking: true,
  });
  const piece = fc.constantFrom(
    ...["<think>", "</think>", "<tool_call>", "</tool_call>", CALL_A, "{}", "<", "a", "\n"],
  );

  it("split a turn in the same places as tokens do", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join("");
        const inText = textual.parse([...new TextEncoder().encode(text)]);
        expect(inText).toEqual({
          ...parse(sampled(text)),
          thinkingTokens: inText.thinkingTokens,
        });
      }),
      { numRuns: 300 },
    );
  });
});
