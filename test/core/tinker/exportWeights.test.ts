import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { type SignFiles, withExportedFiles } from "../../../src/core/tinker/exportWeights.ts";
import { type FakeReply, jsonBody } from "../../fakes/fakeHttp.ts";
import { fakeTinker, type Interception, pathOf } from "../../fakes/fakeTinker.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const STATE = "tinker://R:train:0/weights/a";
const EXPORT = "training_runs/S:train:0/checkpoints/external_weights/download-uuid-1";
const SIGNED = {
  urls: { "a.json": "https://storage.test/a?sig=1" },
  expires: "2026-01-01T01:00:00Z",
};

/** The calls of an export in addition to those of a session. */
function service(intercept: Interception = () => undefined) {
  const server = fakeTinker((path, request) => intercept(path, request) ?? exported(path, request));
  const { http, clock, requestsTo } = server;
  const random = { uuid: () => "uuid-1", uniform: () => 0 };
  const work = (
    path: string,
    use: (sign: SignFiles) => Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<unknown> =>
    clock.run(
      withExportedFiles(
        {
          http,
          clock,
          random,
          log: silentLog,
          baseUrl: "http://tinker.test/prefix/",
          apiKey: "tml-secret",
          ...(signal === undefined ? {} : { signal }),
        },
        path,
        use,
      ),
    );
  const calls = (): readonly string[] =>
    http.requests
      .filter((request) => !pathOf(request).startsWith("session_heartbeat"))
      .map((request) => `${request.method} ${pathOf(request)}`);
  const finished = (): unknown[] => requestsTo("sessions/S/finish").map(jsonBody);
  return { http, work, calls, finished, requestsTo };
}

function exported(path: string, request: Parameters<Interception>[1]): FakeReply | undefined {
  if (path === "save_weights_external") {
    return { json: { request_id: "external" } };
  }
  if (path === "retrieve_future" && jsonBody(request)["request_id"] === "external") {
    return { json: { path: "tinker://S:train:0/external_weights/download-uuid-1", size_bytes: 1 } };
  }
  if (path.endsWith("/external_weights_urls")) return { json: SIGNED };
  return undefined;
}

describe("a weights export", () => {
  it("sends the same requests as the official client, in order", async () => {
    const { work, calls, finished, requestsTo } = service();
    const urls = await work(STATE, async (sign) => [...(await sign()).urls]);
    expect(urls).toEqual([["a.json", "https://storage.test/a?sig=1"]]);
    expect(calls()).toEqual([
      "POST client/config",
      "POST create_session",
      "POST load_weights",
      "POST retrieve_future",
      "POST get_info",
      "POST save_weights_external",
      "POST retrieve_future",
      `GET ${EXPORT}/external_weights_urls`,
      `PUT ${EXPORT}/ttl`,
      `DELETE ${EXPORT}`,
      "POST sessions/S/finish",
    ]);
    expect(requestsTo("load_weights").map(jsonBody)).toEqual([
      expect.objectContaining({ path: STATE, optimizer: false }),
    ]);
    expect(requestsTo("save_weights_external").map(jsonBody)).toEqual([
      {
        model_id: "S:train:0",
        path: "download-uuid-1",
        seq_id: 1,
        ttl_seconds: 3600,
        type: "save_weights_external",
      },
    ]);
    expect(finished()).toEqual([{ reason: { type: "success" }, detail: null }]);
  });

  it("extends its expiry whenever addresses are signed again", async () => {
    const { work, requestsTo } = service();
    await work(STATE, async (sign) => {
      await sign();
      await sign();
    });
    expect(requestsTo(`${EXPORT}/ttl`).map(jsonBody)).toEqual([
      { ttl_seconds: 3600 },
      { ttl_seconds: 3600 },
    ]);
  });

  it("is deleted, and its session finished, when the download fails", async () => {
    const { work, calls, finished } = service();
    const full = new AppError("disk", "The disk is full.");
    await expect(work(STATE, () => Promise.reject(full))).rejects.toBe(full);
    expect(calls().at(-2)).toBe(`DELETE ${EXPORT}`);
    expect(finished()).toEqual([{ reason: { type: "errored" }, detail: null }]);
  });

  it("finishes its session when the service refuses the export", async () => {
    const { work, finished } = service((path) =>
      path === "save_weights_external" ? { status: 403, json: { detail: "no" } } : undefined,
    );
    const use = async (): Promise<void> => undefined;
    await expect(work(STATE, use)).rejects.toMatchObject({ code: "tinker-auth" });
    expect(finished()).toEqual([{ reason: { type: "errored" }, detail: null }]);
  });

  it("returns the files even if it cannot be deleted afterward", async () => {
    const { work, finished } = service((path, { method }) =>
      path === EXPORT && method === "DELETE" ? { status: 404, json: {} } : undefined,
    );
    expect(await work(STATE, async () => "files")).toBe("files");
    expect(finished()).toEqual([{ reason: { type: "success" }, detail: null }]);
  });

  it("ends immediately when stopped while the service delays its model", async () => {
    const stop = new AbortController();
    const { work, finished } = service((path) => {
      if (path !== "retrieve_future") return undefined;
      stop.abort(new AppError("interrupted", "stopped"));
      return { status: 408, json: { type: "try_again", queue_state: "paused_capacity" } };
    });
    const use = async (): Promise<void> => undefined;
    await expect(work(STATE, use, stop.signal)).rejects.toMatchObject({ code: "interrupted" });
    expect(finished()).toEqual([{ reason: { type: "interrupted" }, detail: null }]);
  });

  it("that already exists starts no session, and is kept", async () => {
    const { work, calls } = service();
    await work("tinker://R:train:0/external_weights/mine", (sign) => sign());
    expect(calls()).toEqual([
      "POST client/config",
      "GET training_runs/R:train:0/checkpoints/external_weights/mine/external_weights_urls",
    ]);
  });

  it("refuses sampler weights before it sends any request", async () => {
    const { work, http } = service();
    const path = "tinker://R:train:0/sampler_weights/a";
    await expect(work(path, async () => undefined)).rejects.toThrow(/the state of the same step/);
    expect(http.requests).toEqual([]);
  });
});
