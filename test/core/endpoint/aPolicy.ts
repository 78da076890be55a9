/** Policies with scripted turns, and clients that call them over OpenAI's protocol. */

import type { Chat } from "../../../src/core/chat/chat.ts";
import { ImagePool } from "../../../src/core/chat/imagePool.ts";
import { EndpointPolicy } from "../../../src/core/endpoint/endpointPolicy.ts";
import { chatCompletion, readChatCompletion } from "../../../src/core/endpoint/openaiChat.ts";
import { PolicyThreads, type ThreadLimits } from "../../../src/core/endpoint/policyThreads.ts";
import type { Ledger } from "../../../src/core/rollout/ledger.ts";
import { UsageMeter } from "../../../src/core/usage/usageMeter.ts";
import { parseExactJson, writeExactJson } from "../../../src/core/util/exactJson.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { renderer, scriptedSampler, type TurnScript, tokenizer } from "../rollout/scriptedModel.ts";
import { someSettings } from "../training/builders.ts";

export const FACTS = { id: "1", model: "demo", created: 7 };
export const signal = new AbortController().signal;

interface PolicyScript {
  readonly chat?: Chat;
  readonly sampler?: ReturnType<typeof scriptedSampler>;
  readonly limits?: Partial<ThreadLimits>;
  readonly maxTotalTokens?: number;
  readonly systemPromptTemplate?: string | null;
}

export function aPolicy(turns: readonly TurnScript[], script: PolicyScript = {}) {
  const { chat = { renderer, tokenizer }, sampler = scriptedSampler(turns) } = script;
  const { systemPromptTemplate = null, maxTotalTokens = 2_000 } = script;
  let calls = 0;
  const threads = new PolicyThreads({
    chat,
    images: new ImagePool(chat.images),
    systemPromptTemplate,
    maxTotalTokens,
    sha256,
    newCallId: () => {
      calls += 1;
      return `id-${calls}`;
    },
    limits: { threads: 100, tokens: 100_000, images: 64, whenFull: "refuse", ...script.limits },
  });
  const meter = new UsageMeter();
  const policy = new EndpointPolicy({
    chat,
    sampler,
    threads,
    meter,
    sampling: someSettings(),
    sampleSlot: async () => () => undefined,
  });
  /** A client's parsed answer to a JSON body. */
  const complete = async (body: object) => {
    const request = readChatCompletion(parseExactJson(JSON.stringify(body)));
    const turn = await policy.turn(request, { signal, needsLogprobs: true });
    const answer = JSON.parse(writeExactJson(chatCompletion(turn, request, FACTS)));
    return answer.choices[0];
  };
  return { policy, threads, sampler, meter, complete };
}

/** The text of each stream, with sampled parts between ⟦ and ⟧. */
export function marked(streams: readonly Ledger[]): readonly string[] {
  return streams.map((ledger) => {
    let start = 0;
    return ledger.runs
      .map(({ end, isTrained }) => {
        const text = tokenizer.decode(ledger.slice(start, end));
        start = end;
        return isTrained ? `⟦${text}⟧` : text;
      })
      .join("");
  });
}
