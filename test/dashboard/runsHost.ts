/** The extension's side of the runs table over real run folders, with scripted answers and a record of opened and saved items. */

import { join } from "node:path";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { RunFeeds } from "../../src/server/runs/runFeed.ts";
import { RunStore } from "../../src/server/runs/runStore.ts";
import { RunDigests } from "../../src/server/runsTable/runDigests.ts";
import { RunsSession } from "../../src/server/runsTable/runsSession.ts";
import type { ExportedFile } from "../../src/shared/dashboardMessages.ts";
import type { RunsHostMessage } from "../../src/shared/runsPage.ts";

export interface ListedRuns {
  readonly fileSystem: ReturnType<typeof createFileSystem>;
  readonly store: RunStore;
  /** Holds the run folders. */
  readonly parent: string;
}

export interface RunsHost {
  readonly session: RunsSession;
  readonly saved: ExportedFile[];
  /** Folders whose dashboard was opened. */
  readonly opened: string[];
  /** Folders whose configurations were compared. */
  readonly compared: [string, string][];
  /** The stored state of the page. */
  layout(): string | null;
  close(): void;
}

/** The list as the editor has it before the table is opened. */
export async function listRunsIn(parent: string): Promise<ListedRuns> {
  const fileSystem = createFileSystem();
  const onError = (error: unknown): void => console.error(error);
  const store = new RunStore({ fileSystem, clock: systemClock, nameOf: () => null, onError });
  await store.look([parent], []);
  return { fileSystem, store, parent };
}

/** A new window's session; the cache of earlier ones is next to the runs. */
export function openRunsHost(
  { fileSystem, store, parent }: ListedRuns,
  kept: string | null,
  post: (message: RunsHostMessage) => void,
): RunsHost {
  let layout = kept;
  const [saved, opened]: [ExportedFile[], string[]] = [[], []];
  const compared: [string, string][] = [];
  const feeds = new RunFeeds({ store, fileSystem, onError: (error) => console.error(error) });
  const session = new RunsSession(
    {
      clock: systemClock,
      fileSystem,
      post,
      runs: () => store.runs,
      digests: new RunDigests({
        fileSystem,
        cachePath: join(parent, "..", "storage", "runDigests.json"),
        shortenPath: (path) => path,
      }),
      layout: {
        read: () => layout,
        keep: async (next) => {
          layout = next;
        },
      },
      hasSingleKeys: () => true,
      open: async (folder) => void opened.push(folder),
      save: async (file) => void saved.push(file),
      follow: (folder) => feeds.follow(folder),
      ask: async (what) => (what === "tags" ? "good, seed 1" : "A note."),
      diff: async (left, right) => void compared.push([left, right]),
    },
    { isVisible: true },
  );
  const close = (): void => {
    session.dispose();
    feeds.close();
  };
  return { session, saved, opened, compared, layout: () => layout, close };
}
