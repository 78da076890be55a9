import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RUN_REQUESTS, type RunListReport } from "../../../src/api/runs.ts";
import { AppError } from "../../../src/core/errors.ts";
import { ReportedRuns } from "../../../src/host/runs/runList.ts";
import type { Server } from "../../../src/host/server/server.ts";
import type { ServerRequestOptions } from "../../../src/host/server/serverClient.ts";
import { aRun } from "../runEntries.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A server that lists `folders` and can be stopped. */
function aServer(folders: readonly string[]) {
  let report = (_: RunListReport): void => undefined;
  let end = (): void => undefined;
  let isRefusing = false;
  const request = async (
    method: string,
    _: object,
    { onProgress }: ServerRequestOptions<RunListReport> = {},
  ): Promise<unknown> => {
    if (isRefusing) throw new AppError("server-stopped", "The server stopped.");
    if (method === RUN_REQUESTS.watch) {
      if (onProgress !== undefined) report = onProgress;
      return new Promise((_resolve, reject) => {
        end = () => reject(new AppError("server-stopped", "The server stopped."));
      });
    }
    report({ kind: "part", runs: folders.map((folder) => aRun({ folder })) });
    report({ kind: "list", folders: [...folders] });
    return { ok: true, value: null };
  };
  const refuse = (): void => {
    isRefusing = true;
  };
  return { request, end: () => end(), refuse };
}

it("the list keeps its last content when the server does not come back", async () => {
  const only = aServer(["/runs/a"]);
  const server = only as Partial<Server> as Server; // only the members that the list reads
  const labels = { opened: [], names: {}, archived: [] };
  const list = new ReportedRuns({ server, labels, onError: () => undefined });
  await list.look(["/runs"]);
  only.end();
  only.refuse();
  await vi.advanceTimersByTimeAsync(0);
  const reading = list.refresh();
  await vi.advanceTimersByTimeAsync(11_000);
  await reading;
  expect(list.runs.map(({ folder }) => folder)).toEqual(["/runs/a"]);
  list.dispose();
});

it("the list is read again by the next server after one has ended, and is loading until then", async () => {
  const [first, second] = [aServer(["/runs/a"]), aServer(["/runs/a", "/runs/b"])];
  let running = first;
  const server = {
    request: (...of: Parameters<typeof first.request>) => running.request(...of),
  } as Partial<Server> as Server; // only the members that the list reads
  const labels = { opened: [], names: {}, archived: [] };
  const list = new ReportedRuns({ server, labels, onError: () => undefined });
  await list.look(["/runs"]);
  expect(list.runs.map(({ folder }) => folder)).toEqual(["/runs/a"]);

  first.end();
  running = second;
  await vi.advanceTimersByTimeAsync(0);
  let isRead = false;
  const reading = list.refresh().then(() => {
    isRead = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(isRead).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  await reading;
  expect(list.runs.map(({ folder }) => folder)).toEqual(["/runs/a", "/runs/b"]);
  list.dispose();
});
