/** Delivers a rollout to OpenReward completely and only once, despite lost answers and outages. */

import type { UploadBackoff } from "./uploadBackoff.ts";
import type { Denial, PostOutcome, Unavailable, UploadClient } from "./uploadClient.ts";
import {
  type RolloutUpload,
  type UploadEvent,
  uploadBatches,
  uploadEvents,
} from "./uploadEvents.ts";

export interface RolloutDeliveryOptions {
  readonly client: Pick<UploadClient, "post" | "arrived" | "catalogueIds">;
  readonly backoff: Pick<UploadBackoff, "ready" | "failed" | "denied" | "succeeded">;
}

export interface DeliveryOptions {
  /** True if parts of it may have arrived before; then asks the service first. */
  readonly mayHaveArrived: boolean;
  readonly signal: AbortSignal;
}

export type Delivered = Exclude<PostOutcome, Unavailable | Denial>;

/**
 * Retries until the service accepts or refuses it, also after a rejected key.
 * @throws AppError `upload-message`; the signal's reason
 */
export async function deliverRollout(
  { client, backoff }: RolloutDeliveryOptions,
  rollout: RolloutUpload,
  { mayHaveArrived, signal }: DeliveryOptions,
): Promise<Delivered> {
  const delivery = new Delivery(client, rollout, mayHaveArrived);
  for (;;) {
    await backoff.ready(signal);
    const outcome = await delivery.send(signal);
    if (outcome.kind === "unavailable") backoff.failed(outcome);
    else if (outcome.kind === "denied") backoff.denied(outcome.reason);
    else {
      backoff.succeeded();
      return outcome;
    }
  }
}

/** The unsent part of a rollout, and whether parts may have arrived. */
class Delivery {
  readonly #client: RolloutDeliveryOptions["client"];
  readonly #rollout: RolloutUpload;
  #mayHaveArrived: boolean;
  #hasRestarted = false;
  /** Null until the catalogue was asked. */
  #events: readonly UploadEvent[] | null = null;
  #batches: readonly (readonly UploadEvent[])[] = [];

  constructor(
    client: RolloutDeliveryOptions["client"],
    rollout: RolloutUpload,
    mayHaveArrived: boolean,
  ) {
    this.#client = client;
    this.#rollout = rollout;
    this.#mayHaveArrived = mayHaveArrived;
  }

  /** Sends all events, or stops at the first request without a final answer. */
  async send(signal: AbortSignal): Promise<PostOutcome> {
    const unavailable = (await this.#prepare(signal)) ?? (await this.#dropArrived(signal));
    if (unavailable !== null) return unavailable;
    const outcome = await this.#post(signal);
    if (outcome.kind === "unavailable") this.#mayHaveArrived = outcome.mayHaveArrived;
    const isUnderWay = this.#batches[0]?.[0]?.kind !== "start";
    if (outcome.kind !== "refused" || !isUnderWay || this.#hasRestarted) return outcome;
    // A service that lost the start event refuses the rollout's later events.
    const arrival = await this.#client.arrived(this.#rollout.id, signal);
    if (arrival.kind === "unavailable") return arrival;
    if (arrival.kind === "found") return outcome;
    this.#hasRestarted = true;
    this.#batches = uploadBatches(this.#events ?? []);
    return this.send(signal);
  }

  async #prepare(signal: AbortSignal): Promise<Unavailable | null> {
    if (this.#events !== null) return null;
    const { environment, variant } = this.#rollout;
    const ids = await this.#client.catalogueIds(environment, variant, signal);
    if ("kind" in ids) return ids;
    this.#events = uploadEvents(this.#rollout, ids);
    this.#batches = uploadBatches(this.#events);
    return null;
  }

  /** Drops events that have arrived; if the service does not report them, all are sent again with the same ids. */
  async #dropArrived(signal: AbortSignal): Promise<Unavailable | null> {
    if (!this.#mayHaveArrived) return null;
    const arrival = await this.#client.arrived(this.#rollout.id, signal);
    if (arrival.kind === "unavailable") return arrival;
    this.#mayHaveArrived = false;
    if (arrival.kind === "found") this.#batches = uploadBatches(this.#missing(arrival.indices));
    return null;
  }

  /** The update is sent with the last messages, so it has arrived if they have. */
  #missing(arrived: ReadonlySet<number>): readonly UploadEvent[] {
    const events = this.#events ?? [];
    const isMissing = ({ index }: UploadEvent): boolean => index !== null && !arrived.has(index);
    if (arrived.size > 0 && !events.some(isMissing)) return [];
    return events.filter((event) => event.kind === "update" || isMissing(event));
  }

  async #post(signal: AbortSignal): Promise<PostOutcome> {
    for (let next = this.#batches[0]; next !== undefined; next = this.#batches[0]) {
      const outcome = await this.#client.post(next, signal);
      if (outcome.kind !== "taken") return outcome;
      this.#batches = this.#batches.slice(1);
    }
    return { kind: "taken" };
  }
}
