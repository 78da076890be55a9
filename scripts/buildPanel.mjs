// Builds dist/webview: the page of the panel, as one script, one style sheet, and a Markdown chunk that loads on demand.

import { mkdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";

const OUT = "dist/webview";
const KILOBYTE = 1000;
/** What the page may weigh, in bytes: script and style together, and the chunk. */
const MAX_PAGE = 250 * KILOBYTE;
const MAX_CHUNK = 140 * KILOBYTE;

async function bundlePage() {
  const { metafile } = await build({
    entryPoints: { panel: "webview-ui/main.tsx", style: "webview-ui/styles/panel.css" },
    outdir: OUT,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "chrome120",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    chunkNames: "[name]",
  });
  return Object.keys(metafile.outputs);
}

async function weigh(files) {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function guard(name, size, limit) {
  console.log(`${name}: ${(size / KILOBYTE).toFixed(1)} of ${limit / KILOBYTE} kB`);
  if (size > limit) throw new Error(`${name} is too large: ${size} of ${limit} bytes.`);
}

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
const files = await bundlePage();
const page = [join(OUT, "panel.js"), join(OUT, "style.css")];
const others = files.filter((file) => !page.some((own) => basename(own) === basename(file)));
guard("panel script and style", await weigh(page), MAX_PAGE);
guard("panel chunks on demand", await weigh(others), MAX_CHUNK);
