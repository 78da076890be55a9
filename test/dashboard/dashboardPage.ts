/** The built page in Chromium, connected to a real session over a real run folder, as in the editor. */

import { basename } from "node:path";
import type { Browser } from "playwright-core";
import type { FileSystem } from "../../src/core/ports.ts";
import { RunFollower } from "../../src/core/runFolder/follower.ts";
import { markRollout } from "../../src/core/runFolder/marks.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import type { DashboardRun } from "../../src/server/dashboard/dashboardRun.ts";
import {
  DashboardSession,
  type DashboardSessionOptions,
} from "../../src/server/dashboard/dashboardSession.ts";
import type { CommandArgs, HostMessage } from "../../src/shared/dashboardMessages.ts";
import type { DashboardChoices } from "../../src/shared/dashboardTypes.ts";
import { textsHere } from "../fakes/textsHere.ts";
import { openServedPage, type ServedPage, type ServedPageOptions } from "./servedPage.ts";

/** Test runs stay in progress, however long the test takes. */
const LOADED_AT_MS = Date.now();

export interface DashboardPageOptions extends ServedPageOptions {
  readonly folder: string;
  readonly tokenTexts?: (folder: string, ids: Int32Array) => Promise<readonly string[] | null>;
}

export interface DashboardPage extends Omit<ServedPage, "post"> {
  readonly session: DashboardSession;
  readonly commands: { readonly command: string; readonly args: CommandArgs }[];
  /** What the page gave the editor to keep. */
  kept(): DashboardChoices;
}

export async function openDashboardPage(
  browser: Browser,
  options: DashboardPageOptions,
): Promise<DashboardPage> {
  const { folder, tokenTexts } = options;
  const commands: DashboardPage["commands"] = [];
  let kept: DashboardChoices = {
    pinnedMetrics: [],
    hiddenCharts: [],
    savedFilters: [],
    isDemoCardClosed: false,
  };
  const posting: { post: ServedPage["post"] } = { post: () => undefined };
  const fileSystem = createFileSystem();
  const session = createSession(
    (message) => posting.post(message),
    { folder, fileSystem },
    commands,
    tokenTexts,
    {
      current: () => ({ smoothing: 0.6, hasSingleKeys: true, hasLiveRegion: true, ...kept }),
      keep: async (change) => {
        kept = { ...kept, ...change };
      },
    },
  );
  const served = await openServedPage(browser, "dashboard", options, (message, post) => {
    posting.post = post;
    session.receive(message);
  });
  return {
    ...served,
    session,
    commands,
    kept: () => kept,
    close: async () => {
      session.dispose();
      await served.close();
      await fileSystem.close();
    },
  };
}

function createSession(
  post: (message: HostMessage) => void,
  { folder, fileSystem }: { readonly folder: string; readonly fileSystem: FileSystem },
  commands: DashboardPage["commands"],
  tokenTexts: DashboardPageOptions["tokenTexts"],
  settings: DashboardSessionOptions["settings"],
): DashboardSession {
  const name = basename(folder);
  const run: DashboardRun = { id: name, name, follower: new RunFollower({ fileSystem, folder }) };
  const other = { id: "other", name: "another-run", state: "stopped" as const };
  return new DashboardSession(
    {
      post,
      clock: { ...systemClock, now: () => LOADED_AT_MS },
      fileSystem,
      isProcessAlive: () => true,
      runs: {
        list: async () => [{ id: name, name, state: "running" as const }, other],
        evaluated: () => ({ done: 24, total: 64 }),
        find: async (id) => (id === name ? run : null),
      },
      command: async (command, _, args) => {
        // The page reports what it has no room for.
        if (command !== "titleActions") commands.push({ command, args });
        if (command === "markRollout" && args.key !== undefined && args.mark !== undefined)
          await markRollout(fileSystem.within(folder), folder, args.key, args.mark);
      },
      tokenTexts: tokenTexts ?? (async () => null),
      texts: textsHere(fileSystem, folder),
      shortenPath: (path) => path.replace(/^\/(home|root|tmp)\//, "~/"),
      settings,
    },
    { run, isVisible: true },
  );
}
