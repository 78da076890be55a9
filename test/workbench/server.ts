/** A private VS Code server on a free loopback port, with its own folders and settings. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Edition, ensureWorkbench, type InstalledServer } from "./install.ts";
import { descendants } from "./processes.ts";

export interface ServerOptions {
  readonly edition?: Edition;
  /** A package to install first. */
  readonly vsix?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Commands by key, such as `ctrl+alt+f9`, to run commands that the palette does not offer. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  /** True to allow running a suite in the extension host; notifications are then never shown. */
  readonly driver?: boolean;
  /** False to open all folders in Restricted Mode. */
  readonly trust?: boolean;
  readonly idleSeconds?: number;
}

export interface WorkbenchServer {
  /** Host and port. */
  readonly authority: string;
  readonly home: string;
  readonly log: () => string;
  /** Process id of the extension host; undefined if there is none. */
  readonly hostPid: () => number | undefined;
  readonly stop: () => Promise<void>;
}

const START_LIMIT_MS = 60_000;

const SETTINGS = {
  "telemetry.telemetryLevel": "off",
  "workbench.enableExperiments": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  // Otherwise screenshots catch the palette while it fades.
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  // Otherwise a notification appears for every port opened by any program on the machine.
  "remote.autoForwardPorts": false,
  "window.commandCenter": false,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code's own variables; pictures without the server's name
  "window.title": "${activeEditorShort}${separator}${rootName}",
  // Keeps terminal text readable in the DOM.
  "terminal.integrated.gpuAcceleration": "off",
  "files.hotExit": "off",
  // The web workbench saves after a delay by default.
  "files.autoSave": "off",
};
const RESTRICTED = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "always",
};

/** Starts a server and waits until the workbench page is available. */
export async function startServer(options: ServerOptions = {}): Promise<WorkbenchServer> {
  const installed = ensureWorkbench(options.edition);
  const home = mkdtempSync(join(tmpdir(), "workbench-"));
  const logFile = join(home, "server.log");
  writeFileSync(logFile, "");
  const env = environment(home, options.env);
  const folders = prepareFolders(home, options);
  if (options.vsix !== undefined) {
    const source = await installedExtension(installed, options.vsix);
    cpSync(source, join(home, "extensions"), { recursive: true });
  }
  const child = spawn(installed.node, [installed.entry, ...folders, ...flags(installed, options)], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => appendFileSync(logFile, data));
  }
  const log = (): string => readFileSync(logFile, "utf8");
  const stop = stopper(child, home);
  try {
    const authority = await waitForPage(child, log);
    return { authority, home, log, hostPid: () => hostPid(child), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Installations by server and package, reused as copies because each takes more than a second of CPU time. */
const installs = new Map<string, Promise<string>>();

/** An extensions folder that contains the package. */
async function installedExtension({ node, entry }: InstalledServer, vsix: string): Promise<string> {
  const install = async (): Promise<string> => {
    const home = mkdtempSync(join(tmpdir(), "workbench-"));
    process.once("exit", () => rmSync(home, { recursive: true, force: true }));
    await promisify(execFile)(
      node,
      [entry, ...prepareFolders(home, {}), "--install-extension", resolve(vsix), "--force"],
      { env: environment(home) },
    );
    return join(home, "extensions");
  };
  const key = `${entry} ${vsix}`;
  const known = installs.get(key) ?? install();
  installs.set(key, known);
  return await known;
}

/** Arguments that keep the server's files out of the user's home folder. */
function prepareFolders(
  home: string,
  { trust = true, settings, keys = {} }: ServerOptions,
): readonly string[] {
  const user = join(home, "user");
  const config = join(home, "config.yaml");
  mkdirSync(join(user, "User"), { recursive: true });
  const all = { ...SETTINGS, ...(trust ? {} : RESTRICTED), ...settings };
  writeFileSync(join(user, "User", "settings.json"), JSON.stringify(all, null, 2));
  const bindings = Object.entries(keys).map(([key, command]) => ({ key, command }));
  writeFileSync(join(user, "User", "keybindings.json"), JSON.stringify(bindings));
  writeFileSync(config, "bind-addr: 127.0.0.1:0\nauth: none\ncert: false\n");
  return [
    ...["--config", config],
    ...["--user-data-dir", user],
    ...["--extensions-dir", join(home, "extensions")],
  ];
}

function flags(
  { hasDriverOption }: InstalledServer,
  { trust = true, driver = false, idleSeconds = 600 }: ServerOptions,
): readonly string[] {
  return [
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-getting-started-override",
    "--disable-proxy",
    "--ignore-last-opened",
    ...["--idle-timeout-seconds", String(idleSeconds)],
    ...(trust ? ["--disable-workspace-trust"] : []),
    ...(driver && hasDriverOption ? ["--vscode-option", "enable-smoke-test-driver"] : []),
  ];
}

function environment(home: string, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|ELECTRON_|NODE_OPTIONS$|PASSWORD$|PORT$)/;
  const clean = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const own = ["CONFIG", "DATA", "STATE", "CACHE"].map((kind): [string, string] => [
    `XDG_${kind}_HOME`,
    join(home, "xdg", kind.toLowerCase()),
  ]);
  // Without a gallery, the workbench does not contact a marketplace.
  return { ...Object.fromEntries([...clean, ...own]), EXTENSIONS_GALLERY: "{}", ...extra };
}

/** The server answers before VS Code itself has loaded; only the workbench page shows that it is ready. */
async function waitForPage(child: ChildProcess, log: () => string): Promise<string> {
  const limit = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The server ended.\n${log()}`);
    if (Date.now() > limit) throw new Error(`The server is not ready.\n${log()}`);
    const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log())?.[1];
    if (port !== undefined && (await answers(`http://127.0.0.1:${port}/?ew=true`))) {
      return `127.0.0.1:${port}`;
    }
    await sleep(100);
  }
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Ends the server and everything it started, even if this program is interrupted. */
function stopper(child: ChildProcess, home: string): () => Promise<void> {
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // It has already ended.
    }
  };
  const forget = (): void => {
    if (process.env["KEEP_WORKBENCH"] !== undefined) return;
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const reap = (): void => {
    kill("SIGKILL");
    forget();
  };
  const leave = (): never => process.exit(130);
  process.once("exit", reap);
  process.once("SIGINT", leave);
  process.once("SIGTERM", leave);
  return async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((done) => child.once("exit", done));
      kill("SIGTERM");
      const hard = setTimeout(kill, 5000, "SIGKILL");
      await gone;
      clearTimeout(hard);
    }
    process.removeListener("exit", reap);
    process.removeListener("SIGINT", leave);
    process.removeListener("SIGTERM", leave);
    forget();
  };
}

function hostPid({ pid }: ChildProcess): number | undefined {
  if (pid === undefined) return undefined;
  return descendants(pid).find(({ args }) => args.includes("--type=extensionHost"))?.pid;
}
