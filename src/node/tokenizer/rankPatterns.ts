/** Split patterns for rank files, which do not contain them; they come from the models' own code. */

import type { SplittingRules } from "./modelFiles.ts";

interface RankPattern {
  /** Number of tokens in the rank file, unique among these models. */
  readonly ranks: number;
  readonly models: string;
  /** True if Python's `unicodedata.normalize("NFC", text)` is applied first. */
  readonly isNormalized: boolean;
  /** `pat_str` in the model's own tokenizer code. */
  readonly pattern: string;
}

const CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const UPPER = "\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}";
const LOWER = "\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}";
const BLANKS = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** The word pattern of tiktoken's cl100k_base; `digits` is the pattern for numbers. */
const wordsAndDigits = (digits: string): string =>
  `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${BLANKS}`;

/** The word pattern of tiktoken's o200k_base, which splits at changes from lowercase to uppercase. */
const casedWords = (except: string): string =>
  `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}${except}]*[${LOWER}${except}]+${CONTRACTION}?` +
  `|[^\\r\\n\\p{L}\\p{N}]?[${UPPER}${except}]+[${LOWER}${except}]*${CONTRACTION}?`;

const CL100K = wordsAndDigits("\\p{N}{1,3}");

export const RANK_PATTERNS: readonly RankPattern[] = [
  {
    ranks: 163_584,
    models: "Kimi K2 to K2.6 and K3",
    isNormalized: false,
    pattern: `[\\p{Han}]+|${casedWords("&&[^\\p{Han}]")}|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${BLANKS}`,
  },
  {
    ranks: 248_044,
    models: "Qwen3.5 to Qwen3.8",
    isNormalized: true,
    pattern: `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${BLANKS}`,
  },
  {
    ranks: 151_643,
    models: "Qwen to Qwen3",
    isNormalized: true,
    pattern: wordsAndDigits("\\p{N}"),
  },
  {
    ranks: 199_998,
    models: "o200k (gpt-oss, Inkling)",
    isNormalized: false,
    pattern: `${casedWords("")}|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${BLANKS}`,
  },
  { ranks: 154_820, models: "GLM 5", isNormalized: false, pattern: CL100K },
  { ranks: 128_000, models: "Llama 3", isNormalized: false, pattern: CL100K },
  { ranks: 100_256, models: "cl100k", isNormalized: false, pattern: CL100K },
];

/** `named` is the folder's own pattern. @throws Error if neither the folder nor this table has one */
export function splittingOfRanks(ranks: number, named: string | null): SplittingRules {
  const row = RANK_PATTERNS.find((known) => known.ranks === ranks);
  const pattern = named ?? row?.pattern;
  if (pattern === undefined) {
    const known = RANK_PATTERNS.map(({ models, ranks: count }) => `${models}: ${count}`).join("; ");
    throw new Error(
      `its ${ranks} ranks match no model with a known split pattern (${known}), and tokenizer_config.json has no pat_str`,
    );
  }
  const split = { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false };
  const spelling = { type: "ByteLevel", add_prefix_space: false, use_regex: false };
  return {
    normalizer: row?.isNormalized === true ? { type: "NFC" } : null,
    pre_tokenizer: { type: "Sequence", pretokenizers: [split, spelling] },
  };
}
