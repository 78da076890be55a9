/** A live line with the number of finished samples and the elapsed time. */

import * as l10n from "@vscode/l10n";
import type { Clock } from "../../core/ports.ts";
import { formatDuration } from "../../shared/format.ts";
import { quietLine } from "../terminal/line.ts";
import type { Terminal } from "../terminal/terminal.ts";

const REDRAW_MS = 500;

interface Progress {
  readonly done: number;
  readonly total: number;
}

export class SamplingLine {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  /** Null while nothing is in progress. */
  #startedAtMs: number | null = null;
  #stopTimer: () => void = () => undefined;

  constructor(terminal: Terminal, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
  }

  /** Shows the progress from now on; null removes the line. */
  show(progress: Progress | null): void {
    this.#stopTimer();
    if (progress === null) {
      this.#startedAtMs = null;
      this.#terminal.showLive(null);
      return;
    }
    this.#startedAtMs ??= this.#clock.monotonic();
    this.#draw(progress, this.#startedAtMs);
  }

  #draw(progress: Progress, startedAtMs: number): void {
    const { done, total } = progress;
    const elapsed = formatDuration((this.#clock.monotonic() - startedAtMs) / 1000);
    const what =
      total === 1
        ? l10n.t("sampling, {0}; Ctrl+C stops", elapsed)
        : l10n.t("sampling, {0} of {1}, {2}; Ctrl+C stops", done, total, elapsed);
    this.#terminal.showLive(quietLine(what));
    this.#stopTimer = this.#clock.after(REDRAW_MS, () => this.#draw(progress, startedAtMs));
  }
}
