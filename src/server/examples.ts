/** Shows the examples in a file, tokenized with the model to be trained if its tokenizer is available locally. */

import { rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EXAMPLE_REQUESTS, type ExamplesRequest, examplesRequestSchema } from "../api/examples.ts";
import { tokenizerNameOf } from "../core/chat/modelName.ts";
import { checkText } from "../core/config/check.ts";
import { isAppError } from "../core/errors.ts";
import type { Clock, FileSystem } from "../core/ports.ts";
import { readRunFile } from "../core/runFolder/runFile.ts";
import { sha256 } from "../node/hash.ts";
import { VERSION } from "../shared/version.ts";
import {
  type ExampleFolderOptions,
  type ExampleTraining,
  writeExampleFolder,
} from "../trainer/examples/exampleFolder.ts";
import { answerRequests, type ServerOptions } from "./openRequests.ts";

/** Number of recently read files to cache, so that reopening them is instant. */
const MAX_KEPT = 20;

export function serveExamples(server: ServerOptions): void {
  const writing = new Map<string, Promise<string>>();
  answerRequests(
    server,
    EXAMPLE_REQUESTS.read,
    examplesRequestSchema,
    async ({ path, parent, config }, { fileSystem }) => {
      const places = { files: fileSystem, programFolder: server.programFolder };
      const training = config === null ? null : await trainingOf(config, places, server.clock);
      const own = join(parent, await nameFor(path, config, training !== null));
      const folder =
        writing.get(own) ??
        showExamples({ fileSystem, path, parent: own, training }).finally(() =>
          writing.delete(own),
        );
      writing.set(own, folder);
      return folder;
    },
  );
}

/** Resolves with the folder in `parent` that holds the converted file. */
async function showExamples(options: ExampleFolderOptions): Promise<string> {
  const { fileSystem, parent: own } = options;
  for (const name of await fileSystem.list(own)) {
    const known = join(own, name);
    if (await isWhole(fileSystem, known)) return known;
  }
  await rm(own, { recursive: true, force: true });
  await forgetOldest(fileSystem, dirname(own));
  try {
    return await writeExampleFolder(options);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    throw error;
  }
}

/** False for a folder whose writer was interrupted. */
async function isWhole(fileSystem: FileSystem, folder: string): Promise<boolean> {
  const file = await readRunFile(fileSystem.within(folder), folder).catch(() => null);
  return file?.phase === "done";
}

/** A cache key for the file's content and the configuration, with or without tokens. */
async function nameFor(
  path: string,
  config: ExamplesRequest["config"],
  hasTokens: boolean,
): Promise<string> {
  const found = await stat(path).catch(() => null);
  const text = JSON.stringify([VERSION, path, found?.size, found?.mtimeMs, config, hasTokens]);
  return sha256(text).slice(0, 16);
}

/** Deletes the oldest entries to make room for one more. */
async function forgetOldest(fileSystem: FileSystem, parent: string): Promise<void> {
  const folders = (await fileSystem.list(parent)).map((name) => join(parent, name));
  const dated = await Promise.all(
    folders.map(async (folder) => ({ folder, ms: (await stat(folder)).mtimeMs })),
  );
  const old = dated.sort((a, b) => b.ms - a.ms).slice(MAX_KEPT - 1);
  await Promise.all(old.map(({ folder }) => rm(folder, { recursive: true, force: true })));
}

/** Null if the configuration is invalid or its tokenizer is not available locally. */
async function trainingOf(
  { path, text, overrides }: NonNullable<ExamplesRequest["config"]>,
  places: { readonly files: FileSystem; readonly programFolder: string },
  clock: Clock,
): Promise<ExampleTraining | null> {
  const { config } = checkText(text, { path, overrides });
  if (config === null) return null;
  try {
    const request = { name: tokenizerNameOf(config), configFolder: dirname(path) };
    // Loaded on demand, because examples can be read without a model.
    const { readTokenizer, localTokenizerFolder } = await import("./dashboard/localTokenizer.ts");
    const { createChat, today } = await import("../core/chat/setup/createRenderer.ts");
    const folder = await localTokenizerFolder(places, request);
    const model = await readTokenizer(places.programFolder, folder);
    return { chat: createChat({ model, config, date: today(clock) }).chat, config };
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}
