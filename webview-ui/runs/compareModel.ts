/** Metrics of the compared runs as they arrive, and which of them the charts read. */

import { signal } from "@preact/signals";
import { MAX_COMPARED, type RunColumns } from "../../src/shared/runsPage.ts";
import { ColumnStore } from "../charts/columns.ts";

export class CompareModel {
  readonly #columns = new Map<string, ColumnStore>();
  readonly #names = new Set<string>();
  readonly #request: (ids: readonly string[], names: readonly string[]) => void;
  #ids: readonly string[] = [];
  #isScheduled = false;
  /** What has arrived since the last frame. */
  #arrived: "nothing" | "names" | "numbers" = "nothing";
  /** Changes when numbers arrive, at most once per frame. */
  readonly version = signal(0);
  /** Changes when numbers or metric names arrive, at most once per frame. */
  readonly named = signal(0);

  /** `request` asks for the numbers of exactly these runs. */
  constructor(request: (ids: readonly string[], names: readonly string[]) => void) {
    this.#request = request;
  }

  /** Call with the compared runs whenever they change, and with the metrics that will be drawn first. */
  show(ids: readonly string[], names: readonly string[]): void {
    for (const name of names) this.#names.add(name);
    const compared = ids.slice(0, MAX_COMPARED);
    if (compared.join() === this.#ids.join()) return;
    this.#ids = compared;
    for (const id of this.#columns.keys()) {
      if (!compared.includes(id)) this.#columns.delete(id);
    }
    this.#schedule();
  }

  /** Empty until numbers arrive. Reading a column requests it. */
  of(id: string): ColumnStore {
    const present = this.#columns.get(id);
    if (present !== undefined) return present;
    const columns = new ColumnStore((names) => {
      const before = this.#names.size;
      for (const name of names) this.#names.add(name);
      if (this.#names.size > before) this.#schedule();
    });
    this.#columns.set(id, columns);
    return columns;
  }

  take({ id, isReset, names, rows, steps, columns }: RunColumns): void {
    if (!this.#ids.includes(id)) return;
    const store = this.of(id);
    if (isReset) store.reset([]);
    store.append({ names, rows, steps, columns });
    const isFirst = this.#arrived === "nothing";
    if (isReset || steps !== null || columns.length > 0) this.#arrived = "numbers";
    else if (isFirst) this.#arrived = "names";
    // Every change redraws all charts, and the runs arrive in many messages.
    if (isFirst) requestAnimationFrame(() => this.#report());
  }

  #report(): void {
    if (this.#arrived === "numbers") this.version.value += 1;
    this.named.value += 1;
    this.#arrived = "nothing";
  }

  /** Batches everything that one render reads into a single message. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.#request(this.#ids, [...this.#names]);
    });
  }
}
