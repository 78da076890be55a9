/** Messages and questions from the page to the host. */

import { BROWSER_COMMANDS } from "../../src/shared/browserMessages.ts";
import type {
  CommandArgs,
  DashboardCommand,
  DashboardQuestion,
  HostMessage,
  PageMessage,
} from "../../src/shared/dashboardMessages.ts";
import type { DashboardChoices } from "../../src/shared/dashboardTypes.ts";
import type { RolloutKey } from "../../src/shared/rolloutSet.ts";
import { connectShell } from "./shell.ts";

export type Answer = Extract<HostMessage, { readonly id: number | null }>;

/** The page's connection to the host. */
export type Host = ReturnType<typeof connectHost>;

export function connectHost() {
  const api = connectShell<PageMessage, HostMessage>("dashboard");
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  return {
    /** Passes every message that is not an answer to `take`. Call once. */
    listen: (take: (message: HostMessage) => void): void => {
      api.listen((message) => {
        if ("id" in message && message.id !== null) waiting.get(message.id)?.(message);
        else take(message);
      });
      api.postMessage({ kind: "ready" });
    },
    /** Calls `take` for each answer until the returned function is called. */
    ask: (question: DashboardQuestion, take: (answer: Answer) => void): (() => void) => {
      lastId += 1;
      const id = lastId;
      waiting.set(id, take);
      api.postMessage({ kind: "question", id, question });
      return () => {
        if (waiting.delete(id)) api.postMessage({ kind: "cancel", id });
      };
    },
    /** Like `ask`, after a delay during which the returned function cancels it. */
    askLater(question: DashboardQuestion, pauseMs: number, take: (answer: Answer) => void) {
      let cancel = (): void => undefined;
      const timer = setTimeout(() => {
        cancel = this.ask(question, take);
      }, pauseMs);
      return (): void => {
        clearTimeout(timer);
        cancel();
      };
    },
    /** Path of the page of all runs; null in the editor, which has its own. */
    runsPage: api.isEditor ? null : "runs",
    /** False in a browser for commands that only an editor can run. */
    can: (command: DashboardCommand): boolean =>
      api.isEditor || BROWSER_COMMANDS.some((known) => known === command),
    /** A menu entry for a command; empty if the command is not available. */
    menuItem(label: string, command: DashboardCommand, args: CommandArgs = {}) {
      return this.can(command) ? [{ label, run: () => this.command(command, args) }] : [];
    },
    command: (command: DashboardCommand, args: CommandArgs = {}): void =>
      api.postMessage({ kind: "command", command, args }),
    /** Shows another run, or a rollout of it. */
    selectRun: (id: string, key?: RolloutKey): void =>
      api.postMessage({ kind: "select-run", id, key }),
    requestColumns: (names: readonly string[]): void =>
      api.postMessage({ kind: "want-columns", names }),
    keep: (change: Partial<DashboardChoices>): void => api.postMessage({ kind: "keep", change }),
    loadState: (): unknown => api.getState(),
    saveState: (state: unknown): void => api.setState(state),
  };
}
