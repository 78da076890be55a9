/** Installs a pinned VS Code server into `.vscode-test`, from the npm registry only; a second call returns at once. */

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

/** The newest VS Code there is as a server, and the oldest that the extension supports. */
export type Edition = "newest" | "oldest";

export interface InstalledServer {
  readonly node: string;
  readonly entry: string;
  /** True when a suite in the extension host has to be allowed by an option of the server. */
  readonly hasDriverOption: boolean;
}

interface Recipe {
  /** Holds `package.json` and its lock file. */
  readonly pins: string;
  /** Packages with native parts that the server does not do without: log files, clean-up of orphans, terminals. */
  readonly native: readonly string[];
  /** The same at the top level. */
  readonly topLevelNative: readonly string[];
  readonly hasDriverOption: boolean;
  /** What else the inner package needs before its dependencies are installed, and after. */
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

/** Assistants in the editor: not needed, large, and some with license terms of their own. */
const UNUSED = [
  "@vscode/copilot-api",
  "@github/copilot-sdk",
  "@microsoft/mxc-sdk",
  "@devcontainers/cli",
];

/** The installed server of `edition`; installs it first when it is not there, which takes about a minute. */
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
  // The package's own post-install wants another Node and a compiler with Kerberos headers.
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
  // `npm ci` refuses: the package's own lock file is out of step by one package.
  npm(["install", "--omit=dev", "--ignore-scripts"], vscode, ownNode);
  npm(["rebuild", ...recipe.native], vscode, ownNode);
  if (recipe.topLevelNative.length > 0) npm(["rebuild", ...recipe.topLevelNative], home, ownNode);
  recipe.after?.(vscode);
}

function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): void {
  // The server runs on a Node of its own, so it does not matter what Node npm runs on.
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--engine-strict=false"];
  execFileSync("npm", [...args, ...quiet], {
    cwd,
    stdio: ["ignore", 2, 2],
    env: { ...process.env, ...env },
  });
}

/** Another process may have finished first: then its work counts. */
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

/** The package asks for a commit on GitHub; the release after it is in the registry. */
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

/** The package downloads ripgrep from GitHub; without it quick open finds no file. */
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
