/** Refuses private words in code, comments, messages and documents. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { wordFaults } from "./privateWords.ts";

const CHECKED = /\.(tsx?|mjs|css|md)$/;
/** Quote the words. */
const EXEMPT = /^scripts\/privateWords\.ts$|^test\/scripts\/privateWords\.test\.ts$/;

for (const path of execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n")) {
  if (!CHECKED.test(path) || EXEMPT.test(path) || !existsSync(path)) continue;
  for (const { line, problem } of wordFaults(readFileSync(path, "utf8"))) {
    console.error(`${path}:${line}: ${problem}`);
    process.exitCode = 1;
  }
}
