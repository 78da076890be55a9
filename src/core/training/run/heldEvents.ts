/** Events that watchers get later, in their order. */

import type { ProgressEvent, Watcher } from "./progress.ts";

export class HeldEvents {
  #held: ProgressEvent[] = [];
  #watch: Watcher | null = null;

  /** Holds the event until {@link release}; passes it on from then on. */
  readonly watch: Watcher = (event) => {
    if (this.#watch === null) this.#held.push(event);
    else this.#watch(event);
  };

  release(watch: Watcher): void {
    this.#watch = watch;
    for (const event of this.#held.splice(0)) watch(event);
  }
}
