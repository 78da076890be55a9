/** Public facts about tokenizer files of models on the hub: the commit that Tinker's own client uses, and digests. */

import { plainModelName } from "./lineUp.ts";

interface KnownTokenizer {
  /** Commit used by `get_tokenizer` in Tinker's Python package; null = the newest. */
  readonly revision: string | null;
  /** SHA-256 of `tokenizer.json` or `tiktoken.model`, identical in several public lists; null if none has it. */
  readonly sha256: string | null;
}

const KIMI_K2 = "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103";
const QWEN3 = "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4";
const GPT_OSS = "0614fe83cadab421296e664e1f48f4261fa8fef6e03e63bb75c20f38e37d07d3";

const KNOWN: ReadonlyMap<string, KnownTokenizer> = new Map([
  ["moonshotai/Kimi-K2-Base", { revision: null, sha256: KIMI_K2 }],
  ["moonshotai/Kimi-K2-Instruct", { revision: null, sha256: KIMI_K2 }],
  [
    "moonshotai/Kimi-K2-Thinking",
    { revision: "612681931a8c906ddb349f8ad0f582cb552189cd", sha256: KIMI_K2 },
  ],
  [
    "moonshotai/Kimi-K2.5",
    { revision: "4d01dfe0332d63057c186e0b262165819efb6611", sha256: KIMI_K2 },
  ],
  [
    "moonshotai/Kimi-K2.6",
    { revision: "b5aabbfb20227ed42becbf5541dbffd213942c58", sha256: KIMI_K2 },
  ],
  ["openai/gpt-oss-20b", { revision: null, sha256: GPT_OSS }],
  ["openai/gpt-oss-120b", { revision: null, sha256: GPT_OSS }],
  ["Qwen/Qwen3-0.6B", { revision: null, sha256: QWEN3 }],
  ["Qwen/Qwen3-8B", { revision: null, sha256: QWEN3 }],
  [
    "Qwen/Qwen2.5-7B-Instruct",
    {
      revision: null,
      sha256: "c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539",
    },
  ],
  [
    "Qwen/Qwen3.8-27B",
    {
      revision: null,
      sha256: "0997f410c57a1f4e53b09e4be8f4a172d90edd9564368fb0847030937229b9f3",
    },
  ],
]);

/** `name` is a tokenizer on the hub, or a model with or without a `:variant`. */
export function knownTokenizer(name: string): KnownTokenizer {
  return KNOWN.get(plainModelName(name)) ?? { revision: null, sha256: null };
}
