/** What the page can send to the extension, and ask of it. */

import type {
  CommandArgs,
  DashboardCommand,
  DashboardQuestion,
  HostMessage,
} from "../../src/shared/dashboardMessages.ts";
import type { SavedFilter } from "../../src/shared/dashboardTypes.ts";
import type { RolloutKey } from "../../src/shared/rolloutSet.ts";

export type Answer = Extract<HostMessage, { readonly id: number | null }>;

export interface Host {
  /** Calls `take` with every message that is no answer. Call once. */
  listen(take: (message: HostMessage) => void): void;
  /** Calls `take` with each answer until the returned function is called. */
  ask(question: DashboardQuestion, take: (answer: Answer) => void): () => void;
  command(command: DashboardCommand, args?: CommandArgs): void;
  /** Shows another run, or one of its rollouts. */
  selectRun(id: string, key?: RolloutKey): void;
  requestColumns(names: readonly string[]): void;
  pinMetrics(names: readonly string[]): void;
  keepFilters(filters: readonly SavedFilter[]): void;
  loadState(): unknown;
  saveState(state: unknown): void;
}
