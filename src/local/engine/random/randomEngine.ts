/**
 * An engine with random weights and any tokenizer's vocabulary, under any name: for tests, and to see how models' chat formats look
 * in a run. It can be trained but starts without any knowledge.
 */

import { sha256 } from "../../../node/hash.ts";
import { compileModel } from "../../../node/tokenizer/compiledModel.ts";
import { createUniform } from "../../../shared/uniform.ts";
import { createNormal } from "../../random.ts";
import { type Architecture, baseLayout } from "../architecture.ts";
import { type EngineProgram, startEngine } from "../embeddedEngine.ts";
import type { Engine } from "../engine.ts";
import { createGroupedEngine } from "./groupedEngine.ts";
import { groupTokens, ownGroup } from "./tokenGroups.ts";

export interface RandomModel {
  readonly name: string;
  /** Folder with a supported tokenizer. */
  readonly tokenizerFolder: string;
}

/** Fixed, so that a resumed run finds the same model. */
const SEED = 1;
/** Small compared to what the layers add, so that the next token does not simply repeat the last one. */
const EMBEDDING_SCALE = 0.15;
/** The first component of every embedding is about this; raising it makes a token more likely everywhere. */
const COMMON = 6;
const LIKELIER = 0.6;
/** Control tokens that end a turn or start a call: without a boost, hardly any turn would end before its limit. */
const END_OR_CALL = /end|eo[stm]|return|call/i;
const SIZES = {
  hiddenSize: 32,
  layers: 2,
  heads: 1,
  feedForwardSize: 64,
  // Prompts with tools have several hundred tokens; memory for training grows quadratically with the length in use.
  maxContext: 4096,
  ropeTheta: 10_000,
  normEps: 1e-6,
};

/** @throws AppError `tokenizer-*` for the folder, `engine-kernels`, `engine-worker` */
export async function createRandomEngine(
  { name, tokenizerFolder }: RandomModel,
  program: EngineProgram,
): Promise<Engine> {
  const { tokenizer, template } = await compileModel(tokenizerFolder);
  const { table, addedTokens } = tokenizer;
  const groups = groupTokens(table.starts.length - 1, addedTokens);
  const arch: Architecture = { ...SIZES, vocabSize: groups.count };
  const likelier = addedTokens
    .filter(({ text }) => END_OR_CALL.test(text))
    .flatMap(({ id }) => ownGroup(groups, id) ?? []);
  const base = randomWeights(arch, likelier);
  const noTokens = { bytes: new Uint8Array(), starts: new Uint32Array(1) };
  const inner = await startEngine({ name, arch, eosIds: [], base, tokens: noTokens }, program);
  const model = {
    name,
    vocabSize: groups.vocabSize,
    maxContext: arch.maxContext,
    eosIds: addedTokens.filter(({ text }) => text === template?.eosToken).map(({ id }) => id),
    imageIds: (image: Uint8Array, tokens: number) => idsOfImage(image, tokens, groups.vocabSize),
  };
  return createGroupedEngine(inner, model, { groups, table });
}

/** Ids derived from the file's content, so that equal images map to equal ids and different ones do not. */
function idsOfImage(image: Uint8Array, tokens: number, vocabSize: number): Int32Array {
  const uniform = createUniform(Number.parseInt(sha256(image).slice(0, 8), 16));
  return Int32Array.from({ length: tokens }, () => Math.floor(uniform() * vocabSize));
}

function randomWeights(arch: Architecture, likelier: readonly number[]): Float32Array {
  const layout = baseLayout(arch);
  const normal = createNormal(SEED);
  const base = new Float32Array(layout.length).fill(1);
  const fill = ({ offset, rows, columns }: typeof layout.embedding, scale: number): void => {
    for (let at = 0; at < rows * columns; at += 1) base[offset + at] = normal() * scale;
  };
  const { embedding } = layout;
  fill(embedding, EMBEDDING_SCALE);
  for (let token = 0; token < embedding.rows; token += 1) {
    const isLikelier = likelier.includes(token);
    base[embedding.offset + token * embedding.columns] = COMMON + (isLikelier ? LIKELIER : 0);
  }
  for (const { projections } of layout.layers) {
    for (const span of Object.values(projections)) fill(span, 1 / Math.sqrt(span.rows));
  }
  return base;
}
