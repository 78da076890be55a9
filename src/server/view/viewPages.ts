/** The browser's pages: one session per open page, over the runs of one store. */

import { AppError } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import { RunFollower } from "../../core/runFolder/follower.ts";
import type { ClosableFileSystem } from "../../node/fileSystem.ts";
import { fromHome } from "../../node/fromHome.ts";
import type { BrowserCommand, FromBrowser, ToBrowser } from "../../shared/browserMessages.ts";
import type { ControlCommand } from "../../shared/control.ts";
import type { CommandArgs, DashboardCommand } from "../../shared/dashboardMessages.ts";
import { DASHBOARD_DEFAULTS } from "../../shared/dashboardTypes.ts";
import type { DashboardRun } from "../dashboard/dashboardRun.ts";
import type { DashboardSession } from "../dashboard/dashboardSession.ts";
import { runLogText } from "../dashboard/runLogText.ts";
import { PageSessions } from "../pages/pageSessions.ts";
import { RunFeeds } from "../runs/runFeed.ts";
import { runIdOf } from "../runs/runId.ts";
import type { RunStore } from "../runs/runStore.ts";
import { RunDigests } from "../runsTable/runDigests.ts";
import type { RunsSession } from "../runsTable/runsSession.ts";
import { PageSettingsFile } from "./pageSettingsFile.ts";

export interface ViewPagesOptions {
  readonly store: RunStore;
  readonly fileSystem: ClosableFileSystem;
  readonly clock: Clock;
  /** Contains the embedded model and the worker scripts. */
  readonly programFolder: string;
  /** For the user's page settings and cached digests. */
  readonly cacheFolder: string;
  /** Display text for where the runs are. */
  readonly place: string;
  readonly onError: (error: unknown) => void;
}

/** One open page. */
export interface ConnectedPage {
  receive(message: FromBrowser): void;
  close(): void;
}

type Send = (message: ToBrowser) => void;

/** Commands other than those that the session handles itself. */
type PassedOn = Exclude<BrowserCommand, "markRollout" | "copyCheckpointPath">;

export class ViewPages {
  readonly #options: ViewPagesOptions;
  readonly #feeds: RunFeeds;
  readonly #sessions: PageSessions;
  readonly #dashboards = new Set<DashboardSession>();

  private constructor(options: ViewPagesOptions, kept: PageSettingsFile) {
    this.#options = options;
    const { store, fileSystem, clock, programFolder, cacheFolder, onError } = options;
    const cachePath = `${cacheFolder}/runDigests.json`;
    const digests = new RunDigests({ fileSystem, cachePath, shortenPath: fromHome });
    const feeds = new RunFeeds({ store, fileSystem, onError });
    this.#feeds = feeds;
    this.#sessions = new PageSessions({
      fileSystem,
      clock,
      programFolder,
      shortenPath: fromHome,
      runs: { store, feeds, isArchived: () => false },
      settings: () => ({ ...DASHBOARD_DEFAULTS, ...kept.current }),
      keep: (change) => {
        const keeping = kept.keep(change);
        for (const dashboard of this.#dashboards) dashboard.showSettings();
        return keeping;
      },
      digests,
    });
  }

  static async create(options: ViewPagesOptions): Promise<ViewPages> {
    return new ViewPages(
      options,
      await PageSettingsFile.read(options.fileSystem, options.cacheFolder),
    );
  }

  close(): void {
    this.#feeds.close();
  }

  /** The folder of the run with this page id; null if there is none. */
  folderOf(id: string): string | null {
    return this.#sessions.folderOf(id);
  }

  /** True if there is a run with this page id. Looks again if there is none, because the list is not read while no page is open. */
  async has(id: string): Promise<boolean> {
    if (this.folderOf(id) === null) await this.#options.store.refresh();
    return this.folderOf(id) !== null;
  }

  /** The URL of a run's dashboard, relative to the token. */
  pageOf(folder: string): string {
    return `run?id=${runIdOf(folder)}`;
  }

  /** The event log of a run as text; null if there is no such run. */
  async logOf(id: string): Promise<string | null> {
    const folder = this.folderOf(id);
    if (folder === null) return null;
    const follower = new RunFollower({ fileSystem: this.#options.fileSystem, folder });
    await follower.refresh();
    const isLive = this.#options.store.get(folder)?.isLive === true;
    return runLogText(this.#sessions.nameOf(folder), follower.events, { isLive });
  }

  /** Opens a dashboard for the run with this id, or for the newest run. */
  openDashboard(id: string | null, send: Send): ConnectedPage {
    const questions = new Questions(send);
    const session = this.#sessions.dashboard({
      folder: id === null ? null : this.folderOf(id),
      isVisible: true,
      post: (message) => send({ kind: "message", message }),
      command: (command, run, args) => this.#command(command, run, args, send, questions),
      onShown: (run) =>
        send({ kind: "shown", page: this.pageOf(run.follower.folder), title: run.name }),
    });
    this.#dashboards.add(session);
    const page = this.#connected(session, questions);
    const close = (): void => {
      this.#dashboards.delete(session);
      page.close();
    };
    return { ...page, close };
  }

  /** Opens a table of all runs. */
  openRunsTable(send: Send): ConnectedPage {
    send({ kind: "shown", page: "runs", title: `Runs in ${this.#options.place}` });
    const questions = new Questions(send);
    const session = this.#sessions.runsTable({
      isVisible: true,
      post: (message) => send({ kind: "message", message }),
      open: async (folder) => send({ kind: "go", page: this.pageOf(folder) }),
      save: async (file) => send({ kind: "save", file }),
      ask: async (what, name, now) => {
        const text = what === "tags" ? `Tags of ${name}, separated by commas` : `Note on ${name}`;
        return (await questions.ask("ask", text, now)) ?? undefined;
      },
      diff: async () => {
        throw new AppError("no-such-command", "Configurations can be compared in VS Code only.");
      },
    });
    return this.#connected(session, questions);
  }

  #connected(session: DashboardSession | RunsSession, questions: Questions): ConnectedPage {
    const listening = this.#options.store.onDidChange((folder) => session.refresh(folder));
    return {
      receive: (message) => {
        if (message.kind === "message") session.receive(message.message);
        else questions.answer(message.id, message.value);
      },
      close: () => {
        questions.close();
        listening.dispose();
        session.dispose();
      },
    };
  }

  async #command(
    command: DashboardCommand,
    run: DashboardRun,
    args: CommandArgs,
    send: Send,
    questions: Questions,
  ): Promise<void> {
    const { store } = this.#options;
    const { folder } = run.follower;
    const steer = async (order: ControlCommand): Promise<void> => {
      await store.send(folder, order);
    };
    const actions: Readonly<Record<PassedOn, () => Promise<void> | void>> = {
      pause: () => steer({ action: "pause" }),
      continue: () => steer({ action: "continue" }),
      saveNow: () => steer({ action: "save" }),
      stop: () => steer({ action: "stop" }),
      stopNow: async () => {
        const text = `End ${run.name} immediately? Steps after the last checkpoint are lost; a resume repeats them.`;
        if ((await questions.ask("confirm", text, "")) !== null)
          await steer({ action: "stop-now" });
      },
      "change-settings": async () => {
        const text = "New values from the next step on, such as: learning_rate=1e-5 kl_coef=0.1";
        const answer = (await questions.ask("ask", text, "")) ?? "";
        const settings = answer.split(/\s+/).filter((each) => each !== "");
        if (settings.length > 0) await steer({ action: "change-settings", settings });
      },
      copyText: () => send({ kind: "copy", text: args.text ?? "" }),
      exportFile: () => {
        if (args.file !== undefined) send({ kind: "save", file: args.file });
      },
      openLog: () => send({ kind: "open", address: `log?id=${run.id}` }),
      openLink: () => send({ kind: "open", address: args.url ?? "" }),
    };
    if (!Object.hasOwn(actions, command)) {
      throw new AppError(
        "no-such-command",
        `A browser cannot do this (${command}). Use VS Code or the terminal.`,
      );
    }
    await actions[command as PassedOn](); // exists, as checked above
  }
}

/** Prompts sent to a page that are awaiting an answer. */
class Questions {
  readonly #send: Send;
  readonly #open = new Map<number, (answer: string | null) => void>();
  #lastId = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Null if the user canceled or left the page. */
  ask(kind: "ask" | "confirm", text: string, value: string): Promise<string | null> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      this.#send({ kind, id, text, value });
    });
  }

  answer(id: number, value: string | null): void {
    this.#open.get(id)?.(value);
    this.#open.delete(id);
  }

  close(): void {
    for (const id of [...this.#open.keys()]) this.answer(id, null);
  }
}
