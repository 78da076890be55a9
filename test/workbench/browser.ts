/** The browser that runs the workbench; it can only reach this computer. */

import { type Browser, chromium, type Page } from "playwright-core";
import { programOnPath } from "./programOnPath.ts";

/**
 * For each new profile, Chromium loads suggestion pages for its address bar, which takes more than a second of CPU time. The switch
 * replaces Playwright's own list and repeats the entries that pages can notice
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

/** Starts Chromium or Chrome. @throws if there is none: a missing browser fails the test instead of skipping it */
export async function launchBrowser(): Promise<Browser> {
  const isHeaded = process.env["HEADED"] !== undefined;
  // Uses about an eighth less CPU time than the full browser without a window.
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

/** URL at which a server shows a folder; `payload` is VS Code's own startup payload. */
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

/** Successful operations may take long on a busy machine; real failures fail anyway. */
const PATIENCE_MS = 60_000;

/** A page with a fresh profile. */
export async function freshPage(browser: Browser, authority: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    // Otherwise the server compresses 19 MB of its program for each window, which takes most of a second of CPU time.
    extraHTTPHeaders: { "Accept-Encoding": "identity" },
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], {
    origin: `http://${authority}`,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return await context.newPage();
}
