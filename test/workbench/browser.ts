/** The browser in which the workbench runs; it reaches this computer and nothing else. */

import { type Browser, chromium, type Page } from "playwright-core";
import { programOnPath } from "./programOnPath.ts";

/**
 * Chromium loads the suggestion pages of its address bar for each new profile, which takes more than a second of a processor beside
 * the page that is looked at. The switch replaces Playwright's own list, of which it repeats what pages can notice
 * (https://github.com/microsoft/playwright, `chromiumSwitches.ts`).
 */
const DISABLED_FEATURES = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
];

/** Starts Chromium or Chrome. @throws when there is none: a missing browser fails a test, it skips nothing. */
export async function launchBrowser(): Promise<Browser> {
  const isHeaded = process.env["HEADED"] !== undefined;
  // It takes about an eighth less of a processor than the whole browser without a window.
  const withoutWindow = isHeaded ? [] : ["chromium-headless-shell"];
  const browsers = [...withoutWindow, "chromium", "chromium-browser", "google-chrome"];
  const executablePath = process.env["CHROMIUM_PATH"] ?? programOnPath(...browsers);
  if (executablePath === null) {
    throw new Error(
      "No browser was found. Install Chromium (Debian: `apt-get install chromium-headless-shell fonts-dejavu-core`), or set CHROMIUM_PATH to one.",
    );
  }
  return await chromium.launch({
    executablePath,
    headless: !isHeaded,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disable-features=${DISABLED_FEATURES.join(",")}`,
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

/** Where a server shows a folder; `payload` is VS Code's own start-up payload. */
export function workbenchUrl(
  authority: string,
  folder: string | null,
  payload: readonly (readonly [string, string])[] = [],
): string {
  const query = new URLSearchParams({
    ...(folder === null ? { ew: "true" } : { folder }),
    payload: JSON.stringify([["skipWelcome", "true"], ...payload]),
  });
  return `http://${authority}/?${query}`;
}

/** What is right may take long on a machine that does much else; what is wrong fails anyway. */
const PATIENCE_MS = 60_000;

/** A page of a fresh profile: no one has been here before. */
export async function freshPage(browser: Browser, authority: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    // The server compresses 19 MB of its program anew for each window, which takes most of a second of a processor.
    extraHTTPHeaders: { "Accept-Encoding": "identity" },
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: `http://${authority}`,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return await context.newPage();
}
