/**
 * Refuses what the rules of this repository forbid in its files, by reading them: `checkSources.ts [RULE …]`, all of them by default.
 * Prints each fault with its place.
 */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { folderFaults } from "./folderOrder.ts";
import { britishFaults, wordFaults } from "./privateWords.ts";
import { referenceFaults } from "./references.ts";
import { type SourceFile, sharedTypeNames } from "./typeNames.ts";

const PROGRAM = /^(?:src|webview-ui)\/.*\.tsx?$/;
const WITH_COMMENTS = /\.(ts|tsx|mjs|css|proto|py|ya?ml|sh|md)$/;
const WITH_WORDS = /\.(tsx?|mjs|css|md)$/;
/** What people read: documents, and the texts of the editor and the terminal. */
const READ = /^(?!CHANGELOG).*\.md$|^package\.nls\.json$/;

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => (WITH_COMMENTS.test(path) || READ.test(path)) && existsSync(path))
  .map((path): SourceFile => ({ path, text: readFileSync(path, "utf8") }));

/** Without the file of a rule and its test, which quote what the rule forbids. */
const matching = (pattern: RegExp, rule = ""): readonly SourceFile[] => {
  const own = [`scripts/${rule}.ts`, `test/scripts/${rule}.test.ts`];
  return files.filter(({ path }) => pattern.test(path) && !own.includes(path));
};

const repository = { has: existsSync, read: (path: string) => readFileSync(path, "utf8") };

/** Each gives a line for a fault. */
const RULES: Readonly<Record<string, () => readonly string[]>> = {
  /** Imports follow the order of folders. */
  folders: () =>
    matching(PROGRAM).flatMap(({ path, text }) =>
      folderFaults(path, text).map((problem) => `${path} ${problem}`),
    ),
  /** Comments and documents refer to what is in this repository. */
  references: () =>
    matching(WITH_COMMENTS, "references").flatMap(({ path, text }) =>
      referenceFaults(path, text, repository).map((fault) => placed(path, fault)),
    ),
  /** No private words in code, comments, messages and documents, and no British spelling where people read. */
  words: () => [
    ...matching(WITH_WORDS, "privateWords").flatMap(({ path, text }) =>
      wordFaults(text).map((fault) => placed(path, fault)),
    ),
    ...matching(READ, "privateWords").flatMap(({ path, text }) =>
      britishFaults(text).map((fault) => placed(path, fault)),
    ),
  ],
  /** One name for one exported type; but for what is generated from the messages of a wire, which names them. */
  typeNames: () =>
    sharedTypeNames(matching(PROGRAM).filter(({ path }) => !path.includes("_pb."))).map(
      ({ name, paths }) =>
        `${paths.join(" and ")} export different types as ${name}. Rename one of them.`,
    ),
};

function placed(path: string, { line, problem }: { line: number; problem: string }): string {
  return `${path}:${line}: ${problem}`;
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(RULES);
const faults = wanted.flatMap((rule) => RULES[rule]?.() ?? [`There is no rule ${rule}.`]);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
