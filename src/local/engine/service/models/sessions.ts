/** Client sessions: who may submit requests, and who owns which models and samplers. */

import { refusal } from "../../../http/refusal.ts";
import type { UserMetadata } from "../checkpoints/checkpointRecord.ts";

export interface ServiceSession {
  readonly id: string;
  readonly userMetadata: UserMetadata;
  readonly displayName: string | null;
  readonly modelIds: ReadonlySet<string>;
  readonly samplerIds: ReadonlySet<string>;
}

interface OpenSession extends ServiceSession {
  readonly modelIds: Set<string>;
  readonly samplerIds: Set<string>;
  isFinished: boolean;
}

export interface NewSession {
  readonly userMetadata: UserMetadata;
  readonly displayName: string | null;
}

/** Sessions end only by `finish`: if a client dies, this process ends too. */
export class Sessions {
  readonly #uuid: () => string;
  readonly #sessions = new Map<string, OpenSession>();

  constructor({ uuid }: { readonly uuid: () => string }) {
    this.#uuid = uuid;
  }

  create(session: NewSession): ServiceSession {
    const created = {
      ...session,
      id: this.#uuid(),
      modelIds: new Set<string>(),
      samplerIds: new Set<string>(),
      isFinished: false,
    };
    this.#sessions.set(created.id, created);
    return created;
  }

  /** Newest first. */
  list(): readonly ServiceSession[] {
    return [...this.#sessions.values()].reverse();
  }

  /** @throws AppError `http-refused` 404 */
  get(id: string): ServiceSession {
    return this.#known(id);
  }

  /** @throws AppError `http-refused` 404, or 410 once it is finished, which stops the client's heartbeat */
  heartbeat(id: string): void {
    if (this.#known(id).isFinished) throw refusal(410, `The session ${id} has finished.`);
  }

  /** @throws AppError `http-refused` 404, or 400 once it is finished */
  checkOpen(id: string): void {
    if (this.#known(id).isFinished) {
      throw refusal(400, `The session ${id} has finished; create a new one.`);
    }
  }

  addModel(id: string, modelId: string): void {
    this.#known(id).modelIds.add(modelId);
  }

  addSampler(id: string, samplerId: string): void {
    this.#known(id).samplerIds.add(samplerId);
  }

  /** May be called repeatedly. */
  finish(id: string): ServiceSession {
    const session = this.#known(id);
    session.isFinished = true;
    return session;
  }

  #known(id: string): OpenSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw refusal(404, `There is no session ${id}.`);
    return session;
  }
}
