/** A task's terminal for a training that the test provides. */

import type { Training } from "../../../src/host/runs/trainings.ts";
import { RunTerminal } from "../../../src/host/task/runTerminal.ts";

export function aTraining(changes: Partial<Training> = {}): Training {
  return {
    follow: async () => ({ exitCode: 0, error: null, folder: "/run" }),
    send: async () => "It will.",
    detached: () => undefined,
    ...changes,
  };
}

/** The terminal's output, and the exit codes passed to VS Code. */
export function opened(training: Training, show?: () => void) {
  const terminal = new RunTerminal(training, show);
  let text = "";
  const codes: unknown[] = [];
  terminal.onDidWrite((piece) => {
    text += piece;
  });
  terminal.onDidClose((code) => codes.push(code));
  terminal.open();
  return { terminal, text: () => text, codes };
}
