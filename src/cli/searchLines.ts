/** Search results as terminal lines. */

import { basename } from "node:path";
import * as l10n from "@vscode/l10n";
import { formatReward, plural } from "../shared/format.ts";
import {
  MAX_COUNTED,
  type SearchHit,
  type SearchRole,
  type SearchSnippet,
} from "../shared/search.ts";
import { BLANK, clipLine, type Line, quietLine, styled } from "./terminal/line.ts";
import type { Terminal } from "./terminal/terminal.ts";

const INDENT = "  ";
/** Wide enough for `thinking, turn 12`. */
const LABEL_WIDTH = 18;
const CHARACTERS_BEFORE = 24;

type Place = Pick<Terminal, "columns" | "isInteractive">;

/** The rollout's location, as `show` accepts it, and the matches in it. */
export function hitLines(folder: string, hit: SearchHit, out: Place): readonly Line[] {
  const { step, group, rollout, position, model, reward, taskKey, matches, snippets } = hit;
  const place =
    position === undefined
      ? l10n.t("step {0}, group {1}, rollout {2}", step + 1, group + 1, rollout + 1)
      : model === undefined
        ? l10n.t("evaluation after {0}, rollout {1}", step, position + 1)
        : l10n.t("evaluation of {0} after {1}, rollout {2}", model, step, position + 1);
  const outcome = reward === null ? l10n.t("failed") : l10n.t("reward {0}", formatReward(reward));
  const more = matches - snippets.length;
  return [
    [styled("strong", basename(folder)), `  ${place}  `, styled("quiet", `${outcome}  ${taskKey}`)],
    ...snippets.map((snippet) => snippetLine(snippet, out)),
    ...(more > 0 ? [[INDENT, styled("quiet", moreText(more, matches >= MAX_COUNTED))]] : []),
    BLANK,
  ];
}

/** A single row on a terminal; full length for other programs. */
function snippetLine({ role, turn, before, match, after }: SearchSnippet, out: Place): Line {
  const label = turn === null ? roleText(role) : l10n.t("{0}, turn {1}", roleText(role), turn + 1);
  const isLong = out.isInteractive && before.length > CHARACTERS_BEFORE;
  const lead = isLong ? `…${before.slice(-CHARACTERS_BEFORE)}` : before;
  const line: Line = [
    ...[INDENT, styled("quiet", `${label} `.padEnd(LABEL_WIDTH))],
    ...[oneLine(lead), styled("accent", oneLine(match)), oneLine(after)],
  ];
  return out.isInteractive ? clipLine(line, out.columns) : line;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

function moreText(more: number, isBounded: boolean): string {
  if (isBounded) return l10n.t("at least {0} more matches", more);
  return plural(more, "{0} more match", "{0} more matches");
}

function roleText(role: SearchRole): string {
  const texts: Readonly<Record<SearchRole, string>> = {
    prompt: l10n.t("prompt"),
    thinking: l10n.t("thinking"),
    answer: l10n.t("answer"),
    call: l10n.t("call"),
    result: l10n.t("result"),
    error: l10n.t("error"),
  };
  return texts[role];
}

/** Shown while the search is in progress. */
export function progressLine(progress: number): Line {
  return quietLine(l10n.t("searching, {0}%", Math.floor(100 * progress)));
}

interface SearchEnd {
  /** Number of rollouts. */
  readonly found: number;
  readonly runs: number;
  readonly isCut: boolean;
}

/** The total, shown once the search has ended. */
export function endLine({ found, runs, isCut }: SearchEnd): Line {
  const rollouts = plural(found, "{0} rollout", "{0} rollouts");
  const searched = plural(runs, "{0} run searched", "{0} runs searched");
  const end = isCut ? l10n.t("ended by --limit") : searched;
  return quietLine(`${rollouts}, ${end}`);
}
