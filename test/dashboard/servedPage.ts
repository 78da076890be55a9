/** A built page in Chromium, as in the editor: its content policy, a theme, and messages in both directions. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { pageHtml } from "../../src/server/dashboard/pageHtml.ts";
import { THEMES, type Theme } from "./themes.ts";

const ORIGIN = "http://dashboard.test";
/** Names of pages, with the style sheet of each. */
const STYLES = { dashboard: "style", chat: "chatStyle", runs: "runsStyle" } as const;
const NONCE = "0123456789abcdef";

export interface ServedPageOptions {
  /** Absent for the first of `THEMES`. */
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** The stored state of an earlier page. */
  readonly state?: unknown;
  /** Runs in the page before its own script. */
  readonly atStart?: string;
}

export interface ServedPage {
  readonly page: Page;
  /** Console errors and content policy violations. */
  readonly faults: string[];
  /** Sends the page a message from the extension. */
  post(message: object): void;
  /** The state that the page has stored in the editor. */
  keptState(): Promise<unknown>;
  setTheme(theme: Theme): Promise<void>;
  close(): Promise<void>;
}

/** `receive` gets the messages that the page posts. */
export async function openServedPage(
  browser: Browser,
  name: keyof typeof STYLES,
  { theme = THEMES[0], width = 1200, height = 900, state, atStart = "" }: ServedPageOptions,
  receive: (message: unknown, post: ServedPage["post"]) => void,
): Promise<ServedPage> {
  // The contrast of colors in transition does not count.
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error.stack ?? error)));
  await serveFiles(page, name);
  const post = (message: object): void => send(page, message);
  await page.exposeFunction("toHost", (json: string) => receive(JSON.parse(json), post));
  await page.addInitScript(EDITOR_SCRIPT, { state: state ?? null });
  await page.addInitScript(atStart);
  await page.goto(`${ORIGIN}/index.html`);
  const setTheme = async (next: Theme): Promise<void> => {
    await page.emulateMedia(next.media);
    await page.evaluate(`document.body.className = ${JSON.stringify(next.classes)};`);
  };
  await setTheme(theme);
  return {
    page,
    faults,
    post,
    setTheme,
    keptState: () => page.evaluate("keptState()"),
    close: () => context.close(),
  };
}

async function serveFiles(page: Page, name: keyof typeof STYLES): Promise<void> {
  const html = pageHtml({
    scriptUri: `${ORIGIN}/${name}.js`,
    styleUris: ["browser", STYLES[name]].map((style) => `${ORIGIN}/${style}.css`),
    source: ORIGIN,
    nonce: NONCE,
    language: "en",
    loading: "Loading…",
  });
  await page.route(`${ORIGIN}/**`, async (route) => {
    const file = new URL(route.request().url()).pathname.slice(1);
    if (file === "index.html") return route.fulfill({ body: html, contentType: "text/html" });
    const contentType = file.endsWith(".css") ? "text/css" : "text/javascript";
    try {
      return await route.fulfill({ body: await readFile(join("dist/webview", file)), contentType });
    } catch {
      return route.fulfill({ status: 404 });
    }
  });
}

/** The editor passes typed arrays unchanged; here they are sent as Base64. */
function send(page: Page, message: object): void {
  const json = JSON.stringify(message, (_, value: unknown) =>
    ArrayBuffer.isView(value)
      ? {
          typed: value.constructor.name,
          data: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64"),
        }
      : value,
  );
  page.evaluate(HAND_OVER, json).catch(() => undefined);
}

function HAND_OVER(json: string): void {
  (globalThis as unknown as { fromHost(json: string): void }).fromHost(json);
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
  // The editor's own conversion takes almost no time; older browsers have no function for it.
  const bytesOf = (data: string): Uint8Array<ArrayBuffer> => {
    const own = Uint8Array as { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
    if (own.fromBase64 !== undefined) return own.fromBase64(data);
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  };
  page["fromHost"] = (json: string) => {
    const message: unknown = JSON.parse(json, (_, value: unknown) => {
      if (typeof value !== "object" || value === null || !("typed" in value)) return value;
      const { typed, data } = value as unknown as { readonly typed: string; readonly data: string };
      const bytes = bytesOf(data);
      const Typed = page[typed] as new (buffer: ArrayBuffer) => unknown;
      return new Typed(bytes.buffer);
    });
    page.postMessage(message, "*");
  };
}
