/** Writes what is made from the tables of fields, commands and settings; `--check` only compares. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { configJsonSchema } from "../src/core/config/jsonSchema.ts";
import { configReference } from "../src/core/config/reference.ts";
import { messageBundle } from "./l10n/bundle.ts";
import { commandReference } from "./manifest/commands.ts";
import { withContributions, withStrings } from "./manifest/packageJson.ts";
import { settingReference } from "./manifest/settings.ts";

type Rewrite = (text: string) => string;

const withCommands = between("commands", commandReference());
const withSettings = between("settings", settingReference());

const FILES: Readonly<Record<string, Rewrite>> = {
  "media/tinker-config.schema.json": () => `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  "package.json": withContributions,
  "package.nls.json": withStrings,
  "l10n/bundle.l10n.json": messageBundle,
  "docs/configuration.md": between("config-reference", configReference()),
  "docs/vscode.md": (text) => withSettings(withCommands(text)),
};

/** Replaces what stands between the two marks of `part`. @throws Error when a mark is missing. */
function between(part: string, content: string): Rewrite {
  const first = `<!-- ${part}:start -->`;
  const last = `<!-- ${part}:end -->`;
  return (text) => {
    const start = text.indexOf(first);
    const end = text.indexOf(last);
    if (start === -1 || end < start) throw new Error(`The marks ${first} and ${last} are missing.`);
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
