import { describe, expect, it } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import {
  CHECKPOINT_REQUESTS,
  type ChangeLocalRequest,
  type WeightsProgress,
  type WeightsRequest,
} from "../../src/api/checkpoints.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { AppError } from "../../src/core/errors.ts";
import type { TrainerFunctions } from "../../src/server/openRequests.ts";
import type { DownloadRequest as TrainerRequest } from "../../src/trainer/checkpoints/downloadCheckpoint.ts";
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
  isLocalOnly: false,
};

type Download = TrainerFunctions["downloadCheckpoint"];
const { download, changeLocal } = CHECKPOINT_REQUESTS;

describe("a download for an editor", () => {
  it("has the key that was handed over, and reports what arrives, but not each piece", async () => {
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

  it("is answered with the error, without the secrets of the request", async () => {
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
    let begun = (): void => undefined;
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const work: Download = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        begun();
      });
    const { ask, requests } = anEditor({ downloadCheckpoint: work });
    const canceling = new CancellationTokenSource();
    const answer = ask<RequestOutcome<null>>(download, REQUEST, canceling.token);
    await isBegun;
    if (how === "leaves") await requests.close();
    else canceling.cancel();
    expect(await answer).toMatchObject({ ok: false, error: { code: "stopped" } });
  });

  it("is refused without all that it needs, and without a word of what was sent", async () => {
    const editor = anEditor({});
    const { folder: _, ...rest } = REQUEST;
    await expect(editor.ask(download, rest)).rejects.toThrow("folder");
    expect(editor.received()).not.toContain("tml-secret");
  });
});

it("changes checkpoints of this computer, and looks for no key", async () => {
  const seen: unknown[] = [];
  const { ask } = anEditor({
    changeCheckpoints: async function* (_, request) {
      seen.push(request);
      yield { path: request.paths[0] ?? "", place: "this computer" };
    },
  });
  const request: ChangeLocalRequest = {
    paths: ["tinker://s:train:0/weights/f"],
    change: { action: "set-ttl", ttlSeconds: 60 },
  };
  expect(await ask(changeLocal, request)).toEqual({ ok: true, value: null });
  expect(seen).toMatchObject([{ ...request, isLocalOnly: true, allowedOrigins: [] }]);
});

it("keeps no secret of a request that is over, and cleans a failure of the server by those under way", async () => {
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
