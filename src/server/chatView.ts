/** The editor's view of a conversation. */

import type { ModelTurn } from "../core/conversation/modelTurn.ts";
import type { Talk, TalkListener } from "../core/conversation/talk.ts";
import { scoreRewards } from "../core/rollout/rewards.ts";
import { writeExactJson } from "../core/util/exactJson.ts";
import type { ChatEntry, ChatPartnerView, ChatTurnView, ChatView } from "../shared/chat.ts";
import type { ChatPartner, OpenChat } from "../trainer/chat/openChat.ts";

export type SamplingProgress = Parameters<TalkListener<ChatPartner>["onSampling"]>[0];

/** Contains no secrets. */
export function chatView(
  { task, notes, clean }: Pick<OpenChat, "task" | "notes" | "clean">,
  talk: Talk<ChatPartner>,
  sampling: SamplingProgress,
): ChatView {
  const { settings, askedCall, partners } = talk;
  const { temperature = 1, maxTokens = null } = partners[0]?.sampling ?? {};
  return clean({
    task,
    notes,
    sampling,
    askedCall,
    settings,
    configured: { temperature, maxTokens },
    partners: partners.map(partnerView),
  });
}

function partnerView({
  label,
  conversation,
  settings,
  used,
  decode,
}: ChatPartner): ChatPartnerView {
  const { next, events, candidates, context, rewards } = conversation;
  const first = events.find((event) => event.kind === "turn")?.turn.context ?? context;
  const isOpened = events[0]?.kind !== "message";
  const { clamped } = scoreRewards(rewards, true, settings.rewards);
  return {
    label,
    next,
    opening: isOpened ? decode(first) : "",
    entries: events.map((event): ChatEntry => {
      if (event.kind === "turn") return { kind: "turn", turn: turnView(event.turn) };
      if (event.kind === "message") return { kind: "message", text: event.content };
      const { kind, by, answers } = event;
      return { kind, by, answers: answers.map(({ record }) => record) };
    }),
    candidates: candidates.map(turnView),
    tokens: context.length,
    used: used(),
    reward: next === "nothing" ? clamped : null,
  };
}

function turnView({ parsed, calls, text, tokens, stopReason }: ModelTurn): ChatTurnView {
  return {
    thinking: parsed.reasoning,
    text: parsed.content,
    calls: calls.map(({ name, args }) => ({ name, args: writeExactJson(args) })),
    errors: parsed.errors.map(({ message, raw }) => ({ message, raw })),
    raw: text,
    tokens: tokens.length,
    isCut: stopReason === "length" && !parsed.ended,
  };
}
