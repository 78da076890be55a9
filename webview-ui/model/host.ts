/** What the page can send to the extension, and ask of it. */

import type {
  CommandArgs,
  DashboardCommand,
  DashboardQuestion,
  HostMessage,
} from "../../src/shared/dashboardMessages.ts";

export type Answer = Extract<HostMessage, { readonly id: number | null }>;

export interface Host {
  /** Calls `take` with every message that is no answer. Call once. */
  listen(take: (message: HostMessage) => void): void;
  /** Calls `take` with each answer until the returned function is called. */
  ask(question: DashboardQuestion, take: (answer: Answer) => void): () => void;
  command(command: DashboardCommand, args?: CommandArgs): void;
  selectRun(id: string): void;
  requestColumns(names: readonly string[]): void;
  pinMetrics(names: readonly string[]): void;
  loadState(): unknown;
  saveState(state: unknown): void;
}
