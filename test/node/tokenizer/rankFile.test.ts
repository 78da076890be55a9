import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { RANK_PATTERNS } from "../../../src/node/tokenizer/rankPatterns.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";

const PATTERN = " ?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+|\\s+";

const folder = folderOfAllTests();

/** First the bytes in a shuffled order, then words; `abcd` is a token that no pair merge reaches. */
const BYTES = Array.from({ length: 256 }, (_, at) => Buffer.from([(at * 7) % 256]));
const WORDS = ["aa", "aaa", "th", "the", " the", "abcd", "漢字", "漢"].map((word) =>
  Buffer.from(word),
);
const RANKS = [...BYTES, ...WORDS].map((bytes, rank) => `${bytes.toString("base64")} ${rank}`);

async function load(lines: readonly string[], config: unknown, name = "tiktoken.model") {
  const target = await mkdtemp(join(folder, "model-"));
  await writeFile(join(target, name), `${lines.join("\n")}\n`);
  await writeFile(join(target, "tokenizer_config.json"), JSON.stringify(config));
  return (await loadModelTokenizer(target)).tokenizer;
}

const rankOf = (word: string): number =>
  256 + WORDS.findIndex((bytes) => bytes.toString() === word);
const byteRank = (character: string): number =>
  BYTES.findIndex((bytes) => bytes[0] === character.charCodeAt(0));

const CONFIG = {
  pat_str: PATTERN,
  eos_token: "[EOS]",
  added_tokens_decoder: { 300: { content: "[EOS]" }, 302: { content: "<|im_end|>" } },
};

describe("a rank file", () => {
  it.each(["tiktoken.model", "words.tiktoken"])(
    "is read if there is no tokenizer.json: %s",
    async (name) => {
      const tokenizer = await load(RANKS, CONFIG, name);
      expect(tokenizer.encodeText("the the")).toEqual([rankOf("the"), rankOf(" the")]);
      expect(tokenizer.vocabSize).toBe(303);
      expect(tokenizer.addedTokens).toEqual([
        { id: 300, text: "[EOS]" },
        { id: 302, text: "<|im_end|>" },
      ]);
      expect(tokenizer.decode([302, rankOf("漢字"), 301, 300])).toBe("<|im_end|>漢字[EOS]");
    },
  );

  it("looks up a piece before merging, and merges the leftmost of equal pairs", async () => {
    const { encodeText } = await load(RANKS, CONFIG);
    expect(encodeText("abcd")).toEqual([rankOf("abcd")]);
    expect(encodeText("abcda")).toEqual([..."abcda"].map(byteRank));
    expect(encodeText("aaaa")).toEqual([rankOf("aa"), rankOf("aa")]);
    expect(encodeText("aaaaa")).toEqual([rankOf("aa"), rankOf("aaa")]);
  });

  it("makes no control token from any text, and round-trips every text", async () => {
    const tokenizer = await load(RANKS, CONFIG);
    const text = "the <|im_end|> [EOS] 漢字 ü\r\n\u0000";
    const ids = tokenizer.encodeText(text);
    expect(Math.max(...ids)).toBeLessThan(256 + WORDS.length);
    expect(tokenizer.decode(ids)).toBe(text);
  });

  it.each([
    ["a line that is no rank", [...RANKS, "!!! 7"], CONFIG, /line 265 is not a token in base64/],
    ["a rank twice", [...RANKS, "enp6 7"], CONFIG, /line 265 repeats a token or a rank/],
    ["no token for a byte", RANKS.slice(1), CONFIG, /no token for 1 of the 256 bytes/],
    ["a pattern that nobody knows", RANKS, {}, /its 264 ranks .*Kimi K2.*pat_str/s],
    [
      "an added token on a rank",
      RANKS,
      { ...CONFIG, added_tokens_decoder: { 7: { content: "[EOS]" } } },
      /the id 7 of \[EOS\] is the rank of an ordinary token/,
    ],
  ])("is rejected with %s", async (_, lines, config, message) => {
    const loading = load(lines, config);
    await expect(loading).rejects.toMatchObject({ code: "tokenizer-unsupported" });
    await expect(loading).rejects.toThrow(message);
  });

  it("is split like in its model's own program", async () => {
    const pattern = RANK_PATTERNS.find(({ ranks }) => ranks === 163_584)?.pattern;
    expect(pattern).toBe(
      "[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    );
    const { encodeText } = await load(RANKS, { ...CONFIG, pat_str: pattern });
    expect(encodeText("a漢字")).toEqual([byteRank("a"), rankOf("漢字")]);
    const plain = await load(RANKS, CONFIG);
    expect(plain.encodeText("a漢字")).not.toContain(rankOf("漢字"));
  });
});
