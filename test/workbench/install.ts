/** Installs a pinned VS Code server into `.vscode-test`, from the npm registry only; returns immediately if it is installed. */

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { programOnPath } from "./programOnPath.ts";

/** The newest VS Code available as a server, and the oldest that the extension supports. */
export type Edition = "newest" | "oldest";

export interface InstalledServer {
  readonly node: string;
  readonly entry: string;
  /** True if running a suite in the extension host requires a server option. */
  readonly hasDriverOption: boolean;
}

interface Recipe {
  /** Folder of `package.json` and its lock file. */
  readonly pins: string;
  /** Native packages that the server requires: logging, orphan cleanup, terminals. */
  readonly native: readonly string[];
  /** Native packages at the top level. */
  readonly topLevelNative: readonly string[];
  readonly hasDriverOption: boolean;
  /** Adjustments to the inner package before and after its dependencies are installed. */
  readonly before?: (vscode: string) => void;
  readonly after?: (vscode: string) => void;
}

const RECIPES: Readonly<Record<Edition, Recipe>> = {
  newest: {
    pins: "test/workbench/server",
    native: ["@vscode/spdlog", "@vscode/native-watchdog"],
    topLevelNative: [],
    hasDriverOption: true,
  },
  oldest: {
    pins: "test/workbench/oldestServer",
    native: ["@vscode/spdlog", "native-watchdog", "node-pty"],
    topLevelNative: ["argon2"],
    hasDriverOption: false,
    before: takeWatcherFromRegistry,
    after: linkRipgrep,
  },
};

/** The editor's AI assistants: unnecessary, large, and some with their own license terms. */
const UNUSED = [
  "@vscode/copilot-api",
  "@github/copilot-sdk",
  "@microsoft/mxc-sdk",
  "@devcontainers/cli",
];

/** The installed server of `edition`; installs it first if necessary, which takes about a minute. */
export function ensureWorkbench(edition: Edition = "newest"): InstalledServer {
  const recipe = RECIPES[edition];
  const version = serverVersion(recipe);
  const cache = resolve(process.env["WORKBENCH_CACHE"] ?? ".vscode-test");
  const home = join(cache, `workbench-${version}`);
  if (!existsSync(join(home, "ready.json"))) {
    console.error(`installing the VS Code server ${version}, once; this takes about a minute`);
    const draft = join(cache, `draft-${process.pid}`);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    try {
      install(recipe, draft);
      writeFileSync(join(draft, "ready.json"), JSON.stringify({ version }));
      moveInto(draft, home);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  const { node, entry } = layout(home);
  return { node, entry, hasDriverOption: recipe.hasDriverOption };
}

function layout(home: string) {
  const nodeHome = join(home, "node_modules", `node-${process.platform}-${process.arch}`);
  const server = join(home, "node_modules", "code-server");
  return {
    nodeHome,
    node: join(nodeHome, "bin", "node"),
    entry: join(server, "out", "node", "entry.js"),
    vscode: join(server, "lib", "vscode"),
  };
}

function install(recipe: Recipe, home: string): void {
  cpSync(recipe.pins, home, { recursive: true });
  // The package's own post-install requires another Node version and a compiler with Kerberos headers.
  npm(["ci", "--ignore-scripts"], home);
  const { node, nodeHome, vscode } = layout(home);
  const ownNode = {
    PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}`,
    npm_config_nodedir: nodeHome,
  };
  editJson(join(vscode, "package.json"), (manifest) => {
    const dependencies = recordIn(manifest, "dependencies");
    for (const name of UNUSED) delete dependencies[name];
  });
  rmSync(join(vscode, "extensions", "copilot"), { recursive: true, force: true });
  recipe.before?.(vscode);
  // `npm ci` refuses, because the package's lock file is out of sync by one package.
  npm(["install", "--omit=dev", "--ignore-scripts"], vscode, ownNode);
  npm(["rebuild", ...recipe.native], vscode, ownNode);
  if (recipe.topLevelNative.length > 0) npm(["rebuild", ...recipe.topLevelNative], home, ownNode);
  recipe.after?.(vscode);
}

function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): void {
  // The server brings its own Node, so npm's Node version does not matter.
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--engine-strict=false"];
  execFileSync("npm", [...args, ...quiet], {
    cwd,
    stdio: ["ignore", 2, 2],
    env: { ...process.env, ...env },
  });
}

/** If another process finished first, its installation is used. */
function moveInto(draft: string, home: string): void {
  try {
    renameSync(draft, home);
  } catch (error) {
    if (!existsSync(join(home, "ready.json"))) throw error;
  }
}

function serverVersion({ pins }: Recipe): string {
  const manifest: unknown = JSON.parse(readFileSync(join(pins, "package.json"), "utf8"));
  const version = recordIn(manifest, "dependencies")["code-server"];
  if (typeof version !== "string") throw new Error(`${pins} names no code-server.`);
  return version;
}

/** The package depends on a GitHub commit; the release after it is in the registry. */
function takeWatcherFromRegistry(vscode: string): void {
  const version = "2.5.1";
  editJson(join(vscode, "package.json"), (manifest) => {
    recordIn(manifest, "dependencies")["@parcel/watcher"] = version;
  });
  const dependencies = readJson(join(vscode, "package.json"), "dependencies");
  editJson(join(vscode, "npm-shrinkwrap.json"), (lock) => {
    const packages = recordIn(lock, "packages");
    recordIn(packages, "")["dependencies"] = dependencies;
    delete packages["node_modules/@parcel/watcher"];
  });
}

/** The package downloads ripgrep from GitHub; without it, quick open finds no files. */
function linkRipgrep(vscode: string): void {
  const ripgrep = programOnPath("rg");
  if (ripgrep === null) throw new Error("The oldest VS Code needs `rg` (Debian: ripgrep).");
  const folder = join(vscode, "node_modules/@vscode/ripgrep/bin");
  mkdirSync(folder, { recursive: true });
  symlinkSync(ripgrep, join(folder, "rg"));
}

function editJson(file: string, edit: (content: unknown) => void): void {
  const content: unknown = JSON.parse(readFileSync(file, "utf8"));
  edit(content);
  writeFileSync(file, JSON.stringify(content));
}

function readJson(file: string, key: string): Record<string, unknown> {
  return recordIn(JSON.parse(readFileSync(file, "utf8")), key);
}

function recordIn(content: unknown, key: string): Record<string, unknown> {
  const found = (content as Record<string, unknown>)[key]; // JSON of a pinned package; the check below finds a surprise
  if (typeof found !== "object" || found === null) throw new Error(`There is no ${key}.`);
  return found as Record<string, unknown>;
}
