/** The model behind an endpoint: answers one caller's requests with sampled turns. */

import type { Chat } from "../chat/chat.ts";
import { sampleTurn, stopsOf } from "../rollout/sampleTurn.ts";
import type { RolloutSettings } from "../rollout/settings.ts";
import type { SamplingClient } from "../tinker/samplingClient.ts";
import { UsageMeter } from "../usage/usageMeter.ts";
import type { EndpointModel, PolicyTurn, TurnNeeds } from "./endpointModel.ts";
import { type EndpointRequest, requireFreeChoice } from "./endpointRequest.ts";
import type { PolicyThreads } from "./policyThreads.ts";

export interface EndpointPolicyOptions {
  readonly chat: Chat;
  readonly sampler: SamplingClient;
  readonly threads: PolicyThreads;
  /** Defaults for what a request does not set. */
  readonly sampling: Pick<RolloutSettings, "temperature" | "topP" | "topK" | "maxResponseTokens">;
  /** Counts the token use of all requests. */
  readonly meter: UsageMeter;
  /** Waits for a slot among the samples in flight; returns its release function. */
  readonly sampleSlot: (signal: AbortSignal) => Promise<() => void>;
}

export class EndpointPolicy implements EndpointModel {
  readonly #options: EndpointPolicyOptions;

  constructor(options: EndpointPolicyOptions) {
    this.#options = options;
  }

  countTokens(request: EndpointRequest): Promise<number> {
    return this.#options.threads.countTokens(request);
  }

  async turn(request: EndpointRequest, { signal, needsLogprobs }: TurnNeeds): Promise<PolicyTurn> {
    requireFreeChoice(request);
    const { chat, sampler, threads, sampleSlot, sampling: own } = this.#options;
    const meter = new UsageMeter([this.#options.meter]);
    const release = await sampleSlot(signal);
    try {
      const pending = await threads.begin(request);
      const { prompt, images, room } = pending;
      const { temperature, topP, topK, maxTokens, seed } = request.sampling;
      try {
        const drawn = await sampleTurn(
          sampler,
          {
            prompt,
            images,
            maxTokens: Math.min(maxTokens ?? own.maxResponseTokens, room),
            temperature: temperature ?? own.temperature,
            topP: topP ?? own.topP,
            topK: topK ?? own.topK,
            seed: seed ?? undefined,
            stop: stopsOf(chat.renderer),
          },
          { signal, meter, recomputesLogprobs: needsLogprobs },
        );
        const { answer, sampled } = pending.finish(drawn);
        const cachedTokens = meter.usage.used.prefill_cached;
        return { ...answer, prompt, sampled, cachedTokens, tokenizer: chat.tokenizer };
      } catch (error) {
        pending.abandon();
        throw error;
      }
    } finally {
      release();
    }
  }
}
