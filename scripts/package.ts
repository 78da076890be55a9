/** Packs dist/tinker-rl-<version>.vsix and fails if it contains anything that does not belong there. */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { thirdPartyNotices } from "./thirdPartyNotices.ts";
import { type ZipEntry, zipEntries } from "./zipEntries.ts";

const MODEL = "extension/dist/trainer/model/";
/** Excluding the bundled model's weights. */
const BUDGET_BYTES = 3_000_000;
/** The editor only shows pictures from the web, and a broken image for others. */
const README = "dist/README.md";
const LOCAL_PICTURE = /^ *!\[.*\]\(media\/.*\)\n\n/gm;
/** The package contains no documents, so links to them are replaced by their text. */
const LOCAL_LINK = /\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g;
/** The last file that a build writes. */
const LAST_BUILT = "dist/webview/dashboard.js";
const STRAY =
  /node_modules|\.map$|\.tsx?$|\.env$|^extension\/(src|test|webview-ui|scripts|bench|\.)/;
const NEEDED = [
  "extension/package.json",
  "extension/package.nls.json",
  "extension/readme.md",
  "extension/changelog.md",
  "extension/LICENSE.txt",
  "extension/dist/ThirdPartyNotices.txt",
  "extension/media/icon.png",
  "extension/media/icons/chat-dark.svg",
  "extension/media/icons/chat-light.svg",
  "extension/media/icons/play-dark.svg",
  "extension/media/icons/play-light.svg",
  "extension/media/icons/dashboard-dark.svg",
  "extension/media/icons/dashboard-light.svg",
  "extension/dist/extension/extension.cjs",
  "extension/dist/webview/chat.js",
  "extension/dist/webview/chatStyle.css",
  "extension/dist/webview/play.js",
  "extension/dist/webview/playStyle.css",
  "extension/dist/webview/dashboard.js",
  "extension/dist/webview/markdown.js",
  "extension/dist/webview/changesTab.js",
  "extension/dist/webview/changes.css",
  "extension/dist/webview/searchTab.js",
  "extension/dist/webview/search.css",
  "extension/dist/webview/style.css",
  "extension/dist/trainer/tinker-rl.js",
  "extension/dist/trainer/engine.js",
  "extension/dist/trainer/engineWorker.js",
  "extension/dist/trainer/environment.js",
  "extension/dist/trainer/keepCommand.js",
  "extension/dist/trainer/encodeWorker.js",

  "extension/dist/trainer/textWorker.js",
  "extension/dist/trainer/tokenizerWorker.js",
  "extension/dist/trainer/kernels.wasm",
  "extension/dist/trainer/bridge.py",
  "extension/dist/trainer/templates/question/environment.py",
  `${MODEL}model.safetensors`,
];

const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8")); // our own manifest
const file = `dist/tinker-rl-${version}.vsix`;
// Without a new build, the existing package is reused for all tests.
if (process.env["TINKER_RL_BUILT"] === "true" && writtenMs(file) > writtenMs(LAST_BUILT)) {
  process.exit();
}
// Imported late, because it takes a second to load.
const { createVSIX } = await import("@vscode/vsce");
writeFileSync("dist/ThirdPartyNotices.txt", thirdPartyNotices());
writeFileSync(README, withoutLocalTargets(readFileSync("README.md", "utf8")));
await createVSIX({
  packagePath: file,
  readmePath: README,
  dependencies: false,
  preRelease: true,
  // The project has no repository address.
  allowMissingRepository: true,
  rewriteRelativeLinks: false,
});

const entries = zipEntries(readFileSync(file));
const faults = [...strayFiles(entries), ...missingFiles(entries), ...overBudget(entries)];
if (faults.length > 0) throw new Error(`${file} is not as it should be.\n${faults.join("\n")}`);
console.log(
  `${file}: ${entries.length} files, ${megabytes(statSync(file).size)}, ${megabytes(packedBytes(withoutModel(entries)))} without the model`,
);

/** When a file was written, in milliseconds since 1970; 0 if it does not exist. */
function writtenMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function withoutLocalTargets(markdown: string): string {
  return markdown.replace(LOCAL_PICTURE, "").replace(LOCAL_LINK, "$1");
}

function strayFiles(all: readonly ZipEntry[]): readonly string[] {
  return all
    .filter(({ name }) => STRAY.test(name))
    .map(({ name }) => `${name} does not belong into it`);
}

function missingFiles(all: readonly ZipEntry[]): readonly string[] {
  const names = new Set(all.map(({ name }) => name));
  return NEEDED.filter((name) => !names.has(name)).map((name) => `${name} is missing`);
}

function overBudget(all: readonly ZipEntry[]): readonly string[] {
  const bytes = packedBytes(withoutModel(all));
  if (bytes <= BUDGET_BYTES) return [];
  return [`${megabytes(bytes)} without the model is more than ${megabytes(BUDGET_BYTES)}`];
}

function withoutModel(all: readonly ZipEntry[]): readonly ZipEntry[] {
  return all.filter(({ name }) => !name.startsWith(MODEL));
}

function packedBytes(all: readonly ZipEntry[]): number {
  return all.reduce((sum, entry) => sum + entry.packedBytes, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
