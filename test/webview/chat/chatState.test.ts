import { describe, expect, it } from "vitest";
import type { ChatEntry, ChatPartnerView, ChatView } from "../../../src/shared/chat.ts";
import { chatState, isBusy, undoneMessage } from "../../../webview-ui/chat/chatState.ts";
import { aPartner, aTurn, aView } from "../../fakes/chatViews.ts";

/** A chat about a task, in which the partners have these next actions. */
function waiting(
  next: readonly ChatPartnerView["next"][],
  changes: Partial<ChatView> = {},
): ChatView {
  const partners = next.map((each) => aPartner({ next: each }));
  return aView(partners, { task: "local/calculator train 0", ...changes });
}

describe("the next input that a chat waits for", () => {
  const person = { ...aView([]).settings, answersBy: "person" } as const;
  it.each<readonly [string, ChatView, string, boolean]>([
    ["samples", waiting(["turn"], { sampling: { done: 0, total: 1 } }), "sampling", true],
    ["the environment", waiting(["answers"], { askedCall: "calc" }), "calling", true],
    [
      "the person's answer",
      waiting(["answers"], { askedCall: "calc", settings: person }),
      "asked",
      false,
    ],
    [
      "the person's answer where there is no environment",
      waiting(["answers"], { askedCall: "calc", task: null }),
      "asked",
      false,
    ],
    ["a choice", waiting(["choice", "message"]), "choice", false],
    ["a word to go on after a stop", waiting(["turn"]), "stopped", false],
    ["a message to one of two", waiting(["nothing", "message"]), "message", false],
    ["nothing", waiting(["nothing"]), "over", false],
  ])("is %s", (_, view, kind, busy) => {
    const state = chatState(view);
    expect([state.kind, isBusy(state)]).toEqual([kind, busy]);
  });
});

describe("the message that an undo restores", () => {
  const turn: ChatEntry = { kind: "turn", turn: aTurn() };
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
    expect(undoneMessage(aView([aPartner({ entries })]))).toBe(text);
  });
});
