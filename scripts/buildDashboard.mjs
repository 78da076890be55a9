// Builds dist/webview: the pages of the dashboard, of conversations and of the runs table, and the parts of them that load on demand.

import { mkdir, rm, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { rememberPackages } from "./bundledPackages.mjs";

// `.ci/run` sets this while programs of several suites run from dist.
if (process.env.TINKER_RL_BUILT === "true") process.exit();

const OUT = "dist/webview";
const KILOBYTE = 1000;
/** What may load at once, in bytes: a script with all that it imports, and a style sheet. */
const MAX_PAGE = 250 * KILOBYTE;
const MAX_CHAT = 100 * KILOBYTE;
const MAX_RUNS = 130 * KILOBYTE;
/** What may load on demand beside what is loaded. */
const MAX_COMPARISON = 160 * KILOBYTE;
const MAX_SWEEP = 40 * KILOBYTE;
const MAX_MARKDOWN = 140 * KILOBYTE;
const MAX_TIMELINE = 40 * KILOBYTE;
const MAX_TASKS = 20 * KILOBYTE;
const MAX_TRAJECTORIES = 100 * KILOBYTE;
const MAX_SEARCH = 20 * KILOBYTE;
const MAX_CHANGES = 30 * KILOBYTE;

/** The runs table, built by itself: what pages share is cut into many parts, and each part is a request before the first row. */
const RUNS = {
  runs: "webview-ui/runsMain.tsx",
  runsStyle: "webview-ui/styles/runsStyle.css",
  comparison: "webview-ui/runs/compareView.tsx",
  comparisonStyle: "webview-ui/styles/comparisonStyle.css",
  sweepView: "webview-ui/runs/sweepView.tsx",
  sweepStyle: "webview-ui/styles/sweep.css",
};

/** Each is named where a page calls `import()`; its style sheet is named in `lazyView`. */
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

/** The names of `files` and of all that they import when they load. */
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

function guard(name, size, limit) {
  if (size > limit) throw new Error(`${name} is too large: ${size} of ${limit} bytes.`);
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
const page = withImports(metafile, ["dashboard.js", "style.css"]);
guard("dashboard script and style", await weigh(page), MAX_PAGE);
const chat = withImports(metafile, ["chat.js", "chatStyle.css"]);
guard("conversation script and style", await weigh(chat), MAX_CHAT);
const play = withImports(metafile, ["play.js", "playStyle.css"]);
guard("play script and style", await weigh(play), MAX_CHAT);
const runs = withImports(metafile, ["runs.js", "runsStyle.css"]);
guard("runs table script and style", await weigh(runs), MAX_RUNS);
const comparison = withImports(metafile, ["comparison.js", "comparisonStyle.css"]).filter(
  (file) => !runs.includes(file),
);
guard("comparison of runs on demand", await weigh(comparison), MAX_COMPARISON);
const sweep = withImports(metafile, ["sweepView.js", "sweepStyle.css"]).filter(
  (file) => !runs.includes(file),
);
guard("sweep on demand", await weigh(sweep), MAX_SWEEP);
guard("Markdown on demand", await weigh(["markdown.js"]), MAX_MARKDOWN);
guard("timeline on demand", await weigh(["timeline.js", "timelineStyle.css"]), MAX_TIMELINE);
guard("tasks on demand", await weigh(["tasks.js", "tasksStyle.css"]), MAX_TASKS);
const trajectories = ["trajectories.js", "trajectoriesStyle.css"];
guard("trajectories on demand", await weigh(trajectories), MAX_TRAJECTORIES);
guard("search on demand", await weigh(["searchTab.js", "search.css"]), MAX_SEARCH);
guard("what changed on demand", await weigh(["changesTab.js", "changes.css"]), MAX_CHANGES);
