/** Conversation turns as terminal lines. */

import * as l10n from "@vscode/l10n";
import type { ModelTurn } from "../../core/conversation/modelTurn.ts";
import type { ToolAnswer } from "../../core/rollout/runCalls.ts";
import { writeExactJson } from "../../core/util/exactJson.ts";
import { visibleToken } from "../../core/util/visibleText.ts";
import type { ChatSettings } from "../../shared/chat.ts";
import { plural } from "../../shared/format.ts";
import type { ChatPartner, OpenChat } from "../../trainer/chat/openChat.ts";
import { type Line, quietLine, styled } from "../terminal/line.ts";
import { tableLines } from "../terminal/table.ts";
import { blockWriter, resultLines, spokenLines } from "../terminal/turnBlocks.ts";

export interface ShownOptions {
  /** Code points per row. */
  readonly width: number;
  /** Redacts secrets. */
  readonly clean: <T extends object>(record: T) => T;
}

export function turnLines(
  { parsed, calls, text, tokens, stopReason, wereMissing }: ModelTurn,
  { title, width, clean }: ShownOptions & { readonly title: string | null },
): readonly Line[] {
  const { reasoning, content, errors, ended } = parsed;
  const facts = [
    plural(tokens.length, "{0} token", "{0} tokens"),
    ...(stopReason === "length" && !ended ? [l10n.t("cut off at the token limit")] : []),
    ...(wereMissing ? [l10n.t("the service returned no log-probabilities")] : []),
  ];
  const written = calls.map(({ name, args }) => ({ name, args: writeExactJson(args) }));
  const said = errors.map(({ kind, message, raw }) => ({ kind, message, raw }));
  const spoken = clean({ reasoning, content, errors: said, calls: written, sampledText: text });
  const block = blockWriter(width);
  return [
    ...(title === null ? [] : [[styled("strong", title)]]),
    ...spokenLines(spoken, block),
    ...block("", facts.join(", "), "quiet"),
  ];
}

export function answerLines(
  answers: readonly ToolAnswer[],
  { width, clean }: ShownOptions,
): readonly Line[] {
  const block = blockWriter(width);
  return answers.flatMap(({ record }) => resultLines(clean(record), block));
}

/** The models, and what they continue from. */
export function openingLines(
  { partners, task, notes }: Pick<OpenChat, "partners" | "task" | "notes">,
  { temperature, maxTokens, seed }: ChatSettings,
  { width, clean }: ShownOptions,
): readonly Line[] {
  const block = blockWriter(width);
  const [first] = partners;
  const most = maxTokens ?? first?.sampling.maxTokens ?? 0;
  const facts = [
    l10n.t("temperature {0}", temperature ?? first?.sampling.temperature ?? ""),
    l10n.t("seed {0}", seed),
    plural(most, "at most {0} token per turn", "at most {0} tokens per turn"),
    l10n.t("/help lists the commands"),
  ];
  const context = first?.conversation.context ?? [];
  const before = clean({ text: first?.decode(context) ?? "" }).text;
  return [
    ...partners.map(({ label }): Line => [styled("strong", label)]),
    ...notes.map((note): Line => [styled("warning", note)]),
    ...(task === null ? [] : block(l10n.t("task"), task)),
    ...block("", facts.join(", "), "quiet"),
    ...(context.length === 0 ? [] : block(l10n.t("context"), before, "quiet")),
  ];
}

/** The token ids of a turn, one per row. */
export function turnTokenLines(
  { tokens, logprobs, context }: ModelTurn,
  { decode }: Pick<ChatPartner, "decode">,
  width: number,
): readonly Line[] {
  const rows = tokens.map((id, i) => [
    String(context.length + i),
    String(id),
    visibleToken(decode([id])),
    logprobs?.[i]?.toFixed(4) ?? "",
  ]);
  const sent = plural(
    context.length,
    "{0} token was sent before it.",
    "{0} tokens were sent before it.",
  );
  return [
    quietLine(sent),
    ...tableLines(
      [
        { title: l10n.t("index"), align: "right" },
        { title: l10n.t("id"), align: "right" },
        { title: l10n.t("token"), align: "left", canShrink: true },
        { title: l10n.t("log-probability"), align: "right" },
      ],
      rows,
      width,
    ),
  ];
}
