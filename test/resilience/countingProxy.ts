/** Forwards requests to an environment server and counts the sessions that are opened, refused and closed. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { passBack, type Served, sendOn, serveHere } from "../fakes/serveHere.ts";

export class CountingProxy {
  readonly #target: string;
  readonly #open = new Set<string>();
  /** Times of refused openings, in milliseconds since the first opening was accepted or refused. */
  readonly #refusedMs: number[] = [];
  #served: Served | null = null;
  #startedMs: number | null = null;
  #opened = 0;
  #most = 0;

  private constructor(target: string) {
    this.#target = target;
  }

  static async start(target: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(target);
    proxy.#served = await serveHere((asked, answer) => {
      proxy.#pass(asked, answer).catch(() => answer.destroy());
    });
    return proxy;
  }

  get address(): string {
    return this.#served?.url ?? "";
  }

  get opened(): number {
    return this.#opened;
  }

  /** The maximum number of sessions open at the same time. */
  get most(): number {
    return this.#most;
  }

  get stillOpen(): number {
    return this.#open.size;
  }

  /** Refusals in each of `count` equal parts of the time from the first opening until now. */
  refusedInParts(count: number): readonly number[] {
    const lengthMs = (Date.now() - (this.#startedMs ?? 0)) / count;
    const parts = Array.from({ length: count }, () => 0);
    for (const ms of this.#refusedMs) {
      const part = Math.min(count - 1, Math.floor(ms / lengthMs));
      parts[part] = (parts[part] ?? 0) + 1;
    }
    return parts;
  }

  close(): void {
    this.#served?.close();
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const reply = await sendOn(this.#target, asked, answer);
    this.#note(asked, reply.statusCode ?? 0);
    await passBack(reply, answer);
  }

  #note({ url, headers }: IncomingMessage, status: number): void {
    const sid = String(headers["x-session-id"] ?? "");
    if (url === "/create" || url === "/create_session") this.#startedMs ??= Date.now();
    if (status === 429) this.#refusedMs.push(Date.now() - (this.#startedMs ?? 0));
    if (url === "/create" && status === 200) {
      this.#opened += 1;
      this.#open.add(sid);
    }
    if (url === "/delete") this.#open.delete(sid);
    this.#most = Math.max(this.#most, this.#open.size);
  }
}
