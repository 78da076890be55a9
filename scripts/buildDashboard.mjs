// Builds dist/webview: the pages of the dashboard, chats, plays, and the runs table, and their parts that load on demand.

import { mkdir, rm, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { rememberPackages } from "./bundledPackages.mjs";

// Set by `.ci/run` while several suites run programs from dist.
if (process.env.TINKER_RL_BUILT === "true") process.exit();

const OUT = "dist/webview";
/** The runs table, built separately: code shared between pages is split into many chunks, each a request before the first row. */
const RUNS = {
  runs: "webview-ui/runsMain.tsx",
  runsStyle: "webview-ui/styles/runsStyle.css",
  comparison: "webview-ui/runs/compareView.tsx",
  comparisonStyle: "webview-ui/styles/comparisonStyle.css",
  sweepView: "webview-ui/runs/sweepView.tsx",
  sweepStyle: "webview-ui/styles/sweep.css",
};

/** Each script is named in an `import()` of a page, and its style sheet in `lazyView`. */
const ON_DEMAND = {
  markdown: "webview-ui/text/markdown.ts",
  timeline: "webview-ui/views/timeline/timeline.tsx",
  timelineStyle: "webview-ui/styles/timeline.css",
  tasks: "webview-ui/views/tasks.tsx",
  tasksStyle: "webview-ui/styles/tasks.css",
  trajectories: "webview-ui/views/trajectories.tsx",
  trajectoriesStyle: "webview-ui/styles/trajectoriesStyle.css",
  searchTab: "webview-ui/search/searchTab.tsx",
  search: "webview-ui/search/search.css",
  changesTab: "webview-ui/changes/changesTab.tsx",
  changes: "webview-ui/changes/changes.css",
};

async function bundlePages(entryPoints) {
  const { metafile } = await build({
    entryPoints,
    outdir: OUT,
    bundle: true,
    splitting: true,
    chunkNames: "part-[hash]",
    format: "esm",
    platform: "browser",
    target: "chrome120",
    jsx: "automatic",
    jsxImportSource: "preact",
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
  });
  return metafile;
}

/** The names of `files` and of everything that they import on load. */
function withImports({ outputs }, files) {
  const found = new Set(files);
  for (const file of found) {
    const imports = outputs[join(OUT, file)]?.imports ?? [];
    for (const { path, kind } of imports) {
      if (kind === "import-statement") found.add(relative(OUT, path));
    }
  }
  return [...found];
}

async function weigh(files) {
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(OUT, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
const metafiles = await Promise.all([
  bundlePages({
    dashboard: "webview-ui/main.tsx",
    chat: "webview-ui/chatMain.tsx",
    play: "webview-ui/playMain.tsx",
    ...ON_DEMAND,
    style: "webview-ui/styles/dashboard.css",
    chatStyle: "webview-ui/styles/chatStyle.css",
    playStyle: "webview-ui/styles/playStyle.css",
    browser: "webview-ui/styles/browser.css",
  }),
  bundlePages(RUNS),
]);
const metafile = {
  inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
  outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
};
await rememberPackages("webview", metafile);

/** Size limits in kilobytes of what loads at once: a script with all its imports, and a style sheet. */
const PAGES = {
  dashboard: { files: ["dashboard.js", "style.css"], limit: 255 },
  conversation: { files: ["chat.js", "chatStyle.css"], limit: 100 },
  play: { files: ["play.js", "playStyle.css"], limit: 100 },
  "runs table": { files: ["runs.js", "runsStyle.css"], limit: 135 },
};
/** Limits of what loads in addition to the runs table, including imports. */
const BESIDE_RUNS = {
  "comparison of runs": { files: ["comparison.js", "comparisonStyle.css"], limit: 160 },
  sweep: { files: ["sweepView.js", "sweepStyle.css"], limit: 40 },
};
/** Limits of what loads on demand in addition to the dashboard, excluding imports. */
const ALONE = {
  Markdown: { files: ["markdown.js"], limit: 140 },
  timeline: { files: ["timeline.js", "timelineStyle.css"], limit: 40 },
  tasks: { files: ["tasks.js", "tasksStyle.css"], limit: 20 },
  trajectories: { files: ["trajectories.js", "trajectoriesStyle.css"], limit: 100 },
  search: { files: ["searchTab.js", "search.css"], limit: 20 },
  "what changed": { files: ["changesTab.js", "changes.css"], limit: 30 },
};

/** @throws Error if a part exceeds its limit */
async function guard(parts, filesOf) {
  for (const [name, { files, limit }] of Object.entries(parts)) {
    const size = await weigh(filesOf(files));
    if (size > limit * 1000) {
      throw new Error(`${name} is too large: ${size} of ${limit * 1000} bytes.`);
    }
  }
}

const runs = withImports(metafile, PAGES["runs table"].files);
await guard(PAGES, (files) => withImports(metafile, files));
await guard(BESIDE_RUNS, (files) =>
  withImports(metafile, files).filter((file) => !runs.includes(file)),
);
await guard(ALONE, (files) => files);
