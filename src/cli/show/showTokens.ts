/** A rollout's sampled and trained tokens, one per row. */

import * as l10n from "@vscode/l10n";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import type { Tokenizer } from "../../core/chat/tokenizer.ts";
import { errorMessage, isAppError } from "../../core/errors.ts";
import { imageText, isImageId } from "../../core/images/imageIds.ts";
import type { RolloutSummary } from "../../core/runFolder/reader.ts";
import type { TokenRecord } from "../../core/runFolder/rollouts/tokenRecord.ts";
import { readRunFile } from "../../core/runFolder/runFile.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import { visibleToken } from "../../core/util/visibleText.ts";
import { formatSigned, plural } from "../../shared/format.ts";
import type { RolloutSource } from "../../shared/rolloutSet.ts";
import { BLANK, heading, type Line, type LinePiece, quietLine, styled } from "../terminal/line.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { describeTrainingUse } from "./rolloutTable.ts";
import type { ShowContext } from "./showContext.ts";

/** Number of columns about sampling; the others are about training. */
const SAMPLED_COLUMNS = 6;

/** A token table per stream of the rollout, or why there is none. */
export async function* tokenLines(
  context: ShowContext,
  rollout: Pick<RolloutSummary, "source" | "step" | "tokenData" | "score">,
): AsyncGenerator<Line, void> {
  yield* [BLANK, heading(l10n.t("tokens"))];
  const { source, tokenData } = rollout;
  if (tokenData.length === 0) {
    yield quietLine(whyWithoutTokens(rollout));
    return;
  }
  const { tokenizer, problem } = await findTokenizer(context);
  if (problem !== null) yield quietLine(l10n.t("Ids only: {0}", problem));
  for (const entry of tokenData) {
    const record = await context.reader.tokens(rollout, entry);
    if (tokenData.length > 1 || entry.stream > 0) {
      yield* [BLANK, [styled("strong", l10n.t("stream {0}", entry.stream + 1))]];
    }
    if (record === null) yield quietLine(l10n.t("Its token data is not complete on disk."));
    else yield* recordLines(record, { source, tokenizer, width: context.width });
  }
}

function whyWithoutTokens({ source, score }: Pick<RolloutSummary, "source" | "score">): string {
  if (source === "evaluation") {
    return l10n.t("This rollout is stored without tokens: it failed early.");
  }
  if (score?.trainingUse === "trained") {
    return l10n.t(
      "Its advantage is 0: it counts in the mean of its group, but has no tokens to train on.",
    );
  }
  const why =
    score === null ? l10n.t("the step is not trained yet") : describeTrainingUse(score.trainingUse);
  return l10n.t("Only rollouts that were trained on have token data. This one: {0}.", why);
}

interface RecordLinesOptions {
  readonly source: RolloutSource;
  readonly tokenizer: Tokenizer | null;
  readonly width: number;
}

function recordLines(
  record: TokenRecord,
  { source, tokenizer, width }: RecordLinesOptions,
): readonly Line[] {
  const textOf = (index: number): string => {
    const id = record.ids[index];
    if (id !== undefined && isImageId(id)) return imageText(id);
    return tokenizer === null || id === undefined ? "" : visibleToken(tokenizer.decode([id]));
  };
  const rows = Array.from({ length: record.ids.length }, (_, index) =>
    tokenCells(record, index, textOf),
  );
  if (source === "evaluation") {
    const total = plural(record.ids.length, "{0} token", "{0} tokens");
    const meaning = l10n.t(
      "{0}. mask 1: sampled by the model; 0: only context. sampler: log-probability of the token.",
      total,
    );
    const sampled = rows.map((cells) => cells.slice(0, SAMPLED_COLUMNS));
    return [quietLine(meaning), ...tableLines(columns().slice(0, SAMPLED_COLUMNS), sampled, width)];
  }
  const trained = Array.from(record.mask).filter((mask) => mask === 1).length;
  const amounts = plural(
    record.ids.length,
    "{0} token, {1} trained on",
    "{0} tokens, {1} trained on",
    trained,
  );
  return [
    quietLine(
      l10n.t("{0}. mask 1: sampled by the model and trained on; 0: only context.", amounts),
    ),
    quietLine(
      l10n.t("sampler, trainer: log-probability of the token when sampled and when trained."),
    ),
    quietLine(
      l10n.t("predicts: the next token, if that token is trained on. · is a space, ⏎ a line end."),
    ),
    ...tableLines(columns(), rows, width),
  ];
}

/** The cells of a token: its own values, and the next token, which it is trained to predict. */
function tokenCells(
  record: TokenRecord,
  index: number,
  textOf: (index: number) => string,
): readonly LinePiece[] {
  const { ids, mask, samplerLogprobs, trainerLogprobs, advantages, turns } = record;
  const isTrained = mask[index] === 1;
  const turn = turns[index] ?? -1;
  const mark = (text: string): LinePiece => (isTrained ? styled("good", text) : text);
  const next = index + 1;
  const predicts = mask[next] === 1 ? textOf(next) || String(ids[next]) : "";
  return [
    String(index),
    mark(String(ids[index])),
    mark(textOf(index)),
    turn < 0 ? l10n.t("prompt") : l10n.t("turn {0}", turn + 1),
    mark(String(mask[index])),
    isTrained ? logprobText(samplerLogprobs[index]) : "",
    isTrained
      ? logprobText(trainerLogprobs[index])
      : styled("quiet", logprobText(trainerLogprobs[index])),
    isTrained ? formatSigned(advantages[index] ?? null, 3) : "",
    predicts,
  ];
}

/** Unknown values are NaN in the record. */
function logprobText(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? "" : value.toFixed(4);
}

interface FoundTokenizer {
  readonly tokenizer: Tokenizer | null;
  /** Why there is none. */
  readonly problem: string | null;
}

async function findTokenizer(context: ShowContext): Promise<FoundTokenizer> {
  const { fileSystem, folder } = context;
  const names = await readRunModel(fileSystem, folder);
  const run = await readRunFile(fileSystem, folder);
  if (names === null) {
    return { tokenizer: null, problem: l10n.t("config.resolved.json does not name the model.") };
  }
  try {
    const name = tokenizerNameOf(names);
    return {
      tokenizer: await context.loadTokenizer(name, run?.configPath ?? folder),
      problem: null,
    };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { tokenizer: null, problem: errorMessage(error) };
  }
}

function columns(): readonly Column[] {
  return [
    { title: l10n.t("index"), align: "right" },
    { title: l10n.t("id"), align: "right" },
    { title: l10n.t("token"), align: "left", canShrink: true },
    { title: l10n.t("source"), align: "left" },
    { title: l10n.t("mask"), align: "right" },
    { title: l10n.t("sampler"), align: "right" },
    { title: l10n.t("trainer"), align: "right" },
    { title: l10n.t("advantage"), align: "right" },
    { title: l10n.t("predicts"), align: "left", canShrink: true },
  ];
}
