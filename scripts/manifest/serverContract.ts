/** The contract between an editor of this package and its server, as Markdown: a section per file of `src/api`, from its own comments. */

import { readdirSync, readFileSync } from "node:fs";

const FOLDER = "src/api";
/** A comment and the method behind it, in an object of methods or as a constant of its own. */
const METHOD =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export const )?\w+(?:: | = )"(tinkerRL\/[^"]+)"/g;

/** The files in the order of their names; those without a method are left out. */
export function serverContract(): string {
  return readdirSync(FOLDER)
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(`${FOLDER}/${file}`, "utf8");
      const rows = [...text.matchAll(METHOD)].map(
        ([, comment = "", method]) => `| \`${method}\` | ${sentence(comment)} |`,
      );
      if (rows.length === 0) return [];
      const head = /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(text)?.[1] ?? "";
      // What a file loads is of interest to who imports it.
      const about = sentence(head).replace(/ Imports no runtime code\.$/, "");
      const title = `### ${file.replace(".ts", "")}`;
      const source = `Source: [\`${FOLDER}/${file}\`](../../${FOLDER}/${file})`;
      return [[title, about, source, ["| Method | |", "|---|---|", ...rows].join("\n")]];
    })
    .map((parts) => parts.join("\n\n"))
    .join("\n\n");
}

/** A comment on one line, with links as the names that they have in the source. */
function sentence(comment: string): string {
  return comment
    .replaceAll(/\n\s*\*\s?/g, " ")
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")
    .replaceAll("|", "\\|")
    .trim();
}
