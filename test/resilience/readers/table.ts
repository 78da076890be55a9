/** All functions that read text from outside: of models, environments, services, files of others, and run folders. */

import { chatReaders } from "./chatReaders.ts";
import { configReaders } from "./configReaders.ts";
import { jsonReaders } from "./jsonReaders.ts";
import type { Reader } from "./reader.ts";
import { textReaders } from "./textReaders.ts";

export const READERS: readonly Reader[] = [
  ...chatReaders(),
  ...jsonReaders(),
  ...configReaders(),
  ...textReaders(),
];
