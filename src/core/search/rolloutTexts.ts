/** Texts of a stored rollout, with their roles and turns. */

import type { SearchRole } from "../../shared/search.ts";
import { askedText, type RolloutRecord } from "../runFolder/rollouts/rolloutRecord.ts";

export interface RolloutText {
  readonly role: SearchRole;
  /** From 0; null outside of turns. */
  readonly turn: number | null;
  readonly text: string;
  /** Shown after the text, but searched separately. */
  readonly next?: string | undefined;
}

/** In the order of a replay, without empty texts. */
export function rolloutTexts(record: RolloutRecord): readonly RolloutText[] {
  const { systemText, turns, agent, error } = record;
  const texts: readonly RolloutText[] = [
    { role: "prompt", turn: null, text: systemText ?? "" },
    { role: "prompt", turn: null, text: askedText(record) },
    ...turns.flatMap(turnTexts),
    { role: "result", turn: null, text: agent?.output ?? "" },
    { role: "error", turn: null, text: error ?? "" },
  ];
  return texts.filter(({ text }) => text !== "");
}

function turnTexts(own: RolloutRecord["turns"][number], turn: number): readonly RolloutText[] {
  const { reasoning, content, calls, errors, results, nudge, asked, sampledText } = own;
  const isUnderstood = content !== "" || reasoning !== null || calls.length + errors.length > 0;
  const texts: readonly (readonly [SearchRole, string, string?])[] = [
    ["prompt", asked ?? ""],
    ["thinking", reasoning ?? ""],
    ["answer", isUnderstood ? content : sampledText],
    ...calls.flatMap(({ name, args }) => [["call", name, args] as const, ["call", args] as const]),
    ...errors.map(({ raw }) => ["call", raw] as const),
    ...results.map(({ text }) => ["result", text] as const),
    ["result", nudge ?? ""],
  ];
  return texts.map(([role, text, next]) => ({
    role,
    turn,
    text,
    next: next === undefined ? undefined : ` ${next}`,
  }));
}
