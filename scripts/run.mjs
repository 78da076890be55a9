// Runs a TypeScript program of this repository: `node scripts/run.mjs FILE.ts [arguments]`. With `--bundle-only` as the only
// argument, it is only bundled to dist/scripts.

import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle } from "./bundle.mjs";

// Packages that look for files next to their own.
const UNBUNDLED = ["esbuild", "playwright-core", "@vscode/test-electron", "@vscode/vsce"];

const [source, ...rest] = process.argv.slice(2);
if (source === undefined) throw new Error("usage: node scripts/run.mjs FILE.ts [arguments]");
const name = basename(source, ".ts");
// `vscode` does not exist outside of an editor; here only tests of the extension's code import it.
const alias = { vscode: resolve("test/resilience/hostile/fakeEditor.ts") };
await bundle({ [name]: source }, "dist/scripts", { external: UNBUNDLED, alias });
if (rest[0] !== "--bundle-only") {
  process.argv = [process.argv[0], resolve(source), ...rest];
  await import(pathToFileURL(resolve(`dist/scripts/${name}.js`)).href);
}
