import { describe, expect, it } from "vitest";
import { base, completion } from "../../../../src/core/chat/families/base.ts";
import { createNativeRenderer } from "../../../../src/core/chat/nativeRenderer.ts";
import { byteTokenizer } from "../byteTokenizer.ts";
import { formatOnBytes, result, user } from "./formatOnBytes.ts";

const END = "<|endoftext|>";
const SYSTEM = { role: "system", content: "Be brief." } as const;
const again = { role: "user", content: "Sure?" } as const;

describe("a base model", () => {
  const { renderer, prompt, parse, bridge, countAdded } = formatOnBytes(base(), [END]);

  it("is prompted with lines of a role and a colon, untrimmed", () => {
    const answer = { role: "assistant", content: "5", reasoning: null, calls: [] } as const;
    expect(prompt([SYSTEM, user(" 2 + 3? "), answer, user("Sure?")])).toBe(
      "System: Be brief.\n\nUser:  2 + 3? \n\nAssistant: 5\n\nUser: Sure?\n\nAssistant:",
    );
  });

  it("is prompted with the tokenizer's start-of-text token if there is one", () => {
    const llama = formatOnBytes(base(), ["<|begin_of_text|>", "<|end_of_text|>"]);
    expect(llama.prompt([user("Hi")])).toBe("<|begin_of_text|>User: Hi\n\nAssistant:");
  });

  it("encodes a role and its text as separate tokens", () => {
    const encoded: string[] = [];
    const bytes = byteTokenizer([END]);
    const encodeText = (text: string): readonly number[] => {
      encoded.push(text);
      return bytes.encodeText(text);
    };
    const { renderInitial } = createNativeRenderer(base(), { ...bytes, encodeText });
    renderInitial([user("\n\nHi")], []);
    expect(encoded).toEqual(["User:", " \n\nHi\n\n", "Assistant:"]);
  });

  it("stops at a stop text and at the end of text", () => {
    expect(renderer).toMatchObject({ stopIds: [], stopTexts: ["\n\nUser:"], callsTools: false });
    expect(parse(" Five.\n\nUser:")).toMatchObject({ content: "Five.", ended: true });
    expect(parse(` Five.${END}`)).toMatchObject({ content: "Five.", ended: true });
    expect(parse(" Five.\n\nUser")).toMatchObject({ content: "Five.\n\nUser", ended: false });
    expect(parse(" A\n\nUser: B\n\nUser:")).toMatchObject({ content: "A", ended: false });
  });

  it("continues after the stop text, adding only its missing part", () => {
    const next = " Sure?\n\nAssistant:";
    expect(bridge(" Five.\n\nUser:", again)).toBe(next);
    expect(bridge(" Five.\n\nUs", again)).toBe(`er:${next}`);
    expect(bridge(" Fi", again)).toBe(`\n\nUser:${next}`);
    expect(bridge(` Five.${END}`, again)).toBe(`\n\nUser:${next}`);
    expect(bridge(" Five.\n\nUser:", result("No."), again)).toBe(
      " No.\n\nUser: Sure?\n\nAssistant:",
    );
  });

  it("makes no tool calls, and environment text yields no special tokens", () => {
    expect(parse(' {"name": "add", "parameters": {}}\n\nUser:').calls).toEqual([]);
    expect(countAdded(" Five.\n\nUser:", result(END))).toBe(0);
    const call = { id: "0", name: "add", args: {} };
    const turn = { role: "assistant", content: "", reasoning: null, calls: [call] } as const;
    expect(() => prompt([turn])).toThrow(/cannot show/);
  });
});

describe("plain completion", () => {
  const { renderer, stops, prompt, parse, bridge } = formatOnBytes(completion(), [END]);

  it("uses the task's text unchanged, until the end of text", () => {
    expect(prompt([user("Once upon a ")])).toBe("Once upon a ");
    expect(prompt([SYSTEM, user("2 + 3 =")])).toBe("Be brief.\n\n2 + 3 =");
    expect(stops).toBe(END);
    expect(renderer.callsTools).toBe(false);
  });

  it("also stops at the end-of-turn token of a model trained on turns", () => {
    const trained = formatOnBytes(completion(), [END, "<|im_end|>"]);
    expect(trained.stops).toBe(`${END}<|im_end|>`);
    expect(trained.parse(" 5<|im_end|>")).toMatchObject({ content: "5", ended: true });
  });

  it("gives an answer without a role, followed directly by further text", () => {
    expect(parse(` 5\n\nUser: no${END}`)).toMatchObject({ content: "5\n\nUser: no", ended: true });
    expect(bridge(` 5${END}`, again)).toBe("\n\nSure?");
    expect(bridge(" 5", again)).toBe("\n\nSure?");
  });
});
