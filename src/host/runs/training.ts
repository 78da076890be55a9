/** A training as its terminal sees it. */

import type { LaunchEnd, TerminalAction } from "./launchWatch.ts";

/** What the terminal needs of the training behind it. */
export interface Training {
  /** Starts or joins it, and resolves at its end; null when it was not started after all. */
  follow(options: {
    readonly print: (text: string) => void;
    /** Aborted when the terminal is closed: what was not started yet need not start. */
    readonly signal: AbortSignal;
  }): Promise<LaunchEnd | null>;
  /** Sends it an action; resolves with what it will do. */
  send(action: TerminalAction): Promise<string>;
  /** The user closed the terminal while it continued. */
  detached(): void;
}
