/** Licenses of the packaged software, in the form that they require. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Written by `bundledPackages.mjs`. */
const RECORDS = "dist/packages";
/** Packaged without appearing in a bundle: the runtime in the kernels, and the icons' outlines. */
const COMPILED_IN = ["node_modules/assemblyscript", "node_modules/@vscode/codicons"];
/** Packages without license texts, and files that start with those texts. */
const TEXTS_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "node_modules/@bufbuild/protobuf": [
    "node_modules/@huggingface/transformers/LICENSE",
    "node_modules/@bufbuild/protobuf/dist/esm/wire/varint.js",
  ],
  // The same owner ships the same text with its other packages.
  "node_modules/@vscode/l10n": ["node_modules/vscode-languageserver/License.txt"],
};

const HEAD =
  "Tinker RL contains parts of the packages below. Each is under the license that follows its name.";

/** @throws if a packaged dependency names no license, or one whose text is missing */
export function thirdPartyNotices(): string {
  const bundled = readdirSync(RECORDS).flatMap((file): readonly string[] =>
    JSON.parse(readFileSync(join(RECORDS, file), "utf8")),
  );
  const folders = [...new Set([...bundled, ...COMPILED_IN])].sort();
  return `${[HEAD, ...folders.map(notice)].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

function notice(folder: string): string {
  const { name, version, license }: Partial<Record<string, unknown>> = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  if (typeof license !== "string") throw new Error(`${folder} names no license.`);
  const texts = licenseFiles(folder).map((file) => licenseText(readFileSync(file, "utf8")));
  if (texts.length === 0) throw new Error(`${folder} has no file with its license.`);
  const title = `${String(name)} ${String(version)}: ${license.replace(/^\((.*)\)$/, "$1")}`;
  return [title, ...texts].join("\n\n");
}

function licenseFiles(folder: string): readonly string[] {
  const own = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  return TEXTS_ELSEWHERE[folder] ?? own.map((file) => join(folder, file));
}

/** The whole text of a text file, or the first comment of a source file. */
function licenseText(content: string): string {
  const lines = content.split("\n");
  if (!content.startsWith("//")) return content.trim();
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n")
    .trim();
}
