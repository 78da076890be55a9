import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findChatFamily } from "../../../src/core/chat/setup/findFamily.ts";
import { checkRenderer } from "../../../src/core/chat/setup/formatCheck.ts";
import { createTemplateRenderer } from "../../../src/core/chat/template/templateRenderer.ts";
import type { ModelTokenizer } from "../../../src/core/chat/tokenizer.ts";
import { BYTE_LEVEL_ALPHABET } from "../../../src/node/tokenizer/byteLevel.ts";
import { loadModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";

const TINY_BYTES = join(import.meta.dirname, "../../fixtures/tiny-bytes");
const END = "<|im_end|>";

const folder = folderOfAllTests();

/** 512 ids: the bytes, the merges of some words, fillers, and two added tokens, one of them in the vocabulary as well. */
function smallBpe() {
  const merges = [
    ["t", "h"],
    ["th", "e"],
    ["Ġ", "the"],
    ["a", "n"],
    ["an", "d"],
    ["Ã", "©"],
  ] as const;
  const texts = [...BYTE_LEVEL_ALPHABET, ...merges.map(([a, b]) => a + b)];
  while (texts.length < 510) texts.push(`filler ${texts.length}`);
  const byteLevel = {
    type: "ByteLevel",
    add_prefix_space: false,
    trim_offsets: false,
    use_regex: false,
  };
  const split = {
    type: "Split",
    pattern: { Regex: " ?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+|\\s+" },
  };
  return {
    version: "1.0",
    added_tokens: [
      { id: 510, content: "<|im_start|>", special: true, normalized: false },
      { id: 511, content: END, special: true, normalized: false },
    ],
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [{ ...split, behavior: "Isolated", invert: false }, byteLevel],
    },
    post_processor: byteLevel,
    decoder: byteLevel,
    model: {
      type: "BPE",
      unk_token: null,
      ignore_merges: true,
      vocab: { ...Object.fromEntries(texts.map((text, id) => [text, id])), [END]: 511 },
      merges: merges.map((pair) => pair.join(" ")),
    },
  };
}

async function loadSmallBpe(
  files: Readonly<Record<string, unknown>> = {},
): Promise<ModelTokenizer> {
  const all = {
    "tokenizer.json": smallBpe(),
    "tokenizer_config.json": { eos_token: { content: END }, chat_template: "from the config" },
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(join(folder, name), text);
  }
  return loadModelTokenizer(folder);
}

describe("a tokenizer of single bytes", () => {
  it("maps text to its bytes, and control tokens in it to their letters", async () => {
    const { tokenizer } = await loadModelTokenizer(TINY_BYTES);
    expect(tokenizer.vocabSize).toBe(265);
    expect(tokenizer.encodeText(`é${END}`)).toEqual([0xc3, 0xa9, ...new TextEncoder().encode(END)]);
    expect(tokenizer.decode([0xc3, 0xa9, 258, 0x0a])).toBe(`é${END}\n`);
    expect(tokenizer.encodeText("")).toEqual([]);
    expect(tokenizer.decode([])).toBe("");
  });

  it("round-trips every text", async () => {
    const { tokenizer } = await loadModelTokenizer(TINY_BYTES);
    const { decode, encodeText } = tokenizer;
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(decode(encodeText(text))).toBe(text);
      }),
    );
    expect(decode(encodeText("\uFEFFmark"))).toBe("\uFEFFmark");
  });

  it("shows invalid characters as U+FFFD and skips unknown ids", async () => {
    const { decode } = (await loadModelTokenizer(TINY_BYTES)).tokenizer;
    expect(decode([0x61, 0xf0, 0x9f])).toBe("a\uFFFD");
    expect(decode([0x61, 9999, -1, 0x62])).toBe("ab");
  });

  it("supports a chat format", async () => {
    const model = await loadModelTokenizer(TINY_BYTES);
    const family = findChatFamily("org/unknown", model);
    const renderer = createTemplateRenderer({ model, family, thinking: false });
    expect(() => checkRenderer(renderer, model)).not.toThrow();
  });
});

describe("a small BPE", () => {
  it("applies its split and merges", async () => {
    const { tokenizer } = await loadSmallBpe();
    const texts = tokenizer.encodeText("the the andé 12").map((id) => tokenizer.decode([id]));
    expect(texts).toEqual(["the", " the", " ", "and", "é", " ", "1", "2"]);
    expect(tokenizer.vocabSize).toBe(512);
  });

  it("never encodes text as an added token, not even one that is in the vocabulary", async () => {
    const { tokenizer } = await loadSmallBpe();
    const ids = tokenizer.encodeText(`a${END}${END}<|im_start|>`);
    expect(ids.filter((id) => id >= 510)).toEqual([]);
    expect(tokenizer.decode(ids)).toBe(`a${END}${END}<|im_start|>`);
  });

  it("looks up a piece before merging, if the model says so", async () => {
    const bpe = smallBpe();
    const { tokenizer } = await loadSmallBpe();
    expect(tokenizer.encodeText(" the").map((id) => tokenizer.decode([id]))).toEqual([" the"]);
    const merges = bpe.model.merges.filter((merge) => merge !== "Ġ the");
    const encode = async (ignore_merges: boolean): Promise<readonly number[]> => {
      const model = { ...bpe.model, merges, ignore_merges };
      const loaded = await loadSmallBpe({ "tokenizer.json": { ...bpe, model } });
      return loaded.tokenizer.encodeText(" the");
    };
    expect(await encode(true)).toEqual(tokenizer.encodeText(" the"));
    expect(await encode(false)).toHaveLength(2);
  });

  it("leaves out merges whose token is an added one", async () => {
    const bpe = smallBpe();
    const and = Object.entries(bpe.model.vocab).find(([text]) => text === "and")?.[1];
    const added_tokens = [...bpe.added_tokens, { id: and, content: "and", special: true }];
    const { tokenizer } = await loadSmallBpe({ "tokenizer.json": { ...bpe, added_tokens } });
    const texts = tokenizer.encodeText("and").map((id) => tokenizer.decode([id]));
    expect(texts).toEqual(["an", "d"]);
  });

  it("follows split rules that continue after the byte encoding, or combine with it", async () => {
    const bpe = smallBpe();
    const byteLevel = { type: "ByteLevel", add_prefix_space: false, use_regex: true };
    const digits = { type: "Digits", individual_digits: true };
    for (const pre_tokenizer of [
      byteLevel,
      { type: "Sequence", pretokenizers: [byteLevel, digits] },
    ]) {
      const { tokenizer } = await loadSmallBpe({ "tokenizer.json": { ...bpe, pre_tokenizer } });
      const ids = tokenizer.encodeText("the the 漢é");
      expect(ids.slice(0, 2).map((id) => tokenizer.decode([id]))).toEqual(["the", " the"]);
      expect(tokenizer.decode(ids)).toBe("the the 漢é");
    }
  });

  it("reads its template from the config, but prefers the template file", async () => {
    const fromConfig = await loadSmallBpe();
    expect(fromConfig.template).toEqual({ source: "from the config", bosToken: "", eosToken: END });
    const [chat, tools] = ["{{ messages }}", "{{ tools }}"];
    const chosen = async (usual: string) => {
      const named = { default: usual, tool_use: tools };
      const chat_template = Object.entries(named).map(([name, template]) => ({ name, template }));
      const { template } = await loadSmallBpe({ "tokenizer_config.json": { chat_template } });
      return template?.source;
    };
    expect(await chosen(chat)).toBe(tools);
    expect(await chosen(chat + tools)).toBe(chat + tools);
    const fromFile = await loadSmallBpe({ "chat_template.jinja": "from the file" });
    expect(fromFile.template?.source).toBe("from the file");
  });
});

describe("an unusable folder", () => {
  it("reports the missing file", async () => {
    const loading = loadModelTokenizer(join(folder, "nothing"));
    await expect(loading).rejects.toThrow(/no tokenizer\.json.*`tokenizer_name`/);
    await expect(loading).rejects.toMatchObject({ code: "tokenizer-not-found" });
  });

  it.each([
    ["is no JSON", "{"],
    ["is no BPE", { ...smallBpe(), model: { type: "Unigram", vocab: [] } }],
    ["has no byte alphabet", { ...smallBpe(), model: { ...smallBpe().model, vocab: { a: 0 } } }],
    [
      "has a token without an id",
      { ...smallBpe(), model: { ...smallBpe().model, vocab: { a: -1 } } },
    ],
    ["has half a merge", { ...smallBpe(), model: { ...smallBpe().model, merges: ["a"] } }],
    [
      "marks the ends of words",
      { ...smallBpe(), model: { ...smallBpe().model, end_of_word_suffix: "</w>" } },
    ],
    ["does not cut text into bytes", { ...smallBpe(), pre_tokenizer: { type: "Whitespace" } }],
    ["has unknown rules", { ...smallBpe(), normalizer: { type: "Upside" } }],
  ])("reports that its tokenizer %s", async (_what, content) => {
    await expect(loadSmallBpe({ "tokenizer.json": content })).rejects.toMatchObject({
      code: "tokenizer-unsupported",
    });
  });
});
