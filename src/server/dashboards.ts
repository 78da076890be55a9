/** Holds the dashboards of a window: what its pages ask is answered here, and what only the window can do goes back to it. */

import { once } from "node:events";
import { relative } from "node:path";
import { type CancellationToken, ProgressType } from "vscode-languageserver";
import {
  DASHBOARD_COMMAND,
  DASHBOARD_REQUESTS,
  DASHBOARD_TELL,
  type DashboardNews,
  type DashboardOrder,
  type DashboardReport,
  type OpenDashboardRequest,
  type WindowRun,
} from "../api/dashboard.ts";
import { dashboardTold, openDashboardRequest } from "../api/dashboardSchemas.ts";
import type { RequestOutcome } from "../api/requests.ts";
import { firingIn } from "../core/alarms/alarmEvents.ts";
import { AppError } from "../core/errors.ts";
import { RunFollower } from "../core/runFolder/follower.ts";
import { markRollout } from "../core/runFolder/marks.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { fromHome } from "../node/fromHome.ts";
import { isProcessAlive } from "../node/processes.ts";
import type { CommandArgs, DashboardCommand } from "../shared/dashboardMessages.ts";
import { checkpointPath } from "./dashboard/checkpointPath.ts";
import type { DashboardRun } from "./dashboard/dashboardRun.ts";
import { DashboardSession, type DashboardSessionOptions } from "./dashboard/dashboardSession.ts";
import { createTextReader } from "./dashboard/textReader.ts";
import { tokenTextsOf } from "./dashboard/tokenTexts.ts";
import { typedJson } from "./dashboard/typedJson.ts";
import type { ServerOptions } from "./openRequests.ts";
import { runIdOf } from "./runs/runId.ts";

const SHOWING = new ProgressType<DashboardReport>();

/** Each dashboard is a request that lasts as long. */
export function serveDashboards(options: ServerOptions): void {
  const { connection, requests, clock, programFolder } = options;
  const open = new Map<string, OpenDashboard>();
  connection.onRequest<RequestOutcome<null>, void>(
    DASHBOARD_REQUESTS.open,
    (value: unknown, token: CancellationToken) => {
      const request = openDashboardRequest.parse(value);
      const { progressToken } = request;
      const report = (what: DashboardReport): void => {
        // Rejects when the window has left, which ends the dashboard.
        connection.sendProgress(SHOWING, progressToken, what).catch(() => undefined);
      };
      return requests.run(token, async ({ signal }) => {
        const fileSystem = createFileSystem();
        const dashboard = new OpenDashboard(request, {
          fileSystem,
          clock,
          programFolder,
          report,
          order: async (order) => {
            await connection.sendRequest(DASHBOARD_COMMAND, {
              dashboard: progressToken,
              ...order,
            });
          },
        });
        open.set(progressToken, dashboard);
        report({ kind: "opened" });
        try {
          if (!signal.aborted) await once(signal, "abort");
        } finally {
          open.delete(progressToken);
          dashboard.dispose();
          await fileSystem.close();
        }
        return null;
      });
    },
  );
  connection.onNotification(DASHBOARD_TELL, (value: unknown) => {
    const { dashboard, what } = dashboardTold.parse(value);
    open.get(dashboard)?.hear(what);
  });
}

interface Surroundings
  extends Pick<DashboardSessionOptions, "clock">,
    Pick<ServerOptions, "programFolder"> {
  readonly fileSystem: ReturnType<typeof createFileSystem>;
  readonly report: (what: DashboardReport) => void;
  /** Has the window do it. */
  readonly order: (order: Omit<DashboardOrder, "dashboard">) => Promise<void>;
}

class OpenDashboard {
  readonly #surroundings: Surroundings;
  readonly #session: DashboardSession;
  /** By folder, the newest first. */
  #runs: ReadonlyMap<string, WindowRun>;

  constructor(request: OpenDashboardRequest, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#runs = byFolder(request.runs);
    const { fileSystem, clock, programFolder, report } = surroundings;
    const { folder, isVisible, settings, workspaceFolders } = request;
    let current = settings;
    const keep = (change: Omit<Extract<DashboardReport, { readonly kind: "keep" }>, "kind">) => {
      current = { ...current, ...change };
      report({ kind: "keep", ...change });
      return Promise.resolve();
    };
    this.#session = new DashboardSession(
      {
        fileSystem,
        clock,
        isProcessAlive,
        shortenPath: (path) => shortenPath(path, workspaceFolders),
        post: (message) => report({ kind: "post", json: typedJson(message) }),
        onRunShown: ({ follower }) => report({ kind: "shown", folder: follower.folder }),
        runs: {
          list: async () => [...this.#runs.values()].map(listing),
          find: async (id) => {
            const found = [...this.#runs.keys()].find((each) => runIdOf(each) === id);
            return found === undefined ? null : this.#run(found);
          },
          evaluated: (own) => this.#runs.get(own)?.evaluated ?? null,
        },
        settings: {
          current: () => current,
          pinMetrics: (pinnedMetrics) => keep({ pinnedMetrics }),
          keepFilters: (savedFilters) => keep({ savedFilters }),
        },
        command: (command, run, args) => this.#command(command, run, args),
        tokenTexts: tokenTextsOf(fileSystem, programFolder),
        texts: createTextReader({
          programFolder,
          folders: () => [...this.#runs.keys()],
          openedFolders: () =>
            [...this.#runs.values()].flatMap((run) => (run.isReadOnly ? [run.folder] : [])),
          listing: (own) => ({ id: runIdOf(own), name: this.#nameOf(own) }),
        }),
      },
      { run: folder === null ? null : this.#run(folder), isVisible },
    );
  }

  hear(news: DashboardNews): void {
    const session = this.#session;
    switch (news.kind) {
      case "message":
        session.receive(news.message);
        return;
      case "visible":
        session.setVisible(news.isVisible);
        return;
      case "show":
        session.show(this.#run(news.folder), news.target);
        return;
      case "offer":
        session.offer(runIdOf(news.folder));
        return;
      case "search":
        session.showSearch();
        return;
      case "runs":
        this.#runs = byFolder(news.runs);
        session.refresh();
        return;
      case "run":
        if (this.#runs.has(news.run.folder)) {
          this.#runs = new Map(this.#runs).set(news.run.folder, news.run);
        }
        session.refresh();
    }
  }

  dispose(): void {
    this.#session.dispose();
  }

  #nameOf(folder: string): string {
    return this.#runs.get(folder)?.name ?? folder.replace(/^.*[/\\]/, "");
  }

  #run(folder: string): DashboardRun {
    if (this.#session?.run?.follower.folder === folder) return this.#session.run;
    const nameOf = (): string => this.#nameOf(folder);
    const follower = new RunFollower({ fileSystem: this.#surroundings.fileSystem, folder });
    // Reads while the page loads. The page reports what goes wrong when it reads again.
    follower.refresh().catch(() => undefined);
    return {
      id: runIdOf(folder),
      follower,
      // A run that has just begun is listed a moment later, and a sweep gives its runs names.
      get name() {
        return nameOf();
      },
    };
  }

  async #command(command: DashboardCommand, run: DashboardRun, args: CommandArgs): Promise<void> {
    const { fileSystem, order } = this.#surroundings;
    const { follower } = run;
    const { folder } = follower;
    if (command === "markRollout") {
      const { key, mark } = args;
      if (key !== undefined && mark !== undefined) {
        await markRollout(fileSystem.within(folder), folder, key, mark);
      }
      return;
    }
    if (command === "copyCheckpointPath") {
      const copied = { text: checkpointPath(run, args) };
      return order({ command: "copyText", folder, args: copied, alarm: null });
    }
    const isAboutAlarm = command === "applyAlarm" || command === "resumeBeforeAlarm";
    const alarm = isAboutAlarm ? firingIn(follower).find(({ id }) => id === args.name) : null;
    if (alarm === undefined) throw new AppError("alarm-over", "This alarm is over.");
    await order({ command, folder, args, alarm });
  }
}

function byFolder(runs: readonly WindowRun[]): ReadonlyMap<string, WindowRun> {
  return new Map(runs.map((run) => [run.folder, run]));
}

function listing({ folder, name, state }: WindowRun) {
  return { id: runIdOf(folder), name, state };
}

/** From a folder of the workspace where the path is in one, else from the home folder. */
function shortenPath(path: string, workspaceFolders: readonly string[]): string {
  for (const folder of workspaceFolders) {
    const inside = relative(folder, path);
    if (inside !== "" && !/^(?:\.\.(?:[/\\]|$)|[/\\]|[a-z]:)/i.test(inside)) return inside;
  }
  return fromHome(path);
}
