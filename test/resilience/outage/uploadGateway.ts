/**
 * A fake of OpenReward's rollout upload: stores every event and every repeat. For half of the
 * rollouts it does not report what has arrived, because services need not.
 */

import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { listenAnywhere } from "../../fakes/serveHere.ts";

const eventSchema = z.looseObject({
  eventType: z.enum(["rollout", "message", "rollout_update"]),
  eventId: z.string(),
  rolloutEventId: z.string().optional(),
  index: z.int().optional(),
});

type Event = z.infer<typeof eventSchema>;

const batchSchema = z.object({ events: z.array(eventSchema) });

/** First digits of the ids of rollouts that nothing is reported of. */
const SILENT = /^[0-7]/;

/** Events received under one id. */
interface Kept {
  readonly event: Event;
  /** As received each time. */
  readonly deliveries: string[];
}

export class UploadGateway {
  readonly #kept = new Map<string, Kept>();
  #url = "";
  readonly #server = createServer(async (incoming, outgoing) => {
    const { method, url = "" } = incoming;
    const id = /^\/v1\/rollouts\/([^/]+)$/.exec(url)?.[1];
    const { status, body } =
      method === "POST"
        ? this.#take(await text(incoming))
        : this.#report(decodeURIComponent(id ?? ""));
    outgoing.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

  static async start(): Promise<UploadGateway> {
    const gateway = new UploadGateway();
    gateway.#url = await listenAnywhere(gateway.#server);
    return gateway;
  }

  get url(): string {
    return this.#url;
  }

  /** Distinct events, each as first received. */
  get events(): readonly Event[] {
    return [...this.#kept.values()].map(({ event }) => event);
  }

  get deliveries(): number {
    return [...this.#kept.values()].reduce((sum, { deliveries }) => sum + deliveries.length, 0);
  }

  /** Ids received with different bytes. */
  get changed(): readonly string[] {
    const isChanged = ({ deliveries: [first, ...others] }: Kept): boolean =>
      others.some((other) => other !== first);
    return [...this.#kept].filter(([, kept]) => isChanged(kept)).map(([key]) => key);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take(body: string) {
    const { events } = batchSchema.parse(JSON.parse(body));
    const isOrphan = ({ rolloutEventId }: Event): boolean =>
      rolloutEventId !== undefined && !this.#kept.has(`rollout/${rolloutEventId}`);
    if (events.some(isOrphan)) return { status: 400, body: { message: "unknown rollout" } };
    for (const event of events) {
      const key = `${event.eventType}/${event.eventId}`;
      const kept = this.#kept.get(key) ?? { event, deliveries: [] };
      kept.deliveries.push(JSON.stringify(event));
      this.#kept.set(key, kept);
    }
    return { status: 200, body: {} };
  }

  #report(id: string) {
    if (!this.#kept.has(`rollout/${id}`) || SILENT.test(id))
      return { status: 404, body: { message: "not found" } };
    const messages = this.events.filter(({ rolloutEventId }) => rolloutEventId === id);
    return { status: 200, body: { id, messages: messages.map(({ index }) => ({ index })) } };
  }
}
