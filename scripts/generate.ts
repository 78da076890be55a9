/** Writes what is made from the field table, the editors' schema and the README's reference; `--check` only compares. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { configJsonSchema } from "../src/core/config/jsonSchema.ts";
import { configReference } from "../src/core/config/reference.ts";

const SCHEMA_PATH = "media/tinker-config.schema.json";
const README_PATH = "README.md";
const START = "<!-- config-reference:start -->";
const END = "<!-- config-reference:end -->";

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function withReference(readme: string): string {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start === -1 || end < start) return readme;
  return `${readme.slice(0, start + START.length)}\n\n${configReference()}\n\n${readme.slice(end)}`;
}

function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map([[SCHEMA_PATH, `${JSON.stringify(configJsonSchema(), null, 2)}\n`]]);
  const readme = readIfThere(README_PATH);
  return readme === null ? files : files.set(README_PATH, withReference(readme));
}

const outdated = [...generatedFiles()].filter(([path, content]) => readIfThere(path) !== content);
if (process.argv.includes("--check")) {
  for (const [path] of outdated) console.error(`${path} is out of date; run \`npm run generate\`.`);
  process.exitCode = outdated.length > 0 ? 1 : 0;
} else {
  for (const [path, content] of outdated) {
    writeFileSync(path, content);
    console.log(`${path} written`);
  }
}
