/**
 * Conversations as training data, compared with tinker-cookbook 0.6.1's `build_supervised_examples`: same tokens, same ones trained.
 * The vectors in `supervisedExamples.json.gz` were made with that package and the kit's tokenizers.
 */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseChatExample } from "../../../src/core/examples/parseChatExample.ts";
import { renderExample } from "../../../src/core/examples/renderExample.ts";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { CHAT_FAMILIES } from "../peers.ts";
import { addTally } from "../tally.ts";
import { hasKitTokenizers, kitTokenizer } from "./kitTokenizers.ts";
import { comparedProfiles, rendererOf } from "./profiles.ts";
import { type Profile, readFamily } from "./vectors.ts";

interface Stream {
  readonly ids: readonly number[];
  /** A digit for each token: 1 if it is trained. */
  readonly weights: string;
}

interface Vectors {
  readonly tools: readonly JsonObject[];
  readonly with_tools: readonly string[];
  readonly cases: Readonly<Record<string, readonly JsonObject[]>>;
  readonly examples: readonly {
    readonly family: string;
    readonly profile: string;
    readonly case: string;
    readonly streams: readonly Stream[];
  }[];
}

const bytes = readFileSync(new URL("supervisedExamples.json.gz", import.meta.url));
const vectors: Vectors = JSON.parse(gunzipSync(bytes).toString());

/** A line of a file in OpenAI's format. */
function lineOf(name: string): Json {
  const messages = (vectors.cases[name] ?? []).map(({ reasoning, tool_calls, ...rest }) => {
    const calls = Array.isArray(tool_calls) ? tool_calls : [];
    return {
      ...rest,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map((call) => ({ ...Object(call), function: call })) }),
    };
  });
  const declared = vectors.with_tools.includes(name) ? vectors.tools : [];
  return { messages, tools: declared.map((tool) => ({ function: tool })) };
}

/** Intended differences; one that no longer occurs fails the test. */
const ON_PURPOSE: readonly {
  readonly profiles: RegExp;
  readonly cases: readonly string[];
  readonly why: string;
}[] = [
  {
    profiles: /^(nano|super|ultra)-(?!nothink)/,
    cases: ["answer", "system", "two turns", "call"],
    why: "Nemotron 3 without reasoning: its prompt opens the reasoning, so the turn that follows closes it.",
  },
  {
    profiles: /^(nano|ultra)-preserve/,
    cases: ["reasoning", "two reasoned turns", "reasoned call"],
    why: "Nemotron 3 with reasoning kept: what the prompt has opened is not trained again.",
  },
  {
    profiles: /^v3\.1-/,
    cases: ["call", "reasoned call"],
    why: "Calls of DeepSeek V3.1 end with the token that sampling stops at, and results open no reasoning.",
  },
  {
    profiles: /^k2\.[56]-(think|preserve)/,
    cases: ["call", "reasoned call"],
    why: "Kimi K2.5 and K2.6 behind a result: the prompt opens the reasoning, as in its first turn.",
  },
  {
    profiles: /^k2\.5-nothink/,
    cases: ["call"],
    why: "Kimi K2.5 without thinking, behind a result: the prompt holds the empty reasoning, as in its first turn.",
  },
  {
    profiles: /^qwen3-(think|vl-instruct)/,
    cases: ["reasoned call"],
    why: "The template of Qwen3 writes no third line break before a call.",
  },
  {
    profiles: /^qwen3-vl-instruct/,
    cases: ["call"],
    why: "The template of Qwen3-VL writes no line break before a call that stands alone.",
  },
  {
    profiles: /^qwen3-(vl-)?instruct/,
    cases: ["reasoning", "two reasoned turns", "reasoned call"],
    why: "Models of Qwen3 that do not think are not trained on reasoning.",
  },
  {
    profiles: /-base$/,
    cases: ["two turns"],
    why: "Base models learn behind every answer where sampling stops, not only behind the last one.",
  },
];

/** Families that the package does not render, or only in a profile that is not compared. */
const WITHOUT_VECTORS: readonly string[] = ["inkling", "llama3", "qwen2.5"];

/** The trained turns of all streams, in order. */
function trainedOf(streams: readonly Stream[]): readonly (readonly number[])[] {
  return streams.flatMap(({ ids, weights }) =>
    [...weights.matchAll(/1+/g)].map(({ index, 0: { length } }) =>
      ids.slice(index, index + length),
    ),
  );
}

describe.runIf(hasKitTokenizers)("a conversation as training data", () => {
  it.for(CHAT_FAMILIES.filter((family) => !WITHOUT_VECTORS.includes(family)))(
    "of %s has the trained tokens of tinker-cookbook",
    async (family, test) => {
      const { compared } = comparedProfiles(readFamily(family));
      const different: string[] = [];
      const explained = new Set<string>();
      let checks = 0;
      for (const { profile, case: name, streams: theirs, family: own } of vectors.examples) {
        const facts = compared.get(profile);
        if (own !== family || facts === undefined) continue;
        checks += 1;
        const ours = await streamsOf(profile, facts, name);
        const isSame = JSON.stringify(trainedOf(ours)) === JSON.stringify(trainedOf(theirs));
        const why = ON_PURPOSE.find(({ profiles, cases }) => {
          return profiles.test(profile) && cases.includes(name);
        })?.why;
        if (isSame !== (why === undefined)) {
          const tokenizer = await kitTokenizer(facts.tokenizer);
          const [mine, cookbooks] = [ours, theirs].map((streams) =>
            JSON.stringify(trainedOf(streams).map((ids) => tokenizer.decode(ids))),
          );
          different.push(`${profile}, ${name}: ${mine}, theirs ${cookbooks}`);
        }
        if (why !== undefined) explained.add(why);
      }
      expect(checks).toBeGreaterThan(0);
      addTally(test, { checks, differences: different, explained: [...explained] });
      expect(different).toEqual([]);
    },
  );
});

async function streamsOf(
  profile: string,
  facts: Profile,
  name: string,
): Promise<readonly Stream[]> {
  const renderer = await rendererOf(profile, facts);
  const tokenizer = await kitTokenizer(facts.tokenizer);
  const retention = facts.options.preserve === true ? "all" : "template";
  const example = parseChatExample(lineOf(name));
  if ("reason" in example) throw new Error(`${example.column}: ${example.reason}`);
  const { streams } = await renderExample(example, {
    chat: { renderer, tokenizer, retention },
    trainOn: "all_turns",
    trainThinking: true,
  });
  return streams.map(({ tokens, mask }) => ({
    ids: Array.from(tokens),
    weights: Array.from(mask).join(""),
  }));
}
