/** Messages between the page and the extension, on the side of the page. */

import type { HostMessage, PageMessage } from "../../src/shared/dashboardMessages.ts";
import type { Answer, Host } from "./host.ts";

/** What the editor gives every page. */
interface VsCodeApi {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

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
      api.postMessage({ kind: "ready" });
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
    selectRun: (id, key) =>
      api.postMessage({ kind: "select-run", id, ...(key !== undefined && { key }) }),
    requestColumns: (names) => api.postMessage({ kind: "want-columns", names }),
    pinMetrics: (names) => api.postMessage({ kind: "pin-metrics", names }),
    keepFilters: (filters) => api.postMessage({ kind: "keep-filters", filters }),
    loadState: () => api.getState(),
    saveState: (state) => api.setState(state),
  };
}
