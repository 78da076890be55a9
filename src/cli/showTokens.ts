/** The tokens of a rollout as they were trained on, one a row. */

import { tokenizerNameOf } from "../core/chat/modelName.ts";
import type { Tokenizer } from "../core/chat/tokenizer.ts";
import { errorMessage, isAppError } from "../core/errors.ts";
import type { RolloutSummary } from "../core/runFolder/reader.ts";
import { readRunFile } from "../core/runFolder/runFile.ts";
import { readModelNames } from "../core/runFolder/runModel.ts";
import type { TokenRecord } from "../core/runFolder/tokenRecord.ts";
import { visibleToken } from "../core/util/visibleText.ts";
import { formatQuantity, formatSigned } from "../shared/format.ts";
import { BLANK, type Line, type Piece, styled } from "./line.ts";
import { describeTrainingUse } from "./rolloutTable.ts";
import { heading, remark, type ShowContext } from "./showContext.ts";
import { type Column, tableLines } from "./table.ts";

const COLUMNS: readonly Column[] = [
  { title: "index", align: "right" },
  { title: "id", align: "right" },
  { title: "token", align: "left", canShrink: true },
  { title: "source", align: "left" },
  { title: "mask", align: "right" },
  { title: "sampler", align: "right" },
  { title: "trainer", align: "right" },
  { title: "advantage", align: "right" },
  { title: "predicts", align: "left", canShrink: true },
];

/** The token table of each stream of the rollout, or why there is none. */
export async function* tokenLines(
  context: ShowContext,
  { tokenData, score }: RolloutSummary,
): AsyncGenerator<Line, void> {
  yield* [BLANK, heading("tokens")];
  if (tokenData.length === 0) {
    const why =
      score === null ? "the step is not trained yet" : describeTrainingUse(score.trainingUse);
    yield remark(`Only rollouts that were trained on have token data. This one: ${why}.`);
    return;
  }
  const { tokenizer, problem } = await findTokenizer(context);
  if (problem !== null) yield remark(`Ids only: ${problem}`);
  for (const entry of tokenData) {
    const record = await context.reader.tokens(entry);
    if (record === null) yield remark("Its token data is not wholly on disk.");
    else yield* recordLines(record, tokenizer, context.width);
  }
}

function recordLines(
  record: TokenRecord,
  tokenizer: Tokenizer | null,
  width: number,
): readonly Line[] {
  const textOf = (index: number): string => {
    const id = record.ids[index];
    return tokenizer === null || id === undefined ? "" : visibleToken(tokenizer.decode([id]));
  };
  const rows = Array.from({ length: record.ids.length }, (_, index) =>
    tokenCells(record, index, textOf),
  );
  const trained = Array.from(record.mask).filter((mask) => mask === 1).length;
  const amounts = `${formatQuantity(record.ids.length, "token")}, ${trained} trained on`;
  return [
    remark(`${amounts}. mask 1: sampled by the model and trained on; 0: only context.`),
    remark("sampler, trainer: log-probability of the token when sampled and when trained."),
    remark("predicts: the next token, where that one is trained on. · is a space, ⏎ a line end."),
    ...tableLines(COLUMNS, rows, width),
  ];
}

/** A token's own values stand beside it; what it is trained to predict is the token after it. */
function tokenCells(
  record: TokenRecord,
  index: number,
  textOf: (index: number) => string,
): readonly Piece[] {
  const { ids, mask, samplerLogprobs, trainerLogprobs, advantages, turns } = record;
  const isTrained = mask[index] === 1;
  const turn = turns[index] ?? -1;
  const mark = (text: string): Piece => (isTrained ? styled("good", text) : text);
  const next = index + 1;
  const predicts = mask[next] === 1 ? textOf(next) || String(ids[next]) : "";
  return [
    String(index),
    mark(String(ids[index])),
    mark(textOf(index)),
    turn < 0 ? "prompt" : `turn ${turn + 1}`,
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
  const names = await readModelNames(fileSystem, folder);
  const run = await readRunFile(fileSystem, folder);
  if (names === null) {
    return { tokenizer: null, problem: "config.resolved.json does not name the model." };
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
