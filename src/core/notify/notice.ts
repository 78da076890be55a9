/** News about a run, before recipients and format are determined. */

import type { AlarmSeverity } from "../alarms/alarm.ts";
import type { NotifyConfig } from "../config/fields/schema.ts";
import { oneLine } from "../util/textEdges.ts";

export type NotifyEvent = NotifyConfig["on"][number];

/** The run at the time of a notice; null if unknown or not applicable. */
export interface NoticeFacts {
  readonly run: string;
  readonly model: string;
  readonly outcome: "done" | "stopped" | "failed" | null;
  /** Completed steps. */
  readonly step: number | null;
  readonly total_steps: number | null;
  /** Mean of the last step. */
  readonly reward: number | null;
  /** Loss of the last step of a supervised run. */
  readonly loss: number | null;
  /** Total of the whole run. */
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  readonly max_cost_usd: number | null;
  readonly alarm: string | null;
  readonly severity: AlarmSeverity | null;
  /** Results of the newest evaluation, or of each model in a standalone evaluation. */
  readonly results: readonly NoticeResult[];
}

export type NoticeResult = {
  /** Null for the run's own weights. */
  readonly model: string | null;
  readonly environment: string;
  readonly split: string;
  readonly temperature: number;
  /** Mean. */
  readonly reward: number;
};

export interface Notice {
  /** Events that it counts as. The first is its name. A run ended by a budget counts as both. */
  readonly events: readonly [NotifyEvent, ...NotifyEvent[]];
  /** The same for notices that repeat the same news: the alarm, or how the run ended. */
  readonly key: string;
  /** True for the end of an attempt. */
  readonly isEnd: boolean;
  /** Short topic, used to list notices that were not sent. */
  readonly topic: string;
  /** A sentence. */
  readonly title: string;
  /** Sentences, one line per model if there are several; may be empty. */
  readonly detail: string;
  readonly facts: NoticeFacts;
}

/** Number of unsent notices by topic since the last message. */
export type HeldBack = ReadonlyMap<string, number>;

/** A notice to send, with the unsent notices before it. */
export interface NoticeMessage {
  readonly notice: Notice;
  readonly heldBack: HeldBack;
}

/** Maximum number of topics listed. */
const MAX_TOPICS = 4;
/** Limited because a detail can quote a service's error. */
const MAX_DETAIL = 700;
/** Discord allows 2,000 characters, and escaping doubles some of them. */
const MAX_TEXT = 1_200;

/** Text of one or more lines with at most 1,200 characters. */
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
