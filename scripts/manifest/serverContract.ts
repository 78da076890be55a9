/** The contract between an editor and its server as Markdown: one section per file of `src/api`, from its comments. */

import { readdirSync, readFileSync } from "node:fs";

const FOLDER = "src/api";
/** A comment and the method that follows it, in an object of methods or as a constant. */
const METHOD =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export const )?\w+(?:: | = )"(tinkerRL\/[^"]+)"/g;

/** Files sorted by name; files without methods are left out. */
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
      // Only importers care about what a file loads.
      const about = sentence(head).replace(/ Imports no runtime code\.$/, "");
      const title = `### ${file.replace(".ts", "")}`;
      const source = `Source: [\`${FOLDER}/${file}\`](../../${FOLDER}/${file})`;
      return [[title, about, source, ["| Method | |", "|---|---|", ...rows].join("\n")]];
    })
    .map((parts) => parts.join("\n\n"))
    .join("\n\n");
}

/** A comment as one line, with links replaced by their names in the source. */
function sentence(comment: string): string {
  return comment
    .replaceAll(/\n\s*\*\s?/g, " ")
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")
    .replaceAll("|", "\\|")
    .trim();
}
