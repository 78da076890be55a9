/** The window's end of a dashboard's session, which the server holds; one that ended with its server is opened again. */

import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import {
  DASHBOARD_REQUESTS,
  DASHBOARD_TELL,
  type DashboardNews,
  type DashboardReport,
  type DashboardTarget,
  type OpenDashboardRequest,
  type WindowRun,
} from "../../api/dashboard.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import type { Server } from "../server/server.ts";

/** What a session begins with, and begins with again. */
export type SessionStart = Pick<OpenDashboardRequest, "runs" | "settings" | "workspaceFolders">;

export interface RemoteSessionOptions {
  readonly server: Pick<Server, "request" | "notify">;
  readonly start: () => SessionStart;
  /** Hands the page a message of the session, which is JSON. */
  readonly post: (json: string) => void;
  /** Loads the page anew: a new session knows nothing of it. */
  readonly reload: () => void;
  readonly onReport: (
    report: Extract<DashboardReport, { readonly kind: "shown" | "keep" }>,
  ) => void;
  readonly onError: (error: unknown) => void;
}

/** Before a session is opened again. */
const PAUSE_MS = 500;

export class RemoteSession {
  readonly #options: RemoteSessionOptions;
  /** Names it to the server. */
  #token = randomUUID();
  #folder: string | null;
  #isVisible: boolean;
  #closing = new vscode.CancellationTokenSource();
  #isDisposed = false;
  /** What is to be told once the server has opened it; null = it has. */
  #early: DashboardNews[] | null = [];

  constructor(
    options: RemoteSessionOptions,
    { folder, isVisible }: { readonly folder: string | null; readonly isVisible: boolean },
  ) {
    this.#options = options;
    this.#folder = folder;
    this.#isVisible = isVisible;
    void this.#keepOpen();
  }

  /** The run that is shown, or will be; null = the newest. */
  get folder(): string | null {
    return this.#folder;
  }

  /** Call with everything the page posts. */
  receive(message: unknown): void {
    this.#tell({ kind: "message", message });
  }

  setVisible(isVisible: boolean): void {
    if (isVisible === this.#isVisible) return;
    this.#isVisible = isVisible;
    this.#tell({ kind: "visible", isVisible });
  }

  show(folder: string, target: DashboardTarget | null): void {
    this.#folder = folder;
    this.#tell({ kind: "show", folder, target });
  }

  offer(folder: string): void {
    this.#tell({ kind: "offer", folder });
  }

  showSearch(): void {
    this.#tell({ kind: "search" });
  }

  /** Call when the list of runs has changed, or with the run that has. */
  refresh(run: WindowRun | null): void {
    this.#tell(
      run === null ? { kind: "runs", runs: this.#options.start().runs } : { kind: "run", run },
    );
  }

  /** Harmless when repeated. */
  dispose(): void {
    this.#isDisposed = true;
    this.#closing.cancel();
  }

  async #keepOpen(): Promise<void> {
    while (!this.#isDisposed) {
      try {
        await this.#open();
      } catch (error) {
        this.#options.onError(error);
      }
      if (this.#isDisposed) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      this.#token = randomUUID();
      this.#early = [];
      this.#options.reload();
    }
  }

  /** Until it is over. */
  async #open(): Promise<void> {
    const { server, start, post, onReport } = this.#options;
    const request: OpenDashboardRequest = {
      ...start(),
      progressToken: this.#token,
      folder: this.#folder,
      isVisible: this.#isVisible,
    };
    const onProgress = (report: DashboardReport): void => {
      if (report.kind === "post") post(report.json);
      else if (report.kind === "opened") this.#opened();
      else {
        if (report.kind === "shown") this.#folder = report.folder;
        onReport(report);
      }
    };
    const options = { token: this.#closing.token, onProgress };
    await server.request<RequestOutcome<null>, DashboardReport>(
      DASHBOARD_REQUESTS.open,
      request,
      options,
    );
  }

  #opened(): void {
    const early = this.#early ?? [];
    this.#early = null;
    for (const what of early) this.#tell(what);
  }

  #tell(what: DashboardNews): void {
    if (this.#early !== null) {
      this.#early.push(what);
      return;
    }
    const told = { dashboard: this.#token, what };
    // A server that is gone has ended the session, which is opened again.
    this.#options.server.notify(DASHBOARD_TELL, told).catch(() => undefined);
  }
}
