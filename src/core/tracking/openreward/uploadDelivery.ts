/** Delivers one rollout to OpenReward completely, and no part of it twice, despite lost answers and outages. */

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
  /** True when parts of it may have arrived before: the service is asked then. */
  readonly mayHaveArrived: boolean;
  readonly signal: AbortSignal;
}

export type Delivered = Exclude<PostOutcome, Unavailable | Denial>;

/** Tries until the service has decided about it; after a refused key it waits and tries again. Rejects with the signal's reason. @throws AppError `upload-message` */
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

/** The part of a rollout that is not sent yet, and whether parts may have arrived. */
class Delivery {
  readonly #client: RolloutDeliveryOptions["client"];
  readonly #rollout: RolloutUpload;
  #mayHaveArrived: boolean;
  #hasRestarted = false;
  /** Null before the catalogue was asked. */
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
    // A service that has lost the start refuses later events of the rollout.
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

  /** Drops the events that have arrived; when the service does not report them, all are sent once more under the same ids. */
  async #dropArrived(signal: AbortSignal): Promise<Unavailable | null> {
    if (!this.#mayHaveArrived) return null;
    const arrival = await this.#client.arrived(this.#rollout.id, signal);
    if (arrival.kind === "unavailable") return arrival;
    this.#mayHaveArrived = false;
    if (arrival.kind === "found") this.#batches = uploadBatches(this.#missing(arrival.indices));
    return null;
  }

  /** The update goes with the last messages, so it has arrived when they have. */
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
