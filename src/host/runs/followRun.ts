/** Follows runs that are being viewed in this window; the server reads them. */

import { type FollowRunRequest, RUN_REQUESTS, type RunReport } from "../../api/runs.ts";
import type { Listening } from "../../core/util/emitter.ts";
import { KeptRequest } from "../server/keptRequest.ts";
import type { Server } from "../server/server.ts";

/** Calls `onReport` after each read of the run in `folder`, and once more when following ends. */
export type FollowRun = (folder: string, onReport: (report: RunReport) => void) => Listening;

/** In the server, all followers of the same run share its reads. */
export function followRunsOf(
  server: Pick<Server, "request">,
  onError: (error: unknown) => void,
): FollowRun {
  return (folder, onReport) => {
    const start = (): Omit<FollowRunRequest, "progressToken"> => ({ folder });
    return new KeptRequest({ server, method: RUN_REQUESTS.follow, start, onReport, onError });
  };
}
