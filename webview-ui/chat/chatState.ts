/** What a conversation waits for. */

import type { ChatView } from "../../src/shared/chat.ts";

export type ChatState =
  | { readonly kind: "sampling"; readonly done: number; readonly total: number }
  /** The environment answers a call, or the person does. */
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

/** True while the program works and can be stopped. */
export function isBusy({ kind }: ChatState): boolean {
  return kind === "sampling" || kind === "calling";
}
