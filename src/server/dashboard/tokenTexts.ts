/** Decodes tokens with the tokenizer of their run; downloads nothing. */

import { dirname } from "node:path";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import type { Tokenizer } from "../../core/chat/tokenizer.ts";
import { imageText, isImageId } from "../../core/images/imageIds.ts";
import type { FileSystem } from "../../core/ports.ts";
import { readRunFile } from "../../core/runFolder/runFile.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import type { TokenTexts } from "./runQueries.ts";

/** Cache of one, because vocabularies are large and a person views one run at a time. */
let last: { readonly folder: string; readonly tokenizer: Promise<Tokenizer> } | null = null;

/** `programFolder` contains the embedded model and the tokenizer worker. */
export function tokenTextsOf(fileSystem: FileSystem, programFolder: string): TokenTexts {
  return async (runFolder, ids) => {
    try {
      const folder = await folderOfRun(fileSystem, programFolder, runFolder);
      if (folder === null) return null;
      if (last?.folder !== folder) last = { folder, tokenizer: load(programFolder, folder) };
      const tokenizer = await last.tokenizer;
      return Array.from(ids, (id) => (isImageId(id) ? imageText(id) : tokenizer.decode([id])));
    } catch {
      // Tokens are then shown as ids.
      last = null;
      return null;
    }
  };
}

async function load(programFolder: string, folder: string): Promise<Tokenizer> {
  const { readTokenizer } = await import("./localTokenizer.ts");
  return (await readTokenizer(programFolder, folder)).tokenizer;
}

async function folderOfRun(
  fileSystem: FileSystem,
  programFolder: string,
  runFolder: string,
): Promise<string | null> {
  const run = fileSystem.within(runFolder);
  const names = await readRunModel(run, runFolder);
  if (names === null) return null;
  const file = await readRunFile(run, runFolder);
  const configFolder = file === null ? runFolder : dirname(file.configPath);
  const name = tokenizerNameOf(names);
  const { localTokenizerFolder } = await import("./localTokenizer.ts");
  return await localTokenizerFolder({ files: fileSystem, programFolder }, { name, configFolder });
}
