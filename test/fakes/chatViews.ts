/** Views of the chat page, as the extension would send them. */

import type { ChatPartnerView, ChatTurnView, ChatView } from "../../src/shared/chat.ts";

export function aTurn(changes: Partial<ChatTurnView> = {}): ChatTurnView {
  return {
    thinking: null,
    text: "Six.",
    calls: [],
    errors: [],
    raw: "Six.<|im_end|>",
    tokens: 3,
    isCut: false,
    ...changes,
  };
}

export function aPartner(changes: Partial<ChatPartnerView> = {}): ChatPartnerView {
  return {
    label: "run · one",
    next: "message",
    opening: "",
    entries: [],
    candidates: [],
    tokens: 10,
    reward: null,
    used: { tokens: 12, costUsd: null },
    ...changes,
  };
}

export function aView(
  partners: readonly ChatPartnerView[],
  changes: Partial<ChatView> = {},
): ChatView {
  return {
    task: null,
    notes: [],
    sampling: null,
    askedCall: null,
    partners,
    settings: { temperature: null, maxTokens: null, seed: 5, samples: 1, answersBy: "environment" },
    configured: { temperature: 1, maxTokens: 48 },
    ...changes,
  };
}
