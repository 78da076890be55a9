/** Plays one episode of ours with a scripted model and environment. */

import { Episode } from "../../../src/core/rollout/episode.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import { aLimit } from "../../core/rollout/aLimit.ts";
import { type SessionScript, scriptedSession } from "../../core/rollout/scriptedEnvironment.ts";
import {
  renderer,
  type SamplerOptions,
  scriptedSampler,
  type TurnScript,
  tokenizer,
} from "../../core/rollout/scriptedModel.ts";
import { ENVIRONMENT, someSettings } from "../../core/training/builders.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";

interface EpisodeScript extends SessionScript, SamplerOptions {
  readonly turns: readonly TurnScript[];
  readonly settings?: Partial<RolloutSettings>;
}

export async function playEpisode({ turns, settings, ...script }: EpisodeScript) {
  const session = scriptedSession(script);
  const sampler = scriptedSampler(turns, script);
  const episode = new Episode({
    session,
    sampler,
    chat: { renderer, tokenizer },
    clock: new FakeClock(),
    settings: someSettings(settings),
    environment: ENVIRONMENT,
    seedOf: (turn) => 100 + turn,
    sampleSlot: async () => () => undefined,
    limit: aLimit(),
  });
  const stop = await episode.play();
  const [ledger] = episode.streams;
  if (ledger === undefined) throw new Error("the episode has no stream");
  return { episode, ledger, sampler, session, stop, text: tokenizer.decode(ledger.tokens) };
}
