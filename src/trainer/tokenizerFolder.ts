/** Finds the folder of a model's tokenizer: beside the program for the embedded model, a folder of the user's for others. */

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isLocalModel } from "../core/config/presets.ts";
import { AppError } from "../core/errors.ts";
import type { LocalPrograms } from "./localServices.ts";

/** `name` is a `local/` model or a folder, relative ones from the configuration's. @throws AppError `tokenizer-not-found` */
export function tokenizerFolder(name: string, programs: LocalPrograms, configPath: string): string {
  if (isLocalModel(name)) return join(programs.folder, "model");
  const folder = resolve(dirname(configPath), name);
  if (existsSync(join(folder, "tokenizer.json"))) return folder;
  throw new AppError(
    "tokenizer-not-found",
    `tokenizer_name: no tokenizer.json in ${folder}. Put the files of the tokenizer of ${name} (tokenizer.json, tokenizer_config.json, chat_template.jinja) into a folder and set tokenizer_name to it.`,
    { configPath: "tokenizer_name" },
  );
}
