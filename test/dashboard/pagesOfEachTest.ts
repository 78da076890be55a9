/** Pages of the built dashboard, over run folders that the tests of a file write. */

import { basename } from "node:path";
import { afterEach, expect } from "vitest";
import {
  createRolloutStore,
  type RolloutStore,
} from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { filesOnDisk, folderOfAllTests } from "../fakes/onDisk.ts";
import {
  type DashboardPage,
  type DashboardPageOptions,
  openDashboardPage,
} from "./dashboardPage.ts";
import { browserOfAllTests } from "./testBrowser.ts";

interface PageOptions extends DashboardPageOptions {
  /** The initial state of the page, as if stored earlier. */
  readonly view?: Readonly<Record<string, unknown>>;
}

/** A page that a test opens is closed after it, and must have had no error. */
export function pagesOfEachTest() {
  const browser = browserOfAllTests();
  const parent = folderOfAllTests();
  const fileSystem = filesOnDisk();
  let opened: DashboardPage[] = [];
  afterEach(async () => {
    const pages = opened;
    opened = [];
    await Promise.all(pages.map((page) => page.close()));
    expect(pages.flatMap(({ faults }) => faults)).toEqual([]);
  });
  return {
    /** Where run folders are written; exists in all tests of the file. */
    parent,
    fileSystem,
    open: async ({ view, ...options }: PageOptions): Promise<DashboardPage> => {
      const state = view === undefined ? {} : { state: { runId: basename(options.folder), view } };
      const page = await openDashboardPage(browser(), { ...options, ...state });
      opened.push(page);
      return page;
    },
    storeIn: (folder: string): RolloutStore =>
      createRolloutStore({
        fileSystem: fileSystem.within(folder),
        redactor: new Redactor(),
        folder,
      }),
  };
}
