import { expect, it } from "vitest";
import type { Renderer } from "../../../src/core/chat/renderer.ts";
import { Episode } from "../../../src/core/rollout/episode.ts";
import type { SampleRequest, SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import { buildDatum } from "../../../src/core/training/update/datums.ts";
import { aLimit } from "../../core/rollout/builders.ts";
import { result, scriptedSession } from "../../core/rollout/scriptedEnvironment.ts";
import { ENVIRONMENT, someSettings } from "../../core/training/builders.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { CHAT_FAMILIES } from "../peers.ts";
import { kitTokenizer } from "./kitTokenizers.ts";
import { rendererOf } from "./profiles.ts";
import { describeFamilies, type Family } from "./vectors.ts";

const MAX_RESPONSE = 24;
const TURNS = 6;

/** Samples the given turns, truncated at the request's limit; each token has a unique log-probability. */
function samplerOf(turns: readonly (readonly number[])[]) {
  const requests: SampleRequest[] = [];
  const samples: { readonly tokens: readonly number[]; readonly logprobs: readonly number[] }[] =
    [];
  let sampled = 0;
  const sampler: SamplingClient = {
    samplerId: "kit",
    baseModel: null,
    sample: async (request) => {
      const turn = turns[requests.length] ?? [];
      requests.push(request);
      const tokens = turn.slice(0, request.maxTokens);
      const logprobs = tokens.map(() => {
        sampled += 1;
        return -sampled / 1024;
      });
      samples.push({ tokens, logprobs });
      const stopReason = tokens.length < turn.length ? "length" : "stop";
      return { tokens, logprobs, stopReason };
    },
    computeLogprobs: async (tokens) => tokens.map(() => null),
  };
  return { sampler, requests, samples };
}

async function play(
  profile: Family["profiles"][string],
  renderer: Renderer,
  turns: readonly (readonly number[])[],
  retention: "all" | "template",
) {
  const { sampler, requests, samples } = samplerOf(turns);
  const episode = new Episode({
    session: scriptedSession({
      onCall: ({ name }) => result(`${name} returned\n5`),
      ...(renderer.callsTools === false && {
        terminalTool: { name: "answer", arg: "text", description: "" },
      }),
    }),
    sampler,
    chat: { renderer, tokenizer: await kitTokenizer(profile.tokenizer), retention },
    clock: new FakeClock(),
    settings: someSettings({
      maxTurns: turns.length,
      maxResponseTokens: MAX_RESPONSE,
      maxTotalTokens: 100_000,
      maxNoToolTurns: 99,
      maxConsecutiveParseErrors: 99,
    }),
    environment: ENVIRONMENT,
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    limit: aLimit(),
  });
  await episode.play();
  return { episode, requests, samples };
}

/** Six turns from the kit that differ from profile to profile. */
function someTurns({ parses }: Family, name: string, offset: number) {
  const own = parses.filter(({ profile, turn_ids: ids }) => profile === name && ids.length > 0);
  return Array.from(
    { length: TURNS },
    (_, i) => own[(offset + i * 7) % own.length]?.turn_ids ?? [],
  );
}

/** The kit has no sampled turns of Qwen2.5. */
const FAMILIES = CHAT_FAMILIES.filter((name) => name !== "qwen2.5");

describeFamilies(FAMILIES, (family) => {
  it.each(["all", "template"] as const)(
    "trains each sampled token once, in its own context, with retention %s",
    async (retention) => {
      for (const [profileName, profile] of Object.entries(family.profiles)) {
        const renderer = await rendererOf(profileName, profile);
        for (const offset of [0, 3, 11, 29]) {
          const turns = someTurns(family, profileName, offset);
          const { episode, requests, samples } = await play(profile, renderer, turns, retention);
          const at = `${profileName}, turns from ${offset}`;
          expect(requests, at).toHaveLength(TURNS);
          for (const { stop, maxTokens } of requests) {
            expect(stop, at).toEqual(
              profile.stop_ids.length > 0 ? renderer.stopIds : profile.stop_texts,
            );
            expect(maxTokens, at).toBe(MAX_RESPONSE);
          }
          const datums = episode.streams.flatMap((ledger, stream) => {
            const datum = buildDatum({ group: 0, rollout: 0, stream, ledger }, [1]);
            return datum === null ? [] : [datum];
          });
          const trained = datums.flatMap(({ targets, logprobs, mask, tokens }) =>
            [...mask].flatMap((is, i) =>
              is === 1
                ? [{ id: targets[i], logprob: logprobs[i], context: [...tokens.slice(0, i + 1)] }]
                : [],
            ),
          );
          const sampled = samples.flatMap(({ tokens, logprobs }, turn) =>
            tokens.map((id, i) => ({
              id,
              logprob: logprobs[i],
              context: [...(requests[turn]?.prompt ?? []), ...tokens.slice(0, i)],
            })),
          );
          expect(trained, at).toEqual(sampled);
        }
      }
    },
  );
});
