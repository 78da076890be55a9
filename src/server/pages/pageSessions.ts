/** Page sessions over the runs known to a window or a browser. */

import type { Kept, PageSettings } from "../../api/pages.ts";
import type { RunEntry } from "../../api/runs.ts";
import type { Clock, FileSystem } from "../../core/ports.ts";
import { RunFollower } from "../../core/runFolder/follower.ts";
import { markRollout } from "../../core/runFolder/marks.ts";
import { isProcessAlive } from "../../node/processes.ts";
import type { RunListing } from "../../shared/dashboardTypes.ts";
import { checkpointPath, type DashboardRun } from "../dashboard/dashboardRun.ts";
import { DashboardSession, type DashboardSessionOptions } from "../dashboard/dashboardSession.ts";
import { createTextReader } from "../dashboard/textReader.ts";
import { tokenTextsOf } from "../dashboard/tokenTexts.ts";
import { runIdOf } from "../runs/runId.ts";
import type { WindowRuns } from "../runs/windowRuns.ts";
import type { RunDigests } from "../runsTable/runDigests.ts";
import { RunsSession, type RunsSessionOptions } from "../runsTable/runsSession.ts";

export interface PageSessionsOptions extends Pick<DashboardSessionOptions, "shortenPath"> {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  /** Contains the embedded model and the worker scripts. */
  readonly programFolder: string;
  readonly runs: Omit<WindowRuns, "close">;
  readonly settings: () => PageSettings;
  readonly keep: (change: Partial<Kept>) => Promise<void>;
  readonly digests: RunDigests;
}

export interface DashboardPage extends Pick<DashboardSessionOptions, "post" | "command"> {
  /** The run to show; null = the newest. */
  readonly folder: string | null;
  readonly isVisible: boolean;
  /** Called when a different run is shown. */
  readonly onShown: (run: DashboardRun) => void;
}

export interface RunsPage
  extends Pick<RunsSessionOptions, "post" | "open" | "save" | "ask" | "diff"> {
  readonly isVisible: boolean;
}

export class PageSessions {
  readonly #options: PageSessionsOptions;

  constructor(options: PageSessionsOptions) {
    this.#options = options;
  }

  /** The folder of the run with this page id; null if there is none. */
  folderOf(id: string): string | null {
    const { runs } = this.#options.runs.store;
    return runs.find(({ folder }) => runIdOf(folder) === id)?.folder ?? null;
  }

  /** Opens the run in `folder` for a dashboard. */
  run(folder: string): DashboardRun {
    const nameOf = (): string => this.nameOf(folder);
    return {
      id: runIdOf(folder),
      follower: new RunFollower({ fileSystem: this.#options.fileSystem, folder }),
      // A getter, because a new run is listed only after a moment, and a sweep names its runs.
      get name() {
        return nameOf();
      },
    };
  }

  nameOf(folder: string): string {
    return this.#options.runs.store.get(folder)?.name ?? folder.replace(/^.*[/\\]/, "");
  }

  dashboard({ folder, isVisible, post, command, onShown }: DashboardPage): DashboardSession {
    const { fileSystem, clock, programFolder, shortenPath } = this.#options;
    const { store } = this.#options.runs;
    const { settings, keep } = this.#options;
    const run = folder === null ? null : this.run(folder);
    // Starts reading while the page loads. Errors are reported when the page reads again.
    run?.follower.refresh().catch(() => undefined);
    return new DashboardSession(
      {
        fileSystem,
        clock,
        isProcessAlive,
        shortenPath,
        post,
        onRunShown: onShown,
        runs: {
          list: async () => store.runs.map(listing),
          find: async (id) => {
            const found = this.folderOf(id);
            return found === null ? null : this.run(found);
          },
          evaluated: (own) => store.get(own)?.status?.evaluated ?? null,
        },
        settings: {
          current: () => {
            // The dashboard does not need the runs table's layout.
            const { layout: _, ...own } = settings();
            return own;
          },
          keep,
        },
        command: async (asked, shown, args) => {
          if (asked === "markRollout") {
            const { key, mark } = args;
            const own = shown.follower.folder;
            if (key !== undefined && mark !== undefined) {
              await markRollout(fileSystem.within(own), own, key, mark);
            }
          } else if (asked === "copyCheckpointPath") {
            await command("copyText", shown, { text: checkpointPath(shown, args) });
          } else await command(asked, shown, args);
        },
        tokenTexts: tokenTextsOf(fileSystem, programFolder),
        texts: createTextReader({
          programFolder,
          folders: () => store.runs.map((each) => each.folder),
          openedFolders: () => store.opened,
          listing: (own) => ({ id: runIdOf(own), name: this.nameOf(own) }),
        }),
      },
      { run, isVisible },
    );
  }

  runsTable({ isVisible, ...page }: RunsPage): RunsSession {
    const { fileSystem, clock, settings, keep, digests } = this.#options;
    const { store, feeds, isArchived } = this.#options.runs;
    return new RunsSession(
      {
        ...page,
        fileSystem,
        clock,
        follow: (folder) => feeds.follow(folder),
        digests,
        runs: () => store.runs.filter(({ folder }) => !isArchived(folder)),
        hasSingleKeys: () => settings().hasSingleKeys,
        layout: {
          read: () => settings().layout,
          keep: (layout) => keep({ layout }),
        },
      },
      { isVisible },
    );
  }
}

function listing({ folder, name, phase }: RunEntry): RunListing {
  return { id: runIdOf(folder), name, state: phase === "unreadable" ? "unknown" : phase };
}
