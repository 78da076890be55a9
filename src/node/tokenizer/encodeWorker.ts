/** Worker that encodes long texts with one tokenizer, on request. */

import { parentPort, workerData } from "node:worker_threads";
import type { CompiledTokenizer } from "./compiledModel.ts";
import type { EncodeAnswer, EncodeQuestion } from "./encodeThread.ts";
import { createTextEncoder } from "./textEncoder.ts";

const encodeText = createTextEncoder(workerData as CompiledTokenizer); // sent by the program that started this thread
parentPort?.on("message", ({ question, text }: EncodeQuestion) => {
  const ids = Int32Array.from(encodeText(text));
  const answer: EncodeAnswer = { question, ids };
  parentPort?.postMessage(answer, [ids.buffer]);
});
