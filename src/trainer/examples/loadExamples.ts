/** Reads the configured demonstrations and tokenizes them for the model. */

import { basename, dirname, resolve } from "node:path";
import type { Chat } from "../../core/chat/chat.ts";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { Example } from "../../core/examples/example.ts";
import { createExampleSet, type ExampleSet } from "../../core/examples/exampleSet.ts";
import { renderExample } from "../../core/examples/renderExample.ts";
import { runExamples } from "../../core/examples/runExamples.ts";
import { isJsonObject } from "../../core/json.ts";
import type { FileSystem, FolderFiles } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { sha256 } from "../../node/hash.ts";
import { formatQuantity } from "../../shared/format.ts";
import { readExampleFile } from "./readExampleFile.ts";

type DataSource = Config["data"][number];

export interface LoadExamplesOptions {
  readonly config: Config;
  /** The configuration file, from which paths are resolved. */
  readonly configPath: string;
  readonly fileSystem: FileSystem;
  readonly chat: Chat;
  readonly onWarning: (message: string) => void;
}

/**
 * @throws AppError `examples-invalid`, `example-unwritable`, `data-from-test`, `no-examples`, `data-other-tokenizer`,
 * `file-unreadable`, `chat-render`
 */
export async function loadExamples(options: LoadExamplesOptions): Promise<ExampleSet> {
  const { config, onWarning } = options;
  const examples: Example[] = [];
  // Earlier versions held out single lines of such files; a digest of the choice keeps their runs from resuming with other lines held out.
  let digestsChoice = false;
  for (const [index, source] of config.data.entries()) {
    const own = await sourceExamples(options, source, `data.${index}`);
    digestsChoice ||= source.path !== null && own.some((each) => each.task !== lineOf(each));
    examples.push(...own);
  }
  const fitting = examples.filter(({ streams }) =>
    streams.every(({ length }) => length <= config.max_total_tokens),
  );
  const tooLong = examples.length - fitting.length;
  if (tooLong > 0) {
    onWarning(
      `${formatQuantity(tooLong, "example")} of ${examples.length} ${tooLong === 1 ? "has" : "have"} more tokens than max_total_tokens: ${config.max_total_tokens}, and ${tooLong === 1 ? "is" : "are"} left out.`,
    );
  }
  const { seed, held_out: heldOut } = config;
  return createExampleSet(fitting, { seed, heldOut, digestsChoice, sha256 });
}

/** The task of a line that does not name one. */
function lineOf({ source, index }: Pick<Example, "source" | "index">): string {
  return `${source}:${index}`;
}

function sourceExamples(
  options: LoadExamplesOptions,
  source: DataSource,
  configPath: string,
): Promise<readonly Example[]> {
  const folder = dirname(options.configPath);
  return source.path !== null
    ? fileExamples(options, resolve(folder, source.path))
    : storedExamples(options, source, configPath, resolve(folder, source.run ?? ""));
}

async function fileExamples(
  { config, chat, onWarning }: LoadExamplesOptions,
  path: string,
): Promise<readonly Example[]> {
  const lines = await readExampleFile(path);
  const used = lines.filter(({ split }) => split !== "test");
  if (used.length < lines.length) {
    onWarning(
      `${path}: ${formatQuantity(lines.length - used.length, "line")} of split test ${lines.length - used.length === 1 ? "is" : "are"} left out.`,
    );
  }
  const { train_on: trainOn, train_thinking: trainThinking } = config;
  const examples: Example[] = [];
  for (const { line, split, task, ...conversation } of used) {
    const source = basename(path);
    const index = line - 1;
    const rendered = await rendering(path, line, () =>
      renderExample(conversation, { chat, trainOn, trainThinking }),
    );
    const kept = split === "test" ? "train" : split;
    const own = task ?? lineOf({ source, index });
    examples.push({ source, index, task: own, split: kept, ...rendered });
  }
  return examples;
}

/** Adds the line to errors of a chat format. */
async function rendering<T>(path: string, line: number, render: () => Promise<T>): Promise<T> {
  try {
    return await render();
  } catch (cause) {
    if (!isAppError(cause)) throw cause;
    const message = `${path}: line ${line}: ${cause.message}`;
    throw new AppError(cause.code, message, { cause, configPath: "data" });
  }
}

async function storedExamples(
  { config, fileSystem, onWarning }: LoadExamplesOptions,
  source: DataSource,
  configPath: string,
  folder: string,
): Promise<readonly Example[]> {
  const files = fileSystem.within(folder);
  await requireSameTokenizer(files, folder, config, configPath);
  const { examples, withoutTokens, withImages } = await runExamples({
    fileSystem: files,
    folder,
    name: basename(folder),
    source,
    configPath,
    trainOn: config.train_on,
    isTest: isTestIn(config),
  });
  const leftOut = (count: number, why: string): void => {
    if (count === 0) return;
    const are = count === 1 ? "is" : "are";
    onWarning(
      `${configPath}: ${formatQuantity(count, "rollout")} of ${folder} ${are} left out, because ${why}.`,
    );
  };
  leftOut(withoutTokens, `no tokens of ${withoutTokens === 1 ? "it" : "them"} are stored`);
  leftOut(withImages, "only text can be trained on, and there are images");
  return examples;
}

/** Returns a test for splits that are reserved for evaluation. */
export function isTestIn({ evaluation }: Pick<Config, "evaluation">) {
  const evaluated = evaluation?.splits ?? {};
  return (environment: string, split: string): boolean =>
    split === "test" || (evaluated[environment]?.includes(split) ?? false);
}

/** Token ids mean nothing to another tokenizer. @throws AppError `run-not-found`, `data-other-tokenizer` */
export async function requireSameTokenizer(
  files: FolderFiles,
  folder: string,
  config: Pick<Config, "model_name" | "tokenizer_name" | "chat_format">,
  configPath: string,
): Promise<void> {
  const text = await files
    .readText(runPaths(folder).resolvedConfig, MAX_BYTES.resolvedConfig)
    .catch((cause: unknown) => {
      if (!isAppError(cause, "file-not-found")) throw cause;
      const message = `${configPath}.run: ${folder} is not the folder of a run.`;
      throw new AppError("run-not-found", message, { cause, configPath: "data" });
    });
  const settings = parseJson(text)?.value;
  if (!isJsonObject(settings)) return;
  const { model_name: model, tokenizer_name: own, chat_format: format } = settings;
  if (typeof model !== "string") return;
  const theirs = tokenizerNameOf({
    model_name: model,
    tokenizer_name: typeof own === "string" ? own : null,
  });
  const ours = tokenizerNameOf(config);
  if (theirs === ours && format === config.chat_format) return;
  throw new AppError(
    "data-other-tokenizer",
    `${configPath}.run: ${folder} was sampled with the tokenizer of ${model} (chat_format: ${String(format)}), whose ids mean something else to ${config.model_name}. Export its rollouts as messages, and give the file as path.`,
    { configPath: "data" },
  );
}
