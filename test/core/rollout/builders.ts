/** Builders for playing rollouts. */

import type { Chat } from "../../../src/core/chat/chat.ts";
import type { RemoteEnvironment } from "../../../src/core/openreward/types.ts";
import type { Clock } from "../../../src/core/ports.ts";
import { EnvironmentGate } from "../../../src/core/rollout/environmentGate.ts";
import { Episode } from "../../../src/core/rollout/episode.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import type { SamplingClient } from "../../../src/core/tinker/samplingClient.ts";
import { type Deadline, deadline, timeoutError } from "../../../src/core/util/abort.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { ENVIRONMENT, someSettings } from "../training/builders.ts";
import { renderer, tokenizer } from "./scriptedModel.ts";

/** The gate of a scripted environment. */
export function aGate(
  remote: RemoteEnvironment,
  clock: Clock,
  maxSessions = Number.POSITIVE_INFINITY,
): EnvironmentGate {
  return new EnvironmentGate({
    remote,
    clock,
    maxSessions,
    random: { uuid: () => "id", uniform: () => 0 },
  });
}

/** A rollout limit that allows any duration; limits of its parts still apply. */
export function aLimit(clock = new FakeClock(), signal?: AbortSignal): Deadline {
  const onLimit = (): Error => timeoutError("The rollout", null);
  return deadline({ clock, limitMs: null, onLimit, parents: [signal] });
}

/** An episode with scripted turns. */
interface EpisodeScript {
  readonly session: ConstructorParameters<typeof Episode>[0]["session"];
  readonly sampler: SamplingClient;
  readonly settings?: Partial<RolloutSettings>;
  readonly clock?: FakeClock;
  readonly seedOf?: (turn: number) => number | undefined;
  /** Stops the episode. */
  readonly signal?: AbortSignal;
  /** Replaces the chat format of the embedded model. */
  readonly chat?: Chat;
}

export function anEpisode({
  session,
  sampler,
  settings,
  clock = new FakeClock(),
  chat = { renderer, tokenizer },
  seedOf = () => undefined,
  signal,
}: EpisodeScript): Episode {
  return new Episode({
    chat,
    session,
    sampler,
    clock,
    environment: ENVIRONMENT,
    settings: someSettings(settings),
    seedOf,
    sampleSlot: async () => () => undefined,
    limit: aLimit(clock, signal),
  });
}

/** The finished episode and its stop reason. */
export async function playEpisode({ clock = new FakeClock(), ...script }: EpisodeScript) {
  const episode = anEpisode({ clock, ...script });
  return { episode, stop: await clock.run(episode.play()) };
}
