// Runs a TypeScript program of this repository: `node scripts/run.mjs FILE.ts [arguments]`. With `--bundle-only` as the only
// argument it is made ready in dist/scripts and not run.

import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "./bundle.mjs";

// Tools that look for files beside their own.
const UNBUNDLED = ["esbuild", "playwright-core", "@vscode/test-electron", "@vscode/vsce"];

const [source, ...rest] = process.argv.slice(2);
if (source === undefined) throw new Error("usage: node scripts/run.mjs FILE.ts [arguments]");
const name = basename(source, ".ts");
// Outside of an editor there is no such module; what asks for it here is a test of the extension's code.
const alias = { vscode: resolve("test/resilience/hostile/fakeEditor.ts") };
await bundle({ [name]: source }, "dist/scripts", { external: UNBUNDLED, alias });
if (rest[0] !== "--bundle-only") {
  process.argv = [process.argv[0], resolve(source), ...rest];
  await import(pathToFileURL(resolve(`dist/scripts/${name}.js`)).href);
}
