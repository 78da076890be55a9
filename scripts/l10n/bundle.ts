/** The messages of the whole project, as translators and VS Code want them. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scanFile } from "./scanFile.ts";

/** Folders and files that show texts to people. */
const WITH_TEXTS = /^(src\/host|src\/cli|webview-ui)\//;
/** Of those the ones whose texts are for programs, errors, our issue tracker, or `package.nls.json`. */
const WITHOUT_TEXTS = [
  /^src\/host\/(manifest|tools)\//,
  /^src\/host\/(catalogue\/secretStates|dashboard\/runQueries|runs\/(launchConfig|launchStore|programEnvironment))\.ts$/,
  /^src\/host\/commands\/reportIssue\.ts$/,
  /^src\/host\/keys\/(keyNames|keyTest)\.ts$/,
  /^src\/cli\/(arguments\/(\w*[aA]rguments|argumentValues|flags)|help\/\w+|terminal\/invocation)\.ts$/,
  /^src\/host\/dashboard\/pageHtml\.ts$/,
  /^webview-ui\/runs\/chartsSvg\.ts$/,
  /^webview-ui\/controls\/palette\.ts$/,
];
/** Loaded after the page has taken over its translations. */
const LOADED_LATE = /^webview-ui\/strings\//;
/** What passes a call's messages on. */
const PLURAL = "src/shared/format.ts";

const NEXT_STEP =
  "Texts cannot be translated. Write each as l10n.t(…) or plural(…) of src/shared; what nobody reads is named in scripts/l10n.";

/** `l10n/bundle.l10n.json`: each message under itself. @throws Error with every text that cannot be translated */
export function messageBundle(): string {
  const scans = sourceFiles().map((path) => {
    const hasTexts = WITH_TEXTS.test(path) && !WITHOUT_TEXTS.some((each) => each.test(path));
    const options = { hasTexts, isLoadedLate: LOADED_LATE.test(path) };
    return { path, ...scanFile(path, readFileSync(path, "utf8"), options) };
  });
  const faults = scans
    .filter(({ path }) => path !== PLURAL)
    .flatMap(({ path, faults: own }) => own.map((fault) => `${path}:${fault}`));
  if (faults.length > 0) throw new Error(`${NEXT_STEP}\n${faults.join("\n")}`);
  const messages = [...new Set(scans.flatMap((scan) => scan.messages))].sort();
  const bundle = Object.fromEntries(messages.map((message) => [message, message]));
  return `${JSON.stringify(bundle, null, 2)}\n`;
}

function sourceFiles(): readonly string[] {
  return ["src", "webview-ui"].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes("kernels"))
      .map((file) => join(root, file).replaceAll("\\", "/")),
  );
}
