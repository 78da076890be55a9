/** All functions that parse external text: from models, environments, services, users' files, and run folders. */

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
