/** The built page in Chromium, talking to a real session over a real run folder, as it would in the editor. */

import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { pageHtml } from "../../src/host/dashboard/pageHtml.ts";
import type { DashboardRun } from "../../src/host/dashboard/dashboardRun.ts";
import { DashboardSession } from "../../src/host/dashboard/dashboardSession.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import type { CommandArgs, HostMessage } from "../../src/shared/dashboardMessages.ts";
import { throughWebview } from "../fakes/webviewWire.ts";
import { type Theme, themeVariables } from "./themes.ts";

const ORIGIN = "http://dashboard.test";
/** Runs that were written for a test stay under way, however long it takes. */
const LOADED_AT_MS = Date.now();
const NONCE = "0123456789abcdef";

export interface DashboardPageOptions {
  readonly folder: string;
  readonly theme: Theme;
  readonly width?: number;
  readonly height?: number;
  /** What the page kept before. */
  readonly state?: unknown;
  readonly tokenTexts?: (folder: string, ids: Int32Array) => Promise<readonly string[] | null>;
}

export interface DashboardPage {
  readonly page: Page;
  readonly session: DashboardSession;
  /** Console errors and refusals of the content policy. */
  readonly faults: string[];
  readonly commands: { readonly command: string; readonly args: CommandArgs }[];
  /** What the page has given the editor to keep. */
  keptState(): Promise<unknown>;
  setTheme(theme: Theme): Promise<void>;
  close(): Promise<void>;
}

export async function openDashboardPage(
  browser: Browser,
  options: DashboardPageOptions,
): Promise<DashboardPage> {
  const { folder, theme, width = 1200, height = 900, state, tokenTexts } = options;
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  const faults: string[] = [];
  const commands: DashboardPage["commands"] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error.stack ?? error)));
  await serveFiles(page);
  const session = createSession(page, folder, commands, tokenTexts);
  await page.exposeFunction("toHost", (json: string) => session.receive(JSON.parse(json)));
  await page.addInitScript(EDITOR_SCRIPT, { state: state ?? null });
  await page.goto(`${ORIGIN}/index.html`);
  const setTheme = async (next: Theme): Promise<void> => {
    await page.evaluate(`
      const { style } = document.documentElement;
      for (const name of [...style]) style.removeProperty(name);
      for (const [name, value] of ${JSON.stringify(themeVariables(next))}) {
        style.setProperty(name, value);
      }
      document.body.className = ${JSON.stringify(next.classes)};`);
  };
  await setTheme(theme);
  return {
    ...{ page, session, faults, commands, setTheme },
    keptState: () => page.evaluate("keptState()"),
    close: async () => {
      session.dispose();
      await context.close();
    },
  };
}

function createSession(
  page: Page,
  folder: string,
  commands: DashboardPage["commands"],
  tokenTexts: DashboardPageOptions["tokenTexts"],
): DashboardSession {
  const fileSystem = createFileSystem();
  const name = basename(folder);
  const run: DashboardRun = { id: name, name, follower: new RunFollower({ fileSystem, folder }) };
  const other = { id: "other", name: "another-run", state: "stopped" as const };
  return new DashboardSession(
    {
      post: (message) => send(page, message),
      clock: { ...systemClock, now: () => LOADED_AT_MS },
      fileSystem,
      isProcessAlive: () => true,
      runs: {
        list: async () => [{ id: name, name, state: "running" as const }, other],
        find: async (id) => (id === name ? run : null),
      },
      command: async (command, _, args) => {
        commands.push({ command, args });
      },
      tokenTexts: tokenTexts ?? (async () => null),
      shortenPath: (path) => path.replace(/^\/(home|root|tmp)\//, "~/"),
      settings: {
        current: () => ({
          ...{ smoothing: 0.6, hasSingleKeys: true, hasLiveRegion: true, pinnedMetrics: [] },
        }),
        pinMetrics: async () => undefined,
      },
    },
    { run, isVisible: true },
  );
}

async function serveFiles(page: Page): Promise<void> {
  const html = pageHtml({
    scriptUri: `${ORIGIN}/dashboard.js`,
    styleUri: `${ORIGIN}/style.css`,
    ...{ cspSource: ORIGIN, nonce: NONCE, language: "en", translations: {} },
  });
  await page.route(`${ORIGIN}/**`, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    if (name === "index.html") return route.fulfill({ body: html, contentType: "text/html" });
    const contentType = name.endsWith(".css") ? "text/css" : "text/javascript";
    try {
      return await route.fulfill({ body: await readFile(join("dist/webview", name)), contentType });
    } catch {
      return route.fulfill({ status: 404 });
    }
  });
}

/** The editor hands typed arrays over as they are; here they travel as Base64. */
function send(page: Page, message: HostMessage): void {
  const json = JSON.stringify(throughWebview(message), (_, value: unknown) =>
    ArrayBuffer.isView(value)
      ? {
          typed: value.constructor.name,
          data: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
        }
      : value,
  );
  page.evaluate(`window.fromHost(${JSON.stringify(json)})`).catch(() => undefined);
}

function EDITOR_SCRIPT({ state }: { readonly state: unknown }): void {
  const page = globalThis as unknown as Record<string, unknown> & {
    postMessage(message: unknown, origin: string): void;
    toHost(json: string): void;
  };
  let kept = state;
  page["acquireVsCodeApi"] = () => ({
    postMessage: (message: unknown) => page.toHost(JSON.stringify(message)),
    getState: () => kept ?? undefined,
    setState: (next: unknown) => {
      kept = next;
    },
  });
  page["keptState"] = () => kept;
  page["fromHost"] = (json: string) => {
    const message: unknown = JSON.parse(json, (_, value: unknown) => {
      if (typeof value !== "object" || value === null || !("typed" in value)) return value;
      const { typed, data } = value as unknown as { readonly typed: string; readonly data: string };
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const Typed = page[typed] as new (buffer: ArrayBuffer) => unknown;
      return new Typed(bytes.buffer);
    });
    page.postMessage(message, "*");
  };
}
