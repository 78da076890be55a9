/** Plays an episode whose turns a test has written. */

import type { Chat } from "../../src/core/chat/chat.ts";
import { Episode } from "../../src/core/rollout/episode.ts";
import type { RolloutSettings } from "../../src/core/rollout/settings.ts";
import type { SamplingClient } from "../../src/core/tinker/samplingClient.ts";
import { aLimit } from "../core/rollout/aLimit.ts";
import { renderer, tokenizer } from "../core/rollout/scriptedModel.ts";
import { ENVIRONMENT, someSettings } from "../core/training/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";

interface EpisodeScript {
  readonly session: ConstructorParameters<typeof Episode>[0]["session"];
  readonly sampler: SamplingClient;
  readonly settings: Partial<RolloutSettings>;
  readonly clock?: FakeClock;
  /** In place of the chat format of the embedded model. */
  readonly chat?: Chat;
}

/** The episode after its end, and why it ended. */
export async function playEpisode({
  session,
  sampler,
  settings,
  clock = new FakeClock(),
  chat = { renderer, tokenizer },
}: EpisodeScript) {
  const episode = new Episode({
    chat,
    session,
    sampler,
    clock,
    environment: ENVIRONMENT,
    settings: someSettings(settings),
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    limit: aLimit(clock),
  });
  return { episode, stop: await clock.run(episode.play()) };
}
