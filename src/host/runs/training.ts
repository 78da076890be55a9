/** A training from its terminal's point of view. */

import type { LaunchEnd, TerminalAction } from "./launchWatch.ts";

/** What a terminal needs from its training. */
export interface Training {
  /** Starts or joins the training, and resolves when it ends; null if it was not started. */
  follow(options: {
    readonly print: (text: string) => void;
    /** Aborted when the terminal is closed; a training that has not started yet is then dropped. */
    readonly signal: AbortSignal;
  }): Promise<LaunchEnd | null>;
  /** Sends an action; resolves with what will happen. */
  send(action: TerminalAction): Promise<string>;
  /** Called when the user closes the terminal while the training continues. */
  detached(): void;
}
