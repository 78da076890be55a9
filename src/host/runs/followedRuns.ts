/** Runs that are being viewed in this window; the server reads them. */

import { type FollowRunRequest, RUN_REQUESTS, type RunReport } from "../../api/runs.ts";
import { Emitter, type Listening } from "../../core/util/emitter.ts";
import { KeptRequest } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";

export interface FollowedRunsOptions {
  readonly server: Pick<Server, "request">;
  readonly onError: (error: unknown) => void;
}

export interface FollowedReport extends RunReport {
  readonly folder: string;
}

interface Followed {
  readonly request: KeptRequest<RunReport>;
  users: number;
}

export class FollowedRuns {
  readonly #options: FollowedRunsOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #reports: Emitter<FollowedReport>;

  constructor(options: FollowedRunsOptions) {
    this.#options = options;
    this.#reports = new Emitter(options.onError);
  }

  /** Fires after each read of a followed run, and once more when following ends. */
  get onDidReport(): Emitter<FollowedReport>["event"] {
    return this.#reports.event;
  }

  /** Makes the server follow the run in `folder` until disposed; users of the same run share one request. */
  follow(folder: string): Listening {
    const followed = this.#followed.get(folder) ?? this.#open(folder);
    followed.users += 1;
    let isUsed = true;
    return {
      dispose: () => {
        if (!isUsed) return;
        isUsed = false;
        followed.users -= 1;
        if (followed.users > 0) return;
        this.#followed.delete(folder);
        followed.request.dispose();
      },
    };
  }

  dispose(): void {
    for (const { request } of this.#followed.values()) request.dispose();
    this.#followed.clear();
  }

  #open(folder: string): Followed {
    const { server, onError } = this.#options;
    const start = (): Omit<FollowRunRequest, "progressToken"> => ({ folder });
    const request = new KeptRequest<RunReport>({
      server,
      method: RUN_REQUESTS.follow,
      start,
      onReport: (report) => this.#reports.fire({ ...report, folder }),
      onError,
    });
    const followed = { request, users: 0 };
    this.#followed.set(folder, followed);
    return followed;
  }
}
