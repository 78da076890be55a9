import { describe, expect, it } from "vitest";
import type { ChatEntry, ChatPartnerView, ChatView } from "../../../src/shared/chat.ts";
import { chatState, isBusy, undoneMessage } from "../../../webview-ui/chat/chatState.ts";

function aView(
  next: readonly ChatPartnerView["next"][],
  changes: Partial<ChatView> = {},
): ChatView {
  return {
    task: "local/calculator train 0",
    notes: [],
    sampling: null,
    askedCall: null,
    settings: { temperature: null, maxTokens: null, seed: 1, samples: 1, answersBy: "environment" },
    configured: { temperature: 1, maxTokens: 48 },
    partners: next.map((each) => ({
      label: "model",
      next: each,
      opening: "",
      entries: [],
      candidates: [],
      tokens: 1,
      reward: null,
      used: { tokens: 12, costUsd: null },
    })),
    ...changes,
  };
}

describe("what a conversation waits for", () => {
  const person = { ...aView([]).settings, answersBy: "person" } as const;
  it.each<readonly [string, ChatView, string, boolean]>([
    ["samples", aView(["turn"], { sampling: { done: 0, total: 1 } }), "sampling", true],
    ["the environment", aView(["answers"], { askedCall: "calc" }), "calling", true],
    [
      "the person's answer",
      aView(["answers"], { askedCall: "calc", settings: person }),
      "asked",
      false,
    ],
    [
      "the person's answer where there is no environment",
      aView(["answers"], { askedCall: "calc", task: null }),
      "asked",
      false,
    ],
    ["a choice", aView(["choice", "message"]), "choice", false],
    ["a word to go on after a stop", aView(["turn"]), "stopped", false],
    ["a message to one of two", aView(["nothing", "message"]), "message", false],
    ["nothing", aView(["nothing"]), "over", false],
  ])("is %s", (_, view, kind, busy) => {
    const state = chatState(view);
    expect([state.kind, isBusy(state)]).toEqual([kind, busy]);
  });
});

describe("the message that an undo takes back", () => {
  const turn: ChatEntry = {
    kind: "turn",
    turn: { thinking: null, text: "", calls: [], errors: [], raw: "", tokens: 1, isCut: false },
  };
  const message = (text: string): ChatEntry => ({ kind: "message", text });
  const answers: ChatEntry = { kind: "answers", by: "environment", answers: [] };
  it.each<readonly [string, readonly ChatEntry[]]>([
    ["two", [message("one"), turn, message("two"), turn]],
    ["two", [message("one"), turn, message("two")]],
    ["one", [message("one"), turn, answers]],
    ["", [message("one"), turn, answers, turn]],
    ["", [turn]],
    ["", []],
  ])("is %j", (text, entries) => {
    const view = aView(["message"]);
    const partners = view.partners.map((partner) => ({ ...partner, entries }));
    expect(undoneMessage({ ...view, partners })).toBe(text);
  });
});
