/** Reports to slow fakes, like a run with `wandb: online` and `openreward_upload: true`. */

import { join } from "node:path";
import type { HttpClient } from "../src/core/ports.ts";
import { WandbTracker } from "../src/core/tracking/wandb/tracker.ts";
import type { RunContext } from "../src/core/training/run/context.ts";
import type { Watcher } from "../src/core/training/run/progress.ts";
import { startHash } from "../src/node/hash.ts";
import { createHttpClient } from "../src/node/http.ts";
import type { CleanupStack } from "../src/trainer/services/cleanupStack.ts";
import { RolloutUploads } from "../src/trainer/tracking/upload.ts";

export interface ReportingOptions {
  readonly context: RunContext;
  /** Folder where the fake services listen. */
  readonly folder: string;
  readonly firstStep: number;
  readonly cleanup: CleanupStack;
  readonly wandb: boolean;
  readonly upload: boolean;
}

/** Number of requests to each service. */
export interface Sent {
  readonly wandb: number;
  readonly upload: number;
}

export interface Reporting {
  readonly watch: Watcher;
  close(): Promise<Sent>;
}

/** The next delivery starts as soon as the last one is done, which is more than any run does. */
const INTERVALS = { gapMs: 0, heartbeatMs: 1_000 };
const BASE_URL = "http://localhost";
const KEY = "k".repeat(40);

/** Starts reporting; `watch` must receive the progress of the steps. */
export async function reportToBoth(options: ReportingOptions): Promise<Reporting> {
  const wandb = counted(options, "wandb.sock");
  const upload = counted(options, "upload.sock");
  const tracker = options.wandb ? await startWandb(options, wandb.http) : null;
  const uploads = options.upload ? startUploads(options, upload.http) : null;
  const silent: Watcher = () => undefined;
  const uploading = uploads?.beside(silent) ?? silent;
  return {
    watch: (event) => {
      if (event.kind === "step-finished") tracker?.rowWritten(event.step);
      uploading(event);
    },
    close: async () => {
      await tracker?.close();
      await uploads?.close();
      return { wandb: wandb.sent(), upload: upload.sent() };
    },
  };
}

function counted({ folder, cleanup }: ReportingOptions, socket: string) {
  const http = createHttpClient({ socketPath: join(folder, socket) });
  cleanup.add(() => http.close());
  let sent = 0;
  const counting: HttpClient = {
    send: (request) => {
      sent += 1;
      return http.send(request);
    },
  };
  return { http: counting, sent: () => sent };
}

function startWandb(options: ReportingOptions, http: HttpClient): Promise<WandbTracker> {
  const { context, firstStep } = options;
  const { ports, reporting, storage, totalSteps } = context;
  return WandbTracker.start({
    ...ports,
    ...storage,
    startHash,
    totalSteps,
    log: reporting.log,
    redactor: reporting.redactor,
    firstStep,
    knownRunId: null,
    homeFolder: null,
    producer: "bench",
    intervals: INTERVALS,
    server: { http, baseUrl: BASE_URL, appUrl: null, apiKey: KEY },
    init: {
      project: "bench",
      entity: null,
      displayName: null,
      isNameGiven: false,
      group: null,
      jobType: null,
      notes: null,
      tags: null,
      program: null,
      platform: process.platform,
    },
    report: {
      opened: () => undefined,
      recovered: () => undefined,
      draining: () => undefined,
      stopRequested: () => undefined,
      warning: (message: string): void => console.error(message),
    },
  });
}

/** Starts with what earlier turns left, so that there is always more to send than the service accepts. */
function startUploads({ context, firstStep }: ReportingOptions, http: HttpClient): RolloutUploads {
  return new RolloutUploads({
    context,
    http,
    firstStep,
    file: { runId: "bench", name: "bench" },
    address: {
      url: BASE_URL,
      key: KEY,
      keySource: { name: "OPENREWARD_API_KEY", origin: "process" },
    },
  });
}
