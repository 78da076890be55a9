/** Turns and results of a conversation as JSON, for programs. */

import type { ModelTurn } from "../../core/conversation/modelTurn.ts";
import { chatAnswersOutput, chatTurnOutput } from "../../core/outputs/chatOutput.ts";
import { finite } from "../../core/outputs/output.ts";
import type { ToolAnswer } from "../../core/rollout/runCalls.ts";
import { writeExactJson } from "../../core/util/exactJson.ts";
import type { ChatPartner } from "../../trainer/chat/openChat.ts";

/** A turn with its token ids; `turn` and `sample` count from 1. */
export function turnJson(
  { label }: Pick<ChatPartner, "label">,
  { context, tokens, logprobs, seed, stopReason, parsed, calls, text }: ModelTurn,
  place: { readonly turn: number; readonly sample: number },
) {
  return chatTurnOutput.of({
    kind: "turn",
    model: label,
    ...place,
    seed,
    stop_reason: stopReason,
    thinking: parsed.reasoning,
    text: parsed.content,
    calls: calls.map(({ name, args }) => ({ name, arguments: writeExactJson(args) })),
    errors: parsed.errors.map(({ message, raw }) => ({ message, raw })),
    raw: text,
    context,
    tokens,
    logprobs: logprobs?.map(finite) ?? null,
  });
}

export function answersJson(
  { label }: Pick<ChatPartner, "label">,
  by: "environment" | "person",
  answers: readonly ToolAnswer[],
  turn: number,
) {
  const records = answers.map(({ record }) => record);
  return chatAnswersOutput.of({ kind: "answers", model: label, turn, by, answers: records });
}

/** The whole conversation, for a file. */
export function conversationJson(partner: ChatPartner) {
  let turn = 0;
  return partner.conversation.events.map((event) => {
    if (event.kind === "turn") {
      turn += 1;
      return turnJson(partner, event.turn, { turn, sample: 1 });
    }
    if (event.kind === "answers") return answersJson(partner, event.by, event.answers, turn);
    return { kind: "message", model: partner.label, text: event.content };
  });
}
