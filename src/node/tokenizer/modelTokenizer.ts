/** Loads a model folder into the tokenizer and template used by the chat layer. */

import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { errorMessage } from "../../core/errors.ts";
import { decodeBytes } from "./byteTable.ts";
import { type CompiledModel, type CompiledTokenizer, compileModel } from "./compiledModel.ts";
import { EncodeThread } from "./encodeThread.ts";
import { createLongTextEncoder } from "./longTexts.ts";
import { unsupported } from "./modelFiles.ts";
import { createTextEncoder } from "./textEncoder.ts";

/**
 * Loads the folder on this thread, which blocks it for about half a second for 150,000 tokens. Use a worker in processes with other work.
 * @throws AppError `tokenizer-not-found`, or `tokenizer-unsupported` if it is not a byte-level BPE
 */
export async function loadModelTokenizer(folder: string): Promise<ModelTokenizer> {
  return createModelTokenizer(folder, await compileModel(folder));
}

/**
 * Takes milliseconds regardless of vocabulary size. With `workerPath`, the bundled `encodeWorker.ts`, long texts are encoded in a worker.
 * @throws AppError `tokenizer-unsupported`
 */
export function createModelTokenizer(
  folder: string,
  { tokenizer, template }: CompiledModel,
  workerPath?: string,
): ModelTokenizer {
  const { table, addedTokens } = tokenizer;
  const encodeText = encoderOf(folder, tokenizer);
  return {
    template,
    tokenizer: {
      vocabSize: table.starts.length - 1,
      addedTokens,
      ...(workerPath === undefined
        ? { encodeText }
        : withThread(encodeText, new EncodeThread(workerPath, tokenizer))),
      decode: (ids) => decodeBytes(table, ids),
    },
  };
}

function withThread(encodeText: (text: string) => readonly number[], thread: EncodeThread) {
  return createLongTextEncoder(encodeText, (text) => thread.encode(text));
}

function encoderOf(folder: string, tokenizer: CompiledTokenizer): (text: string) => number[] {
  try {
    return createTextEncoder(tokenizer);
  } catch (error) {
    throw unsupported(folder, "The tokenizer", errorMessage(error), error);
  }
}
