/** Converts a file of conversations to a run folder, so that every view of rollouts can show it. Nothing is trained. */

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { basename, extname } from "node:path";
import type { Chat } from "../../core/chat/chat.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { ChatExample, Example } from "../../core/examples/example.ts";
import { plainRecord } from "../../core/examples/exampleRecord.ts";
import { renderExample } from "../../core/examples/renderExample.ts";
import type { FileSystem } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import {
  createRolloutStore,
  type RolloutStore,
} from "../../core/runFolder/rollouts/rolloutStore.ts";
import { startRun } from "../../core/runFolder/runFolder.ts";
import { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { toTokenRecord } from "../../core/training/update/tokenRecords.ts";
import { systemClock } from "../../node/clock.ts";
import { exampleLines, problemText } from "./readExampleFile.ts";

export interface ExampleFolderOptions {
  readonly fileSystem: FileSystem;
  /** The conversation file. */
  readonly path: string;
  /** The parent of the new folder. */
  readonly parent: string;
  /** How a run would render and train them; null shows them as written. */
  readonly training: ExampleTraining | null;
}

export interface ExampleTraining {
  readonly chat: Chat;
  readonly config: Pick<
    Config,
    | "model_name"
    | "tokenizer_name"
    | "chat_format"
    | "train_on"
    | "train_thinking"
    | "max_total_tokens"
  >;
}

/** Enough for any reader; the rest is left out. */
const MAX_EXAMPLES = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
const STEP = 0;

/**
 * Resolves with the folder. Skips lines that are not conversations; starting a run reports them.
 * @throws AppError `no-examples` if none is one, `file-unreadable`, `disk`
 */
export async function writeExampleFolder(options: ExampleFolderOptions): Promise<string> {
  const { fileSystem, path, parent, training } = options;
  const name = basename(path, extname(path));
  const run = { owner: "editor", configPath: path, pid: process.pid, host: hostname() } as const;
  const lease = await startRun(
    { fileSystem, clock: systemClock },
    { ...run, parent, name, runId: randomUUID() },
  );
  const { files, folder } = lease;
  const { model_name, tokenizer_name, chat_format } = training?.config ?? {};
  // The model determines how tokens are shown as text.
  const settings = { method: "sft", model_name, tokenizer_name, chat_format };
  await files.writeAtomic(runPaths(folder).resolvedConfig, JSON.stringify(settings));
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder });
  let count = 0;
  let problem = "it is empty";
  for await (const { line, read } of exampleLines(path, MAX_BYTES)) {
    if ("reason" in read) problem = `line ${line}: ${problemText(read)}`;
    else {
      await addExample(store, training, { example: read, source: basename(path), line });
      count += 1;
    }
    if (count === MAX_EXAMPLES) break;
  }
  await lease.end({ phase: "done" });
  if (count > 0) return folder;
  throw new AppError("no-examples", `${path} has no conversation to show: ${problem}.`, {
    data: { path },
  });
}

interface ShownExample {
  readonly example: ChatExample;
  readonly source: string;
  readonly line: number;
}

async function addExample(
  store: RolloutStore,
  training: ExampleTraining | null,
  { example, source, line }: ShownExample,
): Promise<void> {
  const { split } = example;
  const index = line - 1;
  const rendered = training === null ? null : await rendering(example, training);
  const refusal = typeof rendered === "string" ? rendered : null;
  const written = typeof rendered === "string" ? null : rendered;
  const record = written?.record ?? { ...plainRecord(example), error: refusal };
  const place = { step: STEP, group: index, rollout: 0 };
  const task = { taskKey: `${source}:${split}:${index}`, environment: source, split, index };
  await store.addRollout({ ...record, ...place, ...task, attempt: 0 });
  const limit = training?.config.max_total_tokens ?? Number.POSITIVE_INFINITY;
  const isTooLong = written?.streams.some(({ length }) => length > limit) === true;
  const use = isTooLong ? "too_long" : split;
  const trainingUse = use === "train" ? "trained" : (`excluded:${use}` as const);
  await store.addScores(STEP, [{ ...place, advantage: null, trainingUse }]);
  if (written === null) return;
  const advantages = new Float32Array(0);
  await store.addTokens(
    STEP,
    written.streams.map((ledger, stream) =>
      toTokenRecord({ ...place, stream, ledger, advantages }, null),
    ),
  );
}

/** The rendered example, or the reason why the model's chat format cannot render it. */
async function rendering(
  example: ChatExample,
  { chat, config }: ExampleTraining,
): Promise<Pick<Example, "streams" | "record"> | string> {
  const { train_on: trainOn, train_thinking: trainThinking } = config;
  try {
    return await renderExample(example, { chat, trainOn, trainThinking });
  } catch (error) {
    if (isAppError(error)) return error.message;
    throw error;
  }
}
