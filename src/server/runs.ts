/** The window's runs: their list, reports from their trainers, and data of runs that are being viewed. */

import {
  followRunRequestSchema,
  lookRequestSchema,
  RUN_REQUESTS,
  type RunEntry,
  type RunListReport,
  type RunReport,
  runFolderRequestSchema,
  sendRequestSchema,
  watchRunsRequestSchema,
} from "../api/runs.ts";
import { firingIn } from "../core/alarms/alarmEvents.ts";
import { errorMessage } from "../core/errors.ts";
import type { RunChange, RunFollower } from "../core/runFolder/follower.ts";
import { aborted } from "../core/util/abort.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { runLogText } from "./dashboard/runLogText.ts";
import { answerRequests, reporterTo, type ServerOptions } from "./openRequests.ts";
import { RunFeeds } from "./runs/runFeed.ts";
import { RunStore } from "./runs/runStore.ts";
import type { WindowRuns } from "./runs/windowRuns.ts";

/** Batch size, so that no single message blocks the window for long. */
const RUNS_PER_MESSAGE = 50;

export function serveRuns(server: ServerOptions): WindowRuns {
  const { connection, requests, clock, collectNext } = server;
  const onError = (error: unknown): void =>
    connection.console.warn(errorMessage(requests.redactError(error)));
  const fileSystem = createFileSystem();
  let names: ReadonlyMap<string, string> = new Map();
  let archived: ReadonlySet<string> = new Set();
  let firstLook: () => void = () => undefined;
  const looked = new Promise<void>((resolve) => {
    firstLook = resolve;
  });
  const nameOf = (folder: string): string | null => names.get(folder) ?? null;
  const store = new RunStore({ fileSystem, clock, nameOf, onError });
  const feeds = new RunFeeds({ store, fileSystem, onError, onClosed: collectNext });

  answerRequests(
    server,
    RUN_REQUESTS.watch,
    watchRunsRequestSchema,
    async (request, { signal }) => {
      const list = new ReportedList(reporterTo<RunListReport>(connection, request.progressToken));
      const listening = store.onDidChange((folder) => list.report(store, folder));
      // An empty list that was never read would be misleading.
      if (store.runs.length > 0) list.report(store, null);
      await aborted(signal);
      listening.dispose();
      return null;
    },
  );
  answerRequests(server, RUN_REQUESTS.look, lookRequestSchema, async (request) => {
    const { places } = request;
    names = new Map(Object.entries(places.names));
    archived = new Set(places.archived);
    await store.look(places.parents, places.opened);
    firstLook();
    return null;
  });
  answerRequests(server, RUN_REQUESTS.send, sendRequestSchema, async ({ folder, command }) => {
    // A restarted server must first learn where the runs are.
    await looked;
    return store.send(folder, command);
  });
  answerRequests(
    server,
    RUN_REQUESTS.follow,
    followRunRequestSchema,
    async ({ folder, progressToken }, { signal }) => {
      const report = reporterTo<RunReport>(connection, progressToken);
      const isLive = (): boolean => store.get(folder)?.isLive === true;
      const run = feeds.follow(folder);
      const steps = new KnownSteps(run.follower);
      let reporting = Promise.resolve();
      const reported = async (change: RunChange): Promise<void> => {
        const hasSteps = (await steps.haveChanged(isLive(), change)) || areStepsIn(change);
        const hasEvents = change.replaced || change.events.length > 0;
        report({ alarms: firingIn(run.follower), hasSteps, hasEvents });
      };
      const listening = run.onDidChange((change) => {
        reporting = reporting.then(() => reported(change)).catch(onError);
      });
      try {
        await run.refresh();
        await aborted(signal);
        // The last step before a run ended may have changed its alarms.
        await run.refresh();
        await reporting;
      } finally {
        listening.dispose();
        run.dispose();
      }
      return null;
    },
  );
  const read = <T>(folder: string, use: (follower: RunFollower) => T): Promise<T> =>
    feeds.with(folder, async (run) => {
      await run.refresh();
      return use(run.follower);
    });
  answerRequests(server, RUN_REQUESTS.alarms, runFolderRequestSchema, ({ folder }) =>
    read(folder, firingIn),
  );
  answerRequests(server, RUN_REQUESTS.log, runFolderRequestSchema, ({ folder }) => {
    const { name = folder, isLive = false } = store.get(folder) ?? {};
    return read(folder, ({ events }) => runLogText(name, events, { isLive }));
  });

  return {
    store,
    feeds,
    isArchived: (folder) => archived.has(folder),
    close: () => {
      feeds.close();
      store.close();
    },
  };
}

/** Reports the changes to the list since the previous report. */
class ReportedList {
  readonly #report: (report: RunListReport) => void;
  /** Last reported entry as JSON, by folder. */
  #reported = new Map<string, string>();

  constructor(report: (report: RunListReport) => void) {
    this.#report = report;
  }

  /** `folder` is the run that changed; null = the list changed. */
  report(store: RunStore, folder: string | null): void {
    const run = folder === null ? null : store.get(folder);
    if (run === null) this.#reportAll(store.runs);
    else if (this.#isOther(run)) this.#report({ kind: "run", run });
  }

  #reportAll(runs: readonly RunEntry[]): void {
    const others = runs.filter((run) => this.#isOther(run));
    for (let at = 0; at < others.length; at += RUNS_PER_MESSAGE) {
      this.#report({ kind: "part", runs: others.slice(at, at + RUNS_PER_MESSAGE) });
    }
    const folders = runs.map(({ folder }) => folder);
    this.#report({ kind: "list", folders });
    const known = new Set(folders);
    for (const folder of this.#reported.keys()) {
      if (!known.has(folder)) this.#reported.delete(folder);
    }
  }

  #isOther(run: RunEntry): boolean {
    const text = JSON.stringify(run);
    if (this.#reported.get(run.folder) === text) return false;
    this.#reported.set(run.folder, text);
    return true;
  }
}

const NO_STEPS = { lastStep: -1, lastEvaluation: -1, isLive: false };

/** The steps and evaluations of a run. Needed because neither a starting step nor a killed trainer changes the files that are followed. */
class KnownSteps {
  readonly #follower: RunFollower;
  #known = NO_STEPS;

  constructor(follower: RunFollower) {
    this.#follower = follower;
  }

  /** True if they changed since the last call. */
  async haveChanged(isLive: boolean, { replaced }: RunChange): Promise<boolean> {
    const before = replaced ? NO_STEPS : this.#known;
    const completed = this.#follower.metrics.steps().at(-1) ?? -1;
    // While the last known step is in progress, no later one can exist. Skipping the listing matters, because long runs have many files.
    if (isLive === before.isLive && before.lastStep > completed) return false;
    const lastStep = (await this.#follower.steps()).at(-1) ?? -1;
    const lastEvaluation = (await this.#follower.steps("evaluation")).at(-1) ?? -1;
    this.#known = { lastStep, lastEvaluation, isLive };
    return (
      lastStep !== before.lastStep ||
      lastEvaluation !== before.lastEvaluation ||
      isLive !== before.isLive
    );
  }
}

function areStepsIn({ replaced, fromRow, evaluations }: RunChange): boolean {
  return replaced || fromRow !== null || evaluations.length > 0;
}
