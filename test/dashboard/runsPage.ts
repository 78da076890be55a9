/** The built page of the runs table in Chromium, talking to a real session over real run folders. */

import { join } from "node:path";
import type { Browser } from "playwright-core";
import { RunFeeds } from "../../src/host/runs/runFeed.ts";
import { RunStore } from "../../src/host/runs/runStore.ts";
import { RunDigests } from "../../src/host/runsPage/runDigests.ts";
import { RunsSession } from "../../src/host/runsPage/runsSession.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import type { ExportedFile } from "../../src/shared/dashboardMessages.ts";
import { openServedPage, type ServedPage, type ServedPageOptions } from "./servedPage.ts";

export interface RunsPageOptions extends ServedPageOptions {
  /** Holds the run folders. */
  readonly parent: string;
  /** What an earlier page kept. */
  readonly layout?: string;
}

export interface RunsPage extends Omit<ServedPage, "post"> {
  readonly session: RunsSession;
  readonly saved: ExportedFile[];
  /** Folders whose dashboard was opened. */
  readonly opened: string[];
  /** Folders whose configurations were compared. */
  readonly compared: [string, string][];
  /** What the page keeps. */
  layout(): string | null;
}

export async function openRunsPage(browser: Browser, options: RunsPageOptions): Promise<RunsPage> {
  const fileSystem = createFileSystem();
  const store = new RunStore({
    fileSystem,
    clock: systemClock,
    nameOf: () => null,
    onError: (error) => console.error(error),
  });
  await store.look([options.parent], []);
  let layout = options.layout ?? null;
  const [saved, opened]: [ExportedFile[], string[]] = [[], []];
  const compared: [string, string][] = [];
  const feeds = new RunFeeds({ store, fileSystem, onError: (error) => console.error(error) });
  const posting: { post: ServedPage["post"] } = { post: () => undefined };
  const session = new RunsSession(
    {
      clock: systemClock,
      runs: () => store.runs,
      digests: new RunDigests({
        fileSystem,
        cachePath: join(options.parent, "..", "storage", "runDigests.json"),
        shortenPath: (path) => path,
      }),
      layout: {
        read: () => layout,
        keep: async (next) => {
          layout = next;
        },
      },
      hasSingleKeys: () => true,
      post: (message) => posting.post(message),
      open: (folder) => opened.push(folder),
      save: async (file) => void saved.push(file),
      fileSystem,
      follow: (folder) => feeds.follow(folder),
      ask: async (what) => (what === "tags" ? "good, seed 1" : "A note."),
      diff: async (left, right) => void compared.push([left, right]),
    },
    { isVisible: true },
  );
  const served = await openServedPage(browser, "runs", options, (message, post) => {
    posting.post = post;
    session.receive(message);
  });
  return {
    ...{ ...served, session, saved, opened, compared, layout: () => layout },
    close: async () => {
      session.dispose();
      feeds.close();
      store.close();
      await served.close();
    },
  };
}
