/** What a conversation is waiting for. */

import type { ChatEntry, ChatView } from "../../src/shared/chat.ts";

export type ChatState =
  | { readonly kind: "sampling"; readonly done: number; readonly total: number }
  /** Waiting for the environment (`calling`) or the person (`asked`) to answer a tool call. */
  | { readonly kind: "calling" | "asked"; readonly tool: string; readonly caller: string }
  | { readonly kind: "choice" | "stopped" | "message" | "over" };

export function chatState({ sampling, askedCall, task, settings, partners }: ChatView): ChatState {
  if (sampling !== null) return { kind: "sampling", ...sampling };
  if (askedCall !== null) {
    const isRun = task !== null && settings.answersBy === "environment";
    const caller = partners.find(({ next }) => next === "answers")?.label ?? "";
    return { kind: isRun ? "calling" : "asked", tool: askedCall, caller };
  }
  const waits = (next: string): boolean => partners.some((partner) => partner.next === next);
  if (waits("choice")) return { kind: "choice" };
  if (waits("turn")) return { kind: "stopped" };
  return { kind: waits("message") ? "message" : "over" };
}

/** True while work is in progress that can be stopped. */
export function isBusy({ kind }: ChatState): boolean {
  return kind === "sampling" || kind === "calling";
}

/** The person's message that undoing the last turn removes; empty if there is none. */
export function undoneMessage({ partners }: ChatView): string {
  const { entries = [], candidates = [] } = partners[0] ?? {};
  const last = candidates.length > 0 ? entries : withoutLastTurn(entries);
  const message = last.at(-1);
  return message?.kind === "message" ? message.text : "";
}

function withoutLastTurn(entries: readonly ChatEntry[]): readonly ChatEntry[] {
  if (entries.at(-1)?.kind === "message") return entries;
  const last = entries.findLastIndex(({ kind }) => kind === "turn");
  return last === -1 ? entries : entries.slice(0, last);
}
