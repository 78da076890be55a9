/** Loads a model folder into the tokenizer and template that the chat layer works with. */

import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { errorMessage } from "../../core/errors.ts";
import { decodeBytes } from "./byteTable.ts";
import { type CompiledModel, type CompiledTokenizer, compileModel } from "./compiledModel.ts";
import { EncodeThread } from "./encodeThread.ts";
import { createLongTextEncoder } from "./longTexts.ts";
import { unsupported } from "./modelFiles.ts";
import { createTextEncoder } from "./textEncoder.ts";

/**
 * Loads the folder in this thread, which keeps it busy for about half a second when there are 150,000 tokens. In a process that
 * has something else to do, compile it elsewhere.
 * @throws AppError `tokenizer-not-found`, or `tokenizer-unsupported` when it is not a byte-level BPE.
 */
export async function loadModelTokenizer(folder: string): Promise<ModelTokenizer> {
  return createModelTokenizer(folder, await compileModel(folder));
}

/**
 * Takes milliseconds, whatever the number of tokens. With the bundled `encodeWorker.ts` long texts are encoded in a thread.
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
