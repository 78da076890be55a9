/** Refuses comments and documents that refer to what is not in this repository. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type Repository, referenceFaults } from "./references.ts";

const CHECKED = /\.(ts|tsx|mjs|css|proto|py|ya?ml|sh|md)$/;
/** Quotes what the rules forbid. */
const OF_THE_RULES = /^(?:scripts\/references\.ts|test\/scripts\/references\.test\.ts)$/;

const repository: Repository = {
  has: existsSync,
  read: (path) => readFileSync(path, "utf8"),
};

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n");
for (const path of files) {
  if (!CHECKED.test(path) || OF_THE_RULES.test(path) || !existsSync(path)) continue;
  for (const { line, problem } of referenceFaults(path, repository.read(path), repository)) {
    console.error(`${path}:${line}: ${problem}`);
    process.exitCode = 1;
  }
}
