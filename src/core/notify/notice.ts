/** News of a run, before it is decided who gets it, and in which form. */

import type { AlarmSeverity } from "../alarms/alarm.ts";
import type { NotifyConfig } from "../config/fields/schema.ts";
import { oneLine } from "../util/textEdges.ts";

export type NotifyEvent = NotifyConfig["on"][number];

/** The run at the time of a notice; null for what is not known, or does not apply. */
export interface NoticeFacts {
  readonly run: string;
  readonly model: string;
  readonly outcome: "done" | "stopped" | "failed" | null;
  /** Completed steps. */
  readonly step: number | null;
  readonly total_steps: number | null;
  /** Mean of the last step. */
  readonly reward: number | null;
  /** Of the last step of a supervised run. */
  readonly loss: number | null;
  /** Of the whole run. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly max_cost_usd: number | null;
  readonly alarm: string | null;
  readonly severity: AlarmSeverity | null;
  /** Of the newest evaluation, or of each model of an evaluation by itself. */
  readonly results: readonly NoticeResult[];
}

export type NoticeResult = {
  /** Null for the weights of the run itself. */
  readonly model: string | null;
  readonly environment: string;
  readonly split: string;
  readonly temperature: number;
  /** Mean. */
  readonly reward: number;
};

export interface Notice {
  /** What it counts as; the first one is its name. A run that a budget ends counts as both. */
  readonly events: readonly [NotifyEvent, ...NotifyEvent[]];
  /** Equal for notices that say the same again: the alarm, or how the run ended. */
  readonly key: string;
  /** True for the end of an attempt. */
  readonly isEnd: boolean;
  /** What it is about, where it is one of several. */
  readonly topic: string;
  /** A sentence. */
  readonly title: string;
  /** Sentences, in lines where they are about several models; may be empty. */
  readonly detail: string;
  readonly facts: NoticeFacts;
}

/** How often each topic was not sent since the last message. */
export type HeldBack = ReadonlyMap<string, number>;

/** A notice on its way, with those that were held back before it. */
export interface NoticeMessage {
  readonly notice: Notice;
  readonly heldBack: HeldBack;
}

/** More of them would not be read. */
const MAX_TOPICS = 4;
/** A detail can quote an error of a service. */
const MAX_DETAIL = 700;
/** Discord takes 2,000 characters, and escapes double some of them. */
const MAX_TEXT = 1_200;

/** One line or more for people, of at most 1,200 characters. */
export function messageText({ notice: { title, detail }, heldBack }: NoticeMessage): string {
  const lines = [title, ...cut(detail, MAX_DETAIL).split("\n"), heldBackText(heldBack)];
  const text = lines
    .map((line) => oneLine(line).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " "))
    .filter((line) => line !== "")
    .join("\n");
  return cut(text, MAX_TEXT);
}

export function countOf(heldBack: HeldBack): number {
  return [...heldBack.values()].reduce((sum, count) => sum + count, 0);
}

/** `3 more messages were not sent: Most tool calls fail (2), Many turns are cut off.` */
function heldBackText(heldBack: HeldBack): string {
  const count = countOf(heldBack);
  if (count === 0) return "";
  const named = [...heldBack]
    .slice(0, MAX_TOPICS)
    .map(([topic, times]) => (times === 1 ? topic : `${topic} (${times})`));
  const rest = heldBack.size > MAX_TOPICS ? ", and others" : "";
  const were = count === 1 ? "1 more message was" : `${count} more messages were`;
  return `${were} not sent: ${named.join(", ")}${rest}.`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
