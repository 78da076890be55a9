/**
 * Checks the repository's files against its rules: `checkSources.ts [RULE …]`, all rules by default. Prints each violation with its
 * position.
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
/** Text that users read: documents, and the editor's and terminal's strings. */
const READ = /^(?!CHANGELOG).*\.md$|^package\.nls\.json$/;

const files = execFileSync("git", ["ls-files"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => (WITH_COMMENTS.test(path) || READ.test(path)) && existsSync(path))
  .map((path): SourceFile => ({ path, text: readFileSync(path, "utf8") }));

/** Excludes a rule's own file and test, which quote what the rule forbids. */
const matching = (pattern: RegExp, rule = ""): readonly SourceFile[] => {
  const own = [`scripts/${rule}.ts`, `test/scripts/${rule}.test.ts`];
  return files.filter(({ path }) => pattern.test(path) && !own.includes(path));
};

const repository = { has: existsSync, read: (path: string) => readFileSync(path, "utf8") };

/** Each rule returns one line per violation. */
const RULES: Readonly<Record<string, () => readonly string[]>> = {
  /** Imports follow the folder order. */
  folders: () =>
    matching(PROGRAM).flatMap(({ path, text }) =>
      folderFaults(path, text).map((problem) => `${path} ${problem}`),
    ),
  /** Comments and documents only refer to things that exist in this repository. */
  references: () =>
    matching(WITH_COMMENTS, "references").flatMap(({ path, text }) =>
      referenceFaults(path, text, repository).map((fault) => placed(path, fault)),
    ),
  /** No private words in code, comments, messages, and documents, and no British spelling in text for users. */
  words: () => [
    ...matching(WITH_WORDS, "privateWords").flatMap(({ path, text }) =>
      wordFaults(text).map((fault) => placed(path, fault)),
    ),
    ...matching(READ, "privateWords").flatMap(({ path, text }) =>
      britishFaults(text).map((fault) => placed(path, fault)),
    ),
  ],
  /** One name per exported type, except for generated wire messages, whose names are given. */
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
