/** Rollouts as a table, and explanations of their training uses. */

import * as l10n from "@vscode/l10n";
import { formatCount, formatSigned } from "../../shared/format.ts";
import { isFailedOutcome, outcomeText } from "../../shared/outcome.ts";
import { BLANK, type Line, type LinePiece, quietLine, styled } from "../terminal/line.ts";
import { type Column, tableLines } from "../terminal/table.ts";

/** The cells of a rollout. */
export interface RolloutCells {
  /** Its position, one cell per column in `keys`. */
  readonly key: readonly string[];
  readonly environment: string;
  readonly split: string;
  /** Index in the split. */
  readonly index: number;
  readonly reward: number | null;
  /** Undefined without training. */
  readonly score?: { readonly advantage: number | null; readonly trainingUse: string } | null;
  readonly stop: string;
  readonly turns: number;
  readonly tokens: number;
}

interface UseText {
  readonly short: string;
  /** Empty if `short` is self-explanatory. */
  readonly meaning: string;
}

function useTexts(): Readonly<Record<string, UseText>> {
  return {
    trained: { short: l10n.t("trained"), meaning: "" },
    "excluded:failed": { short: l10n.t("failed"), meaning: l10n.t("it ended without a reward") },
    "excluded:failures": {
      short: l10n.t("failures"),
      meaning: l10n.t("more rollouts of the group failed than max_failing_rollouts allows"),
    },
    "excluded:overlong": {
      short: l10n.t("too long"),
      meaning: l10n.t("it reached a token limit, and overlong is mask"),
    },
    "excluded:off_policy_correction": {
      short: l10n.t("masked"),
      meaning: l10n.t("off_policy_correction masked all of its tokens"),
    },
    "excluded:too_few": {
      short: l10n.t("too few"),
      meaning: l10n.t("one reward alone cannot be compared"),
    },
    "excluded:zero_variance": {
      short: l10n.t("equal"),
      meaning: l10n.t("all rewards of the group are equal, so it teaches nothing"),
    },
  };
}

/** The environments, then a table; `keys` are the titles of its first columns. */
export function rolloutTable(
  keys: readonly string[],
  rows: readonly RolloutCells[],
  width: number,
): readonly Line[] {
  const environments = [...new Set(rows.map(({ environment }) => environment))];
  const isScored = rows.some(({ score }) => score !== undefined);
  const hasAdvantages = rows.some(({ score }) => (score?.advantage ?? null) !== null);
  const scoreColumns: readonly Column[] = [
    ...(hasAdvantages ? [{ title: l10n.t("advantage"), align: "right" } as const] : []),
    ...(isScored ? [{ title: l10n.t("training"), align: "left" } as const] : []),
  ];
  const isMixed = environments.length > 1;
  const environmentColumns: readonly Column[] = isMixed
    ? [{ title: l10n.t("environment"), align: "left", canShrink: true }]
    : [];
  const columns: readonly Column[] = [
    ...keys.map((title): Column => ({ title, align: "right" })),
    { title: l10n.t("task"), align: "left" },
    ...environmentColumns,
    { title: l10n.t("reward"), align: "right" },
    ...scoreColumns,
    { title: l10n.t("stop"), align: "left", canShrink: true },
    { title: l10n.t("turns"), align: "right" },
    { title: l10n.t("tokens"), align: "right" },
  ];
  const cells = rows.map((row) => [
    ...row.key,
    `${row.split} ${row.index}`,
    ...(isMixed ? [lastPart(row.environment)] : []),
    styled(isFailedOutcome(row) ? "bad" : "strong", outcomeText(row)),
    ...(isScored ? scoreCells(row.score ?? null).slice(hasAdvantages ? 0 : 1) : []),
    shortStop(row.stop),
    String(row.turns),
    formatCount(row.tokens),
  ]);
  return [
    quietLine(
      environments.length === 1
        ? l10n.t("environment {0}", environments.join(", "))
        : l10n.t("environments {0}", environments.join(", ")),
    ),
    BLANK,
    ...tableLines(columns, cells, width),
  ];
}

/** One line per training use in `trainingUses` that needs an explanation. */
export function trainingUseLegend(trainingUses: readonly string[]): readonly Line[] {
  return [...new Set(trainingUses)].flatMap((trainingUse) => {
    const known = useTexts()[trainingUse];
    return known === undefined || known.meaning === ""
      ? []
      : [quietLine(l10n.t("{0}: not trained on, {1}", known.short, known.meaning))];
  });
}

/** A training use as part of a sentence: `trained on`, or `not trained on: …`. */
export function describeTrainingUse(trainingUse: string): string {
  if (trainingUse === "trained") return l10n.t("trained on");
  return l10n.t(
    "not trained on: {0}",
    useTexts()[trainingUse]?.meaning ?? trainingUse.replace("excluded:", ""),
  );
}

function lastPart(environment: string): string {
  return environment.slice(environment.lastIndexOf("/") + 1);
}

function scoreCells(
  score: { readonly advantage: number | null; readonly trainingUse: string } | null,
) {
  if (score === null) return ["", styled("quiet", l10n.t("not scored"))] satisfies LinePiece[];
  const { advantage, trainingUse } = score;
  const short = useTexts()[trainingUse]?.short ?? trainingUse.replace("excluded:", "");
  const shownUse: LinePiece = trainingUse === "trained" ? short : styled("warning", short);
  return [advantage === null ? "" : formatSigned(advantage, 3), shownUse];
}

function shortStop(stop: string): LinePiece {
  return stop === "reached_terminal_state" ? l10n.t("finished") : styled("warning", stop);
}
