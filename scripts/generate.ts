/** Writes the files generated from the tables of fields, commands, and settings; `--check` only compares. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { exitCodeOf } from "../src/cli/terminal/exitCode.ts";
import { configJsonSchema } from "../src/core/config/jsonSchema.ts";
import { configReference } from "../src/core/config/reference.ts";
import { ERROR_CODES, parseErrorCode } from "../src/core/errorCodes.ts";
import { AppError } from "../src/core/errors.ts";
import { OUTPUTS } from "../src/core/outputs/outputs.ts";
import { faultReference } from "../src/core/rollout/faultReference.ts";
import { DONE_EARLY } from "../src/core/training/run/budgets.ts";
import { EXIT } from "../src/shared/exitCodes.ts";
import { commandReference } from "./manifest/commands.ts";
import { settingsJsonSchema, tasksJsonSchema } from "./manifest/fileSchemas.ts";
import { withContributions, withStrings } from "./manifest/packageJson.ts";
import { serverContract } from "./manifest/serverContract.ts";
import { settingReference } from "./manifest/settings.ts";
import { toolReference } from "./manifest/tools.ts";

type Rewrite = (text: string) => string;

const withCommands = between("commands", commandReference());
const withTools = between("tools", toolReference());
const withConfig = between("config-reference", configReference());
const withFaults = between("faults", faultReference());
const withSettings = between("settings", settingReference());

const SCHEMAS = "docs/json";

const FILES: Readonly<Record<string, Rewrite>> = {
  "media/tinker-config.schema.json": () => jsonText(configJsonSchema()),
  "media/tasks.schema.json": () => jsonText(tasksJsonSchema()),
  "media/settings.schema.json": () => jsonText(settingsJsonSchema()),
  "package.json": withContributions,
  "package.nls.json": withStrings,
  "docs/configuration.md": (text) => withFaults(withConfig(text)),
  "docs/cli.md": between("outputs", outputReference()),
  "docs/error-codes.md": between("error-codes", errorReference()),
  ...Object.fromEntries(
    OUTPUTS.map((output) => [schemaPath(output), () => jsonText(output.jsonSchema())]),
  ),
  "docs/protocols/server.md": between("contract", serverContract()),
  "docs/vscode.md": (text) => withSettings(withTools(withCommands(text))),
};

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function schemaPath({ name }: (typeof OUTPUTS)[number]): string {
  return `${SCHEMAS}/${name}.schema.json`;
}

/** Table of commands that print JSON. */
function outputReference(): string {
  const rows = OUTPUTS.map((output) => {
    const { name, version, command } = output;
    const link = `[${name}](${schemaPath(output).replace("docs/", "")})`;
    return `| \`${command}\` | \`tinker-rl.${name}/${version}\` | ${link} |`;
  });
  return ["| Command | `format` | Schema |", "|---|---|---|", ...rows].join("\n");
}

/** Table of error codes in alphabetical order, with the program's exit code for each. */
function errorReference(): string {
  const meanings = Object.values(ERROR_CODES).flatMap((ofKind) => Object.entries<string>(ofKind));
  const rows = meanings
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, meaning]) => {
      const code = parseErrorCode(name);
      const exit = DONE_EARLY.has(code) ? EXIT.done : exitCodeOf(new AppError(code, meaning));
      return `| \`${code}\` | ${meaning} | ${exit} |`;
    });
  return ["| Code | Meaning | Exit code |", "|---|---|---|", ...rows].join("\n");
}

/** Replaces the text between the two marks of `part`. @throws Error if a mark is missing */
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
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, wanted);
    console.log(`${path} written`);
  }
}
