/** Lays out a described prompt as lines, for both the terminal and the editor. */

import * as l10n from "@vscode/l10n";
import { plural } from "./format.ts";
import { countTokens, type PromptDescription, type PromptPiece } from "./promptDescription.ts";

export interface PageSpan {
  readonly kind: "plain" | "heading" | "quiet" | "warning" | "control";
  readonly text: string;
  /** Set only for control tokens. */
  readonly id?: number | undefined;
}

export type PageLine = readonly PageSpan[];

export interface PromptPageOptions {
  /** Explains how control tokens are marked. */
  readonly legend: string;
  readonly wantsIds: boolean;
}

const LABEL_WIDTH = 14;
const IDS_IN_LINE = 12;
const BLANK: PageLine = [];

export function promptPage(description: PromptDescription, options: PromptPageOptions): PageLine[] {
  const { prompt, example, exampleProblem, warnings } = description;
  return [
    ...facts(description),
    [span("quiet", options.legend)],
    ...warnings.map((warning): PageLine => [span("warning", warning)]),
    ...section(l10n.t("Prompt"), prompt, l10n.t("← the model continues here")),
    ...(example === null
      ? [
          BLANK,
          [span("warning", l10n.t("There is no example of a call. {0}", exampleProblem ?? ""))],
        ]
      : exampleLines(example)),
    ...(options.wantsIds ? idLines(prompt) : []),
  ];
}

function facts(description: PromptDescription): readonly PageLine[] {
  const { environment, split, index, model, format, tools, prompt, maxTotalTokens, stops } =
    description;
  const title = l10n.t("First prompt of task {0} of {1}, split {2}", index, environment, split);
  const length = plural(
    countTokens(prompt),
    "{0} token of max_total_tokens: {1}",
    "{0} tokens of max_total_tokens: {1}",
    maxTotalTokens,
  );
  return [
    [span("heading", title)],
    fact(l10n.t("model"), model),
    fact(l10n.t("chat format"), format),
    fact(l10n.t("tools"), tools.length === 0 ? l10n.t("none") : tools.join(", ")),
    fact(l10n.t("length"), length),
    [
      label(l10n.t("stop tokens")),
      ...stops.flatMap((stop, at) => [
        ...(at === 0 ? [] : [span("plain", ", ")]),
        ...(stop.isControl ? spansOf(stop) : [span("plain", JSON.stringify(stop.text))]),
        ...stop.ids.map((id) => span("quiet", ` ${id}`)),
      ]),
    ],
  ];
}

function exampleLines({
  call,
  turn,
  isRead,
  bridge,
}: NonNullable<PromptDescription["example"]>): readonly PageLine[] {
  const reading = isRead
    ? span("quiet", l10n.t("Tinker RL reads this as the call: {0}", call))
    : span("warning", l10n.t("Tinker RL does not read this as the call: {0}", call));
  return [
    ...section(l10n.t("A call with example arguments"), turn, null),
    BLANK,
    [reading],
    ...section(l10n.t("A result after the call"), bridge, l10n.t("← the model continues here")),
  ];
}

function section(title: string, pieces: readonly PromptPiece[], end: string | null): PageLine[] {
  const count = plural(countTokens(pieces), "{0} token", "{0} tokens");
  const rows = linesOf(pieces);
  const last = end === null ? [] : [span("quiet", end)];
  const open = rows.pop() ?? [];
  return [
    BLANK,
    [span("heading", `── ${title}`), span("quiet", `  ${count}`)],
    ...rows,
    [...open, ...last],
  ];
}

/** Splits pieces into lines at newlines. */
function linesOf(pieces: readonly PromptPiece[]): PageSpan[][] {
  const lines: PageSpan[][] = [[]];
  for (const piece of pieces) {
    for (const [at, each] of spansOf(piece).entries()) {
      if (at > 0) lines.push([]);
      if (each.text !== "") lines.at(-1)?.push(each);
    }
  }
  return lines;
}

/** One span per line of the piece. */
function spansOf({ text, isControl, ids }: PromptPiece): readonly PageSpan[] {
  const [id = -1] = ids;
  if (isControl) return [{ kind: "control", text, id: id >= 0 ? id : undefined }];
  return text.split("\n").map((row) => span("plain", row));
}

function idLines(prompt: readonly PromptPiece[]): readonly PageLine[] {
  const ids = prompt.flatMap((piece) => piece.ids);
  const rows = Array.from({ length: Math.ceil(ids.length / IDS_IN_LINE) }, (_, row) =>
    ids.slice(row * IDS_IN_LINE, (row + 1) * IDS_IN_LINE),
  );
  return [
    BLANK,
    [span("heading", `── ${l10n.t("Token ids of the prompt")}`)],
    ...rows.map((row): PageLine => [span("plain", row.join(" "))]),
  ];
}

function fact(name: string, text: string): PageLine {
  return [label(name), span("plain", text)];
}

function label(name: string): PageSpan {
  return span("quiet", `${name} `.padEnd(LABEL_WIDTH));
}

function span(kind: PageSpan["kind"], text: string): PageSpan {
  return { kind, text };
}
