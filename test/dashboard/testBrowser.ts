/** One Chromium for all tests of a file. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { launchBrowser } from "../workbench/browser.ts";

/** The browser for the tests of the file, or of the `describe`, that calls this; available once they begin. */
export function browserOfAllTests(): () => Browser {
  const launched: Browser[] = [];
  beforeAll(async () => void launched.push(await launchBrowser()));
  afterAll(() => Promise.all(launched.map((browser) => browser.close())));
  return () => {
    const [browser] = launched;
    if (browser === undefined) throw new Error("The browser is launched before the first test.");
    return browser;
  };
}
