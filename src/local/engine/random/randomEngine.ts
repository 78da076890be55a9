/**
 * An engine with random weights and the vocabulary of any tokenizer, under any name: for tests, and to look at what formats of
 * models look like in a run. It trains, but it has learned nothing.
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
  /** Folder with a vocabulary in a form that the program reads. */
  readonly tokenizerFolder: string;
}

/** The same weights at every start: a run that is resumed meets the model that it left. */
const SEED = 1;
/** Small beside what the layers add, so that the next token does not simply repeat the last. */
const EMBEDDING_SCALE = 0.15;
/** The first number of every token's embedding is about this, so that a little more of it makes a token likelier everywhere. */
const COMMON = 6;
const LIKELIER = 0.6;
/** Names of control tokens that end something or begin a call: without them hardly a turn would end before its limit. */
const END_OR_CALL = /end|eo[stm]|return|call/i;
const SIZES = {
  hiddenSize: 32,
  layers: 2,
  heads: 1,
  feedForwardSize: 64,
  // Prompts with tools have some hundred tokens; memory for training grows with the square of what is used.
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

/** Drawn by the content of the file, so that equal images are read as equal and others as others. */
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
