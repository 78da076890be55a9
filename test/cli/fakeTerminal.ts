/** A terminal that records its output as plain text. */

import { renderLine } from "../../src/cli/terminal/line.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";

export interface FakeTerminal extends Terminal {
  readonly lines: readonly string[];
  /** Every live line in order; null when it was removed. */
  readonly live: readonly (string | null)[];
}

export function createFakeTerminal({ columns = 80, isInteractive = false } = {}): FakeTerminal {
  const lines: string[] = [];
  const live: (string | null)[] = [];
  return {
    columns,
    isInteractive,
    lines,
    live,
    isClosed: false,
    fault: null,
    print: (printed) => {
      lines.push(...printed.map((line) => renderLine(line, false)));
    },
    showLive: (line) => {
      live.push(line === null ? null : renderLine(line, false));
    },
    drained: async () => undefined,
  };
}
