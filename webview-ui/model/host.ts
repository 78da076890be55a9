/** What the page can send to the extension, and ask of it. */

import { BROWSER_COMMANDS } from "../../src/shared/browserMessages.ts";
import type {
  CommandArgs,
  DashboardCommand,
  DashboardQuestion,
  HostMessage,
  PageMessage,
} from "../../src/shared/dashboardMessages.ts";
import type { ChosenCharts, SavedFilter } from "../../src/shared/dashboardTypes.ts";
import type { RolloutKey } from "../../src/shared/rolloutSet.ts";
import { connectShell } from "./shell.ts";

export type Answer = Extract<HostMessage, { readonly id: number | null }>;

/** What the page can send to the extension, and ask of it. */
export type Host = ReturnType<typeof connectHost>;

export function connectHost() {
  const api = connectShell<PageMessage, HostMessage>("dashboard");
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  return {
    /** Calls `take` with every message that is no answer. Call once. */
    listen: (take: (message: HostMessage) => void): void => {
      api.listen((message) => {
        if ("id" in message && message.id !== null) waiting.get(message.id)?.(message);
        else take(message);
      });
      api.postMessage({ kind: "ready" });
    },
    /** Calls `take` with each answer until the returned function is called. */
    ask: (question: DashboardQuestion, take: (answer: Answer) => void): (() => void) => {
      lastId += 1;
      const id = lastId;
      waiting.set(id, take);
      api.postMessage({ kind: "question", id, question });
      return () => {
        if (waiting.delete(id)) api.postMessage({ kind: "cancel", id });
      };
    },
    /** As `ask`, after a pause in which the returned function may be called. */
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
    /** The page of all runs; null where the editor has its own way to it. */
    runsPage: api.isEditor ? null : "runs",
    /** False for what only an editor can do, in a browser. */
    can: (command: DashboardCommand): boolean =>
      api.isEditor || BROWSER_COMMANDS.some((known) => known === command),
    /** An entry of a menu that gives a command; none where it cannot be done. */
    menuItem(label: string, command: DashboardCommand, args: CommandArgs = {}) {
      return this.can(command) ? [{ label, run: () => this.command(command, args) }] : [];
    },
    command: (command: DashboardCommand, args: CommandArgs = {}): void =>
      api.postMessage({ kind: "command", command, args }),
    /** Shows another run, or one of its rollouts. */
    selectRun: (id: string, key?: RolloutKey): void =>
      api.postMessage({ kind: "select-run", id, key }),
    requestColumns: (names: readonly string[]): void =>
      api.postMessage({ kind: "want-columns", names }),
    chooseCharts: (charts: ChosenCharts): void =>
      api.postMessage({ kind: "choose-charts", charts }),
    closeDemoCard: (): void => api.postMessage({ kind: "close-demo-card" }),
    keepFilters: (filters: readonly SavedFilter[]): void =>
      api.postMessage({ kind: "keep-filters", filters }),
    loadState: (): unknown => api.getState(),
    saveState: (state: unknown): void => api.setState(state),
  };
}
