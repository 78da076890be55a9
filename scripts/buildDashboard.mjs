// Builds dist/webview: the pages of the dashboard and of conversations, each as one script and one style sheet, and a Markdown chunk that loads on demand.

import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { rememberPackages } from "./bundledPackages.mjs";

// `.ci/run` sets this while programs of several suites run from dist.
if (process.env.TINKER_RL_BUILT === "true") process.exit();

const OUT = "dist/webview";
const KILOBYTE = 1000;
/** What the page may weigh, in bytes: script and style together, and the chunk. */
const MAX_PAGE = 250 * KILOBYTE;
const MAX_CHAT = 100 * KILOBYTE;
const MAX_CHUNK = 140 * KILOBYTE;

/** The page asks for the Markdown renderer when it first needs it; without this it would be split into pieces. */
const markdownOnDemand = {
  name: "markdown-on-demand",
  setup({ onResolve }) {
    onResolve({ filter: /\/markdown\.ts$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./markdown.js", external: true } : undefined,
    );
  },
};

async function bundlePage() {
  const { metafile } = await build({
    entryPoints: {
      dashboard: "webview-ui/main.tsx",
      chat: "webview-ui/chatMain.tsx",
      markdown: "webview-ui/text/markdown.ts",
      style: "webview-ui/styles/dashboard.css",
      chatStyle: "webview-ui/styles/chatStyle.css",
    },
    outdir: OUT,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "chrome120",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    plugins: [markdownOnDemand],
  });
  await rememberPackages("webview", metafile);
}

async function weigh(files) {
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(OUT, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function guard(name, size, limit) {
  if (size > limit) throw new Error(`${name} is too large: ${size} of ${limit} bytes.`);
}

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
await bundlePage();
guard("dashboard script and style", await weigh(["dashboard.js", "style.css"]), MAX_PAGE);
guard("conversation script and style", await weigh(["chat.js", "chatStyle.css"]), MAX_CHAT);
guard("dashboard Markdown chunk", await weigh(["markdown.js"]), MAX_CHUNK);
