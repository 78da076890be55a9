/** A gateway between a client and a Tinker server that loses sessions, like a service that restarts or expires idle ones. */

import type { Filter, PassingAnswer, PassingRequest } from "./tinkerServersProxy.ts";

/** Loses a session at its n-th request to one endpoint. */
export interface Loss {
  readonly endpoint: string;
  readonly request: number;
  /** How later requests of the session are answered; with 400 they are accepted and then fail, as in SkyRL after it unloaded a model. */
  readonly status: 400 | 404 | 410;
  /** Only requests that contain this text count; absent = all do. */
  readonly containing?: string;
  /** The service receives the request before the session is lost. */
  readonly isTaken?: boolean;
}

export interface ForgetfulOptions {
  /** One per session, in order of creation; later sessions are kept. */
  readonly losses?: readonly Loss[];
  /** A session without requests for this long is lost; absent = never. */
  readonly silenceMs?: number;
  /** After this many sessions no other can begin until {@link ForgetfulService.reopen}; absent = no limit. */
  readonly closedAfter?: number;
}

interface Session {
  readonly id: string;
  readonly loss: Loss | null;
  count: number;
  readonly tickets: Set<string>;
  lastRequestMs: number;
  status: number | null;
}

/** Checkpoints outlive the session whose id is in their path. */
const CHECKPOINT_PATH = /tinker:\/\/[^"]*/g;
const OUTLIVING = /^\/api\/v1\/(training_runs|weights_info|sessions\/)/;

export class ForgetfulService implements Filter {
  readonly #options: ForgetfulOptions;
  readonly #sessions: Session[] = [];
  #isReopened = false;

  constructor(options: ForgetfulOptions) {
    this.#options = options;
  }

  get sessions(): number {
    return this.#sessions.length;
  }

  get lost(): number {
    return this.#sessions.filter(({ status }) => status !== null).length;
  }

  /** Allows new sessions again. */
  reopen(): void {
    this.#isReopened = true;
  }

  request(passing: PassingRequest): PassingRequest | PassingAnswer {
    const { closedAfter = Number.POSITIVE_INFINITY } = this.#options;
    const isClosed = !this.#isReopened && this.#sessions.length >= closedAfter;
    if (isClosed && passing.path.endsWith("/create_session")) {
      return { status: 503, type: "application/json", body: Buffer.from("{}") };
    }
    const session = this.#sessionOf(passing);
    if (session === null) return passing;
    const endpoint = passing.path.replace(/^\/api\/v1\//, "");
    if (this.#loses(session, endpoint, passing.body) && session.loss?.isTaken === true)
      return passing;
    const { status, id } = session;
    if (status === null || (status === 400 && endpoint !== "retrieve_future")) return passing;
    const detail = status === 400 ? `Model ${id} not loaded` : `There is no session ${id}.`;
    return { status, type: "application/json", body: Buffer.from(JSON.stringify({ detail })) };
  }

  /** True if this request loses the session. */
  #loses(session: Session, endpoint: string, body: Buffer): boolean {
    const { loss } = session;
    const isCounted = loss?.endpoint === endpoint && body.includes(loss.containing ?? "");
    if (isCounted) session.count += 1;
    const { silenceMs = Number.POSITIVE_INFINITY } = this.#options;
    const isSilent = Date.now() - session.lastRequestMs > silenceMs;
    session.lastRequestMs = Date.now();
    const isDue = isCounted && session.count >= loss.request;
    if (session.status !== null || !(isSilent || isDue)) return false;
    session.status = loss?.status ?? 404;
    return true;
  }

  answer(answer: PassingAnswer, to: PassingRequest): PassingAnswer {
    const text = answer.body.toString("latin1");
    const id = /"session_id":\s*"([^"]+)"/.exec(text)?.[1];
    if (to.path.endsWith("/create_session") && id !== undefined) this.#begin(id);
    const ticket = /"request_id":\s*"([^"]+)"/.exec(text)?.[1];
    if (ticket !== undefined) this.#sessionOf(to)?.tickets.add(ticket);
    return answer;
  }

  #begin(id: string): void {
    const loss = this.#options.losses?.[this.#sessions.length] ?? null;
    const begun = { id, loss, count: 0, tickets: new Set<string>() };
    this.#sessions.push({ ...begun, lastRequestMs: Date.now(), status: null });
  }

  #sessionOf({ path, body }: PassingRequest): Session | null {
    if (OUTLIVING.test(path)) return null;
    const text = body.toString("latin1").replace(CHECKPOINT_PATH, "");
    const ticket = /"request_id":\s*"([^"]+)"/.exec(text)?.[1];
    const isOf = ({ id, tickets }: Session): boolean =>
      text.includes(id) || (ticket !== undefined && tickets.has(ticket));
    return this.#sessions.find(isOf) ?? null;
  }
}
