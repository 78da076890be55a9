/** Serves the window's pages: answers their questions here, and forwards what only the window can do. */

import { relative } from "node:path";
import {
  type Kept,
  type OpenPageRequest,
  openPageRequest,
  PAGE_NEWS,
  PAGE_ORDER,
  PAGE_REQUESTS,
  type PageNews,
  type PageOrder,
  type PageReport,
  pageSentSchema,
} from "../api/pages.ts";
import { firingIn } from "../core/alarms/alarmEvents.ts";
import { AppError } from "../core/errors.ts";
import type { Clock, FileSystem } from "../core/ports.ts";
import { aborted } from "../core/util/abort.ts";
import type { Listening } from "../core/util/emitter.ts";
import { createFileSystem } from "../node/fileSystem.ts";
import { fromHome } from "../node/fromHome.ts";
import type { CommandArgs, DashboardCommand } from "../shared/dashboardMessages.ts";
import type { DashboardRun } from "./dashboard/dashboardRun.ts";
import type { DashboardSession } from "./dashboard/dashboardSession.ts";
import { typedJson } from "./dashboard/typedJson.ts";
import { answerRequests, reporterTo, type ServerOptions } from "./openRequests.ts";
import { PageSessions } from "./pages/pageSessions.ts";
import { runIdOf } from "./runs/runId.ts";
import type { WindowRuns } from "./runs/windowRuns.ts";
import { RunDigests } from "./runsTable/runDigests.ts";
import type { RunsSession } from "./runsTable/runsSession.ts";

/** Each page lives as long as its request. */
export function servePages(options: ServerOptions, runs: WindowRuns): void {
  const { connection, clock, programFolder } = options;
  const open = new Map<string, OpenPage>();
  // Kept, so that a reopened table has them immediately.
  const known = new Map<string | null, RunDigests>();
  const allFiles = createFileSystem();
  const digestsFor = ({ cachePath, workspaceFolders }: OpenPageRequest): RunDigests => {
    const shorten = (path: string): string => shortenPath(path, workspaceFolders);
    const digests =
      known.get(cachePath) ??
      new RunDigests({ fileSystem: allFiles, cachePath, shortenPath: shorten });
    known.set(cachePath, digests);
    return digests;
  };
  answerRequests(options, PAGE_REQUESTS.open, openPageRequest, async (request, scope) => {
    const { fileSystem, signal } = scope;
    const { progressToken } = request;
    const report = reporterTo<PageReport>(connection, progressToken);
    const page = new OpenPage(request, {
      fileSystem,
      clock,
      programFolder,
      runs,
      report,
      digests: digestsFor(request),
      order: (order) => connection.sendRequest(PAGE_ORDER, order),
    });
    open.set(progressToken, page);
    report({ kind: "opened" });
    try {
      await aborted(signal);
    } finally {
      open.delete(progressToken);
      page.dispose();
      options.collectNext();
    }
    return null;
  });
  connection.onNotification(PAGE_NEWS, (value: unknown) => {
    const { page, what } = pageSentSchema.parse(value);
    open.get(page)?.hear(what);
  });
}

interface Surroundings extends Pick<ServerOptions, "programFolder"> {
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly runs: WindowRuns;
  readonly digests: RunDigests;
  readonly report: (what: PageReport) => void;
  /** Asks the window to carry it out. */
  readonly order: (order: PageOrder) => Promise<string | null>;
}

type Session =
  | { readonly kind: "dashboard"; readonly session: DashboardSession }
  | { readonly kind: "runs"; readonly session: RunsSession };

class OpenPage {
  readonly #surroundings: Surroundings;
  readonly #sessions: PageSessions;
  readonly #page: Session;
  readonly #listening: Listening;
  #settings: OpenPageRequest["settings"];

  constructor(request: OpenPageRequest, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#settings = request.settings;
    const { fileSystem, clock, programFolder, runs, digests } = surroundings;
    this.#sessions = new PageSessions({
      fileSystem,
      clock,
      programFolder,
      shortenPath: (path) => shortenPath(path, request.workspaceFolders),
      runs,
      settings: () => this.#settings,
      keep: async (change) => this.#keep(change),
      digests,
    });
    this.#page =
      request.page.kind === "dashboard"
        ? { kind: "dashboard", session: this.#dashboard(request.page.folder, request.isVisible) }
        : { kind: "runs", session: this.#runsTable(request.isVisible) };
    this.#listening = runs.store.onDidChange((folder) => this.#page.session.refresh(folder));
  }

  hear(news: PageNews): void {
    const { session } = this.#page;
    switch (news.kind) {
      case "message":
        session.receive(news.message);
        return;
      case "visible":
        session.setVisible(news.isVisible);
        return;
      case "settings":
        this.#settings = news.settings;
        return;
      default:
        if (this.#page.kind === "dashboard") this.#turn(this.#page.session, news);
        else if (news.kind === "choose") this.#page.session.choose(news.folders);
        else if (news.kind === "show-sweep") this.#page.session.showSweep(news.id);
        else if (news.kind === "marked") this.#page.session.refreshMark(news.folder);
    }
  }

  dispose(): void {
    this.#listening.dispose();
    this.#page.session.dispose();
  }

  #turn(session: DashboardSession, news: PageNews): void {
    if (news.kind === "show") session.show(this.#sessions.run(news.folder), news.target);
    else if (news.kind === "offer") session.offer(runIdOf(news.folder));
    else if (news.kind === "search") session.showSearch();
  }

  #keep(change: Partial<Kept>): void {
    this.#settings = { ...this.#settings, ...change };
    this.#surroundings.report({ kind: "keep", change });
  }

  readonly #post = (message: object): void =>
    this.#surroundings.report({ kind: "post", json: typedJson(message) });

  #dashboard(folder: string | null, isVisible: boolean): DashboardSession {
    return this.#sessions.dashboard({
      folder,
      isVisible,
      post: this.#post,
      onShown: (run) => this.#surroundings.report({ kind: "shown", folder: run.follower.folder }),
      command: (command, run, args) => this.#command(command, run, args),
    });
  }

  #runsTable(isVisible: boolean): RunsSession {
    const { order } = this.#surroundings;
    return this.#sessions.runsTable({
      isVisible,
      post: this.#post,
      open: async (folder) => void (await order({ kind: "open-run", folder })),
      save: async (file) => void (await order({ kind: "save", file })),
      ask: async (what, name, value) =>
        (await order({ kind: "ask", what, name, value })) ?? undefined,
      diff: async (left, right) => void (await order({ kind: "diff", left, right })),
    });
  }

  async #command(command: DashboardCommand, run: DashboardRun, args: CommandArgs): Promise<void> {
    const { follower } = run;
    const isAboutAlarm = command === "applyAlarm" || command === "resumeBeforeAlarm";
    const alarm = isAboutAlarm ? firingIn(follower).find(({ id }) => id === args.name) : null;
    if (alarm === undefined)
      throw new AppError("alarm-over", "This alarm no longer fires, so there is nothing to do.");
    const { folder } = follower;
    await this.#surroundings.order({ kind: "command", command, folder, args, alarm });
  }
}

/** Relative to the workspace folder that contains the path, otherwise to the home folder. */
function shortenPath(path: string, workspaceFolders: readonly string[]): string {
  for (const folder of workspaceFolders) {
    const inside = relative(folder, path);
    if (inside !== "" && !/^(?:\.\.(?:[/\\]|$)|[/\\]|[a-z]:)/i.test(inside)) return inside;
  }
  return fromHome(path);
}
