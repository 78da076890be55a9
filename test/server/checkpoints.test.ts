import { beforeEach, describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import {
  CHECKPOINT_REQUESTS,
  type ChangeWeightsRequest,
  type WeightsProgress,
  type WeightsRequest,
} from "../../src/api/checkpoints.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { AppError } from "../../src/core/errors.ts";
import type { ChangeRequest } from "../../src/trainer/checkpoints/changeCheckpoints.ts";
import type { DownloadRequest as TrainerRequest } from "../../src/trainer/checkpoints/downloadCheckpoint.ts";
import { untilAborted } from "../fakes/fakeHttp.ts";
import { anEditor } from "./anEditor.ts";

const REQUEST: WeightsRequest = {
  progressToken: "download-1",
  launch: {
    keys: { TINKER_API_KEY: { value: "tml-secret", origin: "store", host: null } },
    allowedOrigins: [],
    variables: {},
    envFile: null,
  },
  folder: "/runs/demo",
  name: "final_000002",
  output: "/weights/demo",
  form: null,
  isLocalOnly: false,
};

const { download, change: changing } = CHECKPOINT_REQUESTS;

/** Work that lasts until it is aborted. */
function hanging() {
  let begun = (): void => undefined;
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const hang = (signal: AbortSignal | undefined): Promise<never> => {
    begun();
    return untilAborted(signal);
  };
  return { hang, isBegun };
}

describe("a download for an editor", () => {
  it("uses the supplied key, and reports progress, but not for each chunk", async () => {
    const seen: TrainerRequest[] = [];
    const editor = anEditor({
      downloadCheckpoint: async (_, request) => {
        seen.push(request);
        for (const receivedBytes of [10, 20, 40]) {
          request.onProgress?.({ name: "a", receivedBytes, totalBytes: 40 });
        }
        return { path: "", folder: "", files: [] };
      },
    });
    const reports = editor.reports<WeightsProgress>("download-1");
    expect(await editor.ask(download, REQUEST)).toEqual({ ok: true, value: null });
    expect(seen[0]).toMatchObject({
      source: "/runs/demo",
      name: "final_000002",
      output: "/weights/demo",
      launchRequest: REQUEST.launch,
    });
    expect(reports).toEqual([
      { file: "a", receivedBytes: 10, totalBytes: 40 },
      { file: "a", receivedBytes: 40, totalBytes: 40 },
    ]);
    expect(editor.received()).not.toContain("tml-secret");
  });

  it("requests the form that the editor names, or none", async () => {
    const seen: TrainerRequest[] = [];
    const editor = anEditor({
      downloadCheckpoint: async (_, request) => {
        seen.push(request);
        return { path: "", folder: "", files: [] };
      },
    });
    const form = { form: "merged", base: "/models/base", dropsUnembedding: false } as const;
    await editor.ask(download, { ...REQUEST, form });
    await editor.ask(download, REQUEST);
    expect(seen.map((request) => request.form)).toEqual([form, undefined]);
    await expect(editor.ask(download, { ...REQUEST, form: "peft" })).rejects.toThrow("form");
  });

  it("returns the error without the secrets of the request", async () => {
    const { ask } = anEditor({
      downloadCheckpoint: (_, { redactor }) => {
        redactor?.learn("tml-secret");
        throw new AppError("download-failed", "It ended with tml-secret.");
      },
    });
    expect(await ask(download, REQUEST)).toEqual({
      ok: false,
      error: { code: "download-failed", message: "It ended with ***." },
    });
  });

  it.each(["is canceled", "leaves"])("ends when the editor %s", async (how) => {
    const { hang, isBegun } = hanging();
    const { ask, requests } = anEditor({ downloadCheckpoint: (_, { signal }) => hang(signal) });
    const canceling = new CancellationTokenSource();
    const answer = ask<RequestOutcome<null>>(download, REQUEST, canceling.token);
    await isBegun;
    if (how === "leaves") await requests.close();
    else canceling.cancel();
    expect(await answer).toMatchObject({ ok: false, error: { code: "stopped" } });
  });

  it("rejects an incomplete request without quoting it", async () => {
    const editor = anEditor({});
    const { folder: _, ...rest } = REQUEST;
    await expect(editor.ask(download, rest)).rejects.toThrow("folder");
    expect(editor.received()).not.toContain("tml-secret");
  });
});

describe("a change of checkpoints for an editor", () => {
  const PATHS = ["tinker://s:train:0/weights/f", "tinker://s:train:0/sampler_weights/f"];
  const ELSEWHERE = { launch: REQUEST.launch, baseUrl: "https://own.example" };
  const made: ChangeRequest[] = [];
  const { ask } = anEditor({
    changeCheckpoints: async function* (_, request) {
      made.push(request);
      for (const path of request.paths) yield { path, place: "Tinker" };
    },
  });
  const change = (request: ChangeWeightsRequest) => ask<RequestOutcome<null>>(changing, request);

  beforeEach(() => {
    made.length = 0;
  });

  it("uses no key for checkpoints on this computer", async () => {
    const request = {
      paths: PATHS,
      change: { action: "set-ttl", ttlSeconds: 60 },
      service: null,
    } as const;
    expect(await change(request)).toEqual({ ok: true, value: null });
    expect(made).toMatchObject([
      {
        paths: PATHS,
        change: request.change,
        isLocalOnly: true,
        allowedOrigins: [],
        launchRequest: undefined,
      },
    ]);
  });

  it("uses the supplied key at the service of the run", async () => {
    await change({ paths: PATHS, change: { action: "publish" }, service: ELSEWHERE });
    expect(made).toMatchObject([
      {
        paths: PATHS,
        isLocalOnly: false,
        launchRequest: REQUEST.launch,
        tinkerBaseUrl: "https://own.example",
      },
    ]);
  });

  it("treats a missing checkpoint as deleted", async () => {
    const service = ELSEWHERE;
    expect(await change({ paths: PATHS, change: { action: "delete" }, service })).toMatchObject({
      ok: true,
    });
    expect(made).toMatchObject([{ paths: PATHS, mayBeGone: true }]);
  });

  it("is aborted after ten seconds, with all pending requests", async () => {
    const { hang, isBegun } = hanging();
    const editor = anEditor({
      changeCheckpoints: async function* (_, { signal }) {
        yield await hang(signal);
      },
    });
    const request = { paths: PATHS, change: { action: "publish" }, service: ELSEWHERE } as const;
    const answer = editor.ask<RequestOutcome<null>>(changing, request);
    await isBegun;
    await editor.clock.advance(10_000);
    expect(await answer).toMatchObject({
      ok: false,
      error: {
        code: "timeout",
        message: "The service did not answer within 10 seconds. Check the network, then try again.",
      },
    });
  });
});

it("drops the secrets of a finished request, and redacts server errors with those in progress", async () => {
  let inside: unknown = null;
  const failure = new Error("tml-secret");
  const editor = anEditor({
    downloadCheckpoint: async (_, { redactor }) => {
      redactor?.learn("tml-secret");
      inside = editor.requests.redactError(failure);
      return { path: "", folder: "", files: [] };
    },
  });
  await editor.ask(download, REQUEST);
  expect(inside).toMatchObject({ message: "***" });
  expect(editor.requests.redactError(failure)).toMatchObject({ message: "tml-secret" });
});
