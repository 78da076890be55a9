/** A live line that shows how many samples are there, and for how long they have been under way. */

import type { Clock } from "../core/ports.ts";
import { formatDuration } from "../shared/format.ts";
import { l10n } from "../shared/l10n.ts";
import { styled } from "./line.ts";
import type { Terminal } from "./terminal.ts";

const REDRAW_MS = 500;

export class UnderWay {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #total: number;
  readonly #startedAtMs: number;
  #done = 0;
  #stopTimer: () => void = () => undefined;

  constructor(terminal: Terminal, clock: Clock, total: number) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#total = total;
    this.#startedAtMs = clock.monotonic();
    this.#draw();
  }

  /** Counts a sample that is there. */
  add(): void {
    this.#done += 1;
    this.close();
    this.#draw();
  }

  close(): void {
    this.#stopTimer();
    this.#terminal.showLive(null);
  }

  #draw(): void {
    const elapsed = formatDuration((this.#clock.monotonic() - this.#startedAtMs) / 1000);
    const what =
      this.#total === 1
        ? l10n.t("sampling, {0}; Ctrl+C stops", elapsed)
        : l10n.t("sampling, {0} of {1}, {2}; Ctrl+C stops", this.#done, this.#total, elapsed);
    this.#terminal.showLive([styled("quiet", what)]);
    this.#stopTimer = this.#clock.after(REDRAW_MS, () => this.#draw());
  }
}
