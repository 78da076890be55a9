/** OpenReward's platform in memory. It drops nothing and merges nothing, so that duplicates remain visible. */

import type { HttpRequest } from "../../../src/core/ports.ts";
import { FakeHttp, type FakeReply, jsonBody } from "../../fakes/fakeHttp.ts";

export type Event = Readonly<Record<string, unknown>>;

export interface TakenRollout {
  readonly starts: Event[];
  readonly messages: Event[];
  readonly updates: Event[];
}

/**
 * `lost`: accepted, but the answer never arrives; `late`: accepted, but a gateway answers first; `broken`: the connection
 *   breaks before anything is accepted.
 */
type Fault = Exclude<FakeReply, "lost"> | "lost" | "late" | "broken" | null;

export class UploadService {
  readonly rollouts = new Map<string, TakenRollout>();
  readonly http = new FakeHttp((request) => this.#answer(request));
  /** Called before each POST. */
  fault: (posts: number, events: readonly Event[]) => Fault = () => null;
  /** Called before it reports what has arrived of a rollout. */
  asked: (questions: number) => FakeReply | null = () => null;
  #questions = 0;
  /** Ids by environment. */
  readonly catalogue = new Map<string, string>();
  /** False: it does not support queries for what has arrived. */
  reportsArrived = true;
  posts = 0;

  get names(): readonly unknown[] {
    return [...this.rollouts.values()].map(({ starts }) => starts[0]?.["rolloutName"]);
  }

  #answer(request: HttpRequest): FakeReply {
    const { pathname } = new URL(request.url);
    if (request.method === "POST") return this.#post(jsonBody(request)["events"] as Event[]);
    if (pathname.startsWith("/v1/environments/")) return this.#lookUp(pathname);
    this.#questions += 1;
    const instead = this.asked(this.#questions);
    if (instead !== null) return instead;
    const found = this.rollouts.get(pathname.split("/").at(-1) ?? "");
    if (!this.reportsArrived || found === undefined)
      return { status: 404, json: { message: "Not found" } };
    return { json: { id: "x", messages: found.messages } };
  }

  #lookUp(pathname: string): FakeReply {
    const [owner, name, more] = pathname.split("/").slice(3);
    if (more === "variants") return { json: [{ id: "id-of-hard", name: "hard" }] };
    const id = this.catalogue.get(`${owner}/${name}`);
    return id === undefined ? { status: 404 } : { json: { id } };
  }

  #post(events: readonly Event[]): FakeReply {
    this.posts += 1;
    const fault = this.fault(this.posts, events);
    if (fault === "broken") return "lost";
    if (fault !== null && fault !== "lost" && fault !== "late") return fault;
    for (const event of events) {
      const isTaken = this.#take(event);
      if (!isTaken) return { status: 400, json: { message: "unknown rollout" } };
    }
    if (fault === "late") return { status: 504 };
    return fault ?? { json: { status: "ok" } };
  }

  #take(event: Event): boolean {
    if (event["eventType"] === "rollout") {
      const id = String(event["eventId"]);
      const known = this.rollouts.get(id) ?? { starts: [], messages: [], updates: [] };
      known.starts.push(event);
      this.rollouts.set(id, known);
      return true;
    }
    const isUpdate = event["eventType"] === "rollout_update";
    const owner = this.rollouts.get(String(event[isUpdate ? "eventId" : "rolloutEventId"]));
    owner?.[isUpdate ? "updates" : "messages"].push(event);
    return owner !== undefined;
  }
}
