/** The page's side of the talk with the extension. */

import {
  type CommandArgs,
  type HostMessage,
  PANEL_VERSION,
  type PageMessage,
  type PanelCommand,
  type PanelQuestion,
} from "../src/shared/panelMessages.ts";

/** What the editor gives every page. */
interface VsCodeApi {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

type Answer = Extract<HostMessage, { readonly id: number | null }>;

export interface Host {
  /** Calls `take` with every message that is no answer. Call once. */
  listen(take: (message: HostMessage) => void): void;
  /** Calls `take` with each answer until the returned function is called. */
  ask(question: PanelQuestion, take: (answer: Answer) => void): () => void;
  command(command: PanelCommand, args?: CommandArgs): void;
  selectRun(id: string): void;
  wantColumns(names: readonly string[]): void;
  loadState(): unknown;
  saveState(state: unknown): void;
}

export function connectHost(): Host {
  const api = acquireVsCodeApi();
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  return {
    listen: (take) => {
      window.addEventListener("message", (event: MessageEvent<HostMessage>) => {
        const message = event.data;
        if ("id" in message && message.id !== null) waiting.get(message.id)?.(message);
        else take(message);
      });
      api.postMessage({ kind: "ready", version: PANEL_VERSION });
    },
    ask: (question, take) => {
      lastId += 1;
      const id = lastId;
      waiting.set(id, take);
      api.postMessage({ kind: "question", id, question });
      return () => {
        if (waiting.delete(id)) api.postMessage({ kind: "cancel", id });
      };
    },
    command: (command, args = {}) => api.postMessage({ kind: "command", command, args }),
    selectRun: (id) => api.postMessage({ kind: "select-run", id }),
    wantColumns: (names) => api.postMessage({ kind: "want-columns", names }),
    loadState: () => api.getState(),
    saveState: (state) => api.setState(state),
  };
}
