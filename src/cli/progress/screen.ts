/** A run's progress on a terminal: permanent lines, and a live line redrawn at a limited rate. */

import * as l10n from "@vscode/l10n";
import type { Clock } from "../../core/ports.ts";
import type { ProgressEvent } from "../../core/training/run/progress.ts";
import type { RunEnd } from "../../trainer/plan/types.ts";
import { nextStepLines } from "../terminal/endLines.ts";
import type { Invocation } from "../terminal/invocation.ts";
import { BLANK, type Line, styled } from "../terminal/line.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { eventLines, liveLine } from "./progressLines.ts";
import { advanceProgress, INITIAL_PROGRESS, type ProgressModel } from "./progressModel.ts";

export interface ScreenOptions {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly invocation: Invocation;
}

const REDRAW_MS = 100;

export class Screen {
  readonly #options: ScreenOptions;
  readonly #closing = new AbortController();
  #model: ProgressModel = INITIAL_PROGRESS;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  /** Lines of the last evaluation, as JSON: a run that ends at it reports its results once more. */
  #evaluated = "";

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  /** Receives the run's progress events. */
  readonly watch = (event: ProgressEvent): void => {
    const { terminal, invocation } = this.#options;
    this.#model = advanceProgress(this.#model, event);
    const layout = { width: terminal.columns, isLive: terminal.isInteractive, invocation };
    const lines = eventLines(event, this.#model, layout);
    if (event.kind !== "evaluated" || this.#isNew(lines)) this.print(lines);
    this.#redraw();
  };

  #isNew(lines: readonly Line[]): boolean {
    const before = this.#evaluated;
    this.#evaluated = JSON.stringify(lines);
    return this.#evaluated !== before;
  }

  /** Prints permanent lines. */
  print(lines: readonly Line[]): void {
    if (lines.length > 0) this.#options.terminal.print(lines);
  }

  /** Prints how to continue the run, and that it was stopped if the run itself did not report it. */
  printEnd({ outcome }: RunEnd): void {
    if (outcome === "done" || this.#model.hasEnded) return;
    const text =
      outcome === "stopped"
        ? l10n.t("stopped; there was nothing left to save")
        : l10n.t("stopped immediately, without saving");
    this.print([BLANK, [styled("warning", text)]]);
    this.printNextSteps();
  }

  /** Prints where the run is and how to continue it; nothing while it has no folder. */
  printNextSteps(): void {
    const { folder, canResume } = this.#model;
    if (folder !== null) this.print(nextStepLines(folder, canResume, this.#options.invocation));
  }

  /** Removes the live line; nothing is redrawn afterward. */
  close(): void {
    this.#closing.abort();
    this.#options.terminal.showLive(null);
  }

  #redraw(): void {
    const { clock, terminal } = this.#options;
    if (this.#isWaiting || !terminal.isInteractive || this.#closing.signal.aborted) return;
    const waitMs = this.#drawnAtMs + REDRAW_MS - clock.monotonic();
    if (waitMs <= 0) this.#draw();
    else {
      this.#isWaiting = true;
      clock.sleep(waitMs, this.#closing.signal).then(
        () => this.#draw(),
        // Closing aborts the wait; there is nothing left to draw.
        () => undefined,
      );
    }
  }

  #draw(): void {
    this.#isWaiting = false;
    this.#drawnAtMs = this.#options.clock.monotonic();
    this.#options.terminal.showLive(liveLine(this.#model));
  }
}
