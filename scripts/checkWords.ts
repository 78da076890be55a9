/** Refuses private words in code, comments, messages and documents, and British spelling where people read. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { britishFaults, wordFaults } from "./privateWords.ts";

const CHECKED = /\.(tsx?|mjs|css|md)$/;
/** What people read: documents, and the texts of the editor and the terminal. */
const READ = /^(?!CHANGELOG).*\.md$|^package\.nls\.json$/;
/** Quote the words. */
const EXEMPT = /^scripts\/privateWords\.ts$|^test\/scripts\/privateWords\.test\.ts$/;

for (const path of execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n")) {
  if (EXEMPT.test(path) || !existsSync(path)) continue;
  const text = CHECKED.test(path) || READ.test(path) ? readFileSync(path, "utf8") : "";
  const faults = [
    ...(CHECKED.test(path) ? wordFaults(text) : []),
    ...(READ.test(path) ? britishFaults(text) : []),
  ];
  for (const { line, problem } of faults) {
    console.error(`${path}:${line}: ${problem}`);
    process.exitCode = 1;
  }
}
