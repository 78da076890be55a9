/** Writes what is made from the tables of fields, commands and settings; `--check` only compares. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { configJsonSchema } from "../src/core/config/jsonSchema.ts";
import { configReference } from "../src/core/config/reference.ts";
import { commandReference } from "./manifest/commands.ts";
import { withContributions, withStrings } from "./manifest/packageJson.ts";
import { settingReference } from "./manifest/settings.ts";

type Rewrite = (text: string) => string;

const FILES: Readonly<Record<string, Rewrite>> = {
  "media/tinker-config.schema.json": () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  "package.json": withContributions,
  "package.nls.json": withStrings,
  "README.md": (text) =>
    [
      between("config-reference", configReference()),
      between("commands", commandReference()),
      between("settings", settingReference()),
    ].reduce((written, rewrite) => rewrite(written), text),
};

/** Replaces what stands between the two marks of `part`; a text without them stays as it is. */
function between(part: string, content: string): Rewrite {
  const first = `<!-- ${part}:start -->`;
  const last = `<!-- ${part}:end -->`;
  return (text) => {
    const start = text.indexOf(first);
    const end = text.indexOf(last);
    if (start === -1 || end < start) return text;
    return `${text.slice(0, start + first.length)}\n\n${content}\n\n${text.slice(end)}`;
  };
}

function readIfThere(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

const outdated = Object.entries(FILES).flatMap(([path, rewrite]) => {
  const present = readIfThere(path);
  const wanted = rewrite(present ?? "");
  return wanted === present ? [] : [{ path, wanted }];
});
if (process.argv.includes("--check")) {
  for (const { path } of outdated)
    console.error(`${path} is out of date; run \`npm run generate\`.`);
  process.exitCode = outdated.length > 0 ? 1 : 0;
} else {
  for (const { path, wanted } of outdated) {
    writeFileSync(path, wanted);
    console.log(`${path} written`);
  }
}
