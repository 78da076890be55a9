import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { TrainerApi } from "../../../src/cli/arguments/programOptions.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { AppError } from "../../../src/core/errors.ts";
import { weightsReplySchema } from "../../../src/node/control/messages.ts";
import type { WeightsRequest } from "../../../src/shared/control.ts";
import type { DownloadRequest } from "../../../src/trainer/checkpoints/downloadCheckpoint.ts";
import { aTrainer, createFakeProgram } from "../fakeProgram.ts";

const REQUEST: WeightsRequest = {
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

async function ask(downloadCheckpoint: TrainerApi["downloadCheckpoint"], line: unknown = REQUEST) {
  const trainer = aTrainer({ downloadCheckpoint });
  const input = Readable.from([`${JSON.stringify(line)}\n`]);
  const program = createFakeProgram({ trainer, input });
  const code = await runProgram(program, ["--download"]);
  const { out, err } = program;
  return { code, lines: out.lines, errors: err.lines, program };
}

describe("a download for an editor", () => {
  it("has the key that was handed over, and reports what arrives", async () => {
    const seen: DownloadRequest[] = [];
    const { code, lines } = await ask(async (_, request) => {
      seen.push(request);
      for (const receivedBytes of [10, 20, 40]) {
        request.onProgress?.({ name: "a", receivedBytes, totalBytes: 40 });
      }
      return { path: "", folder: "", files: [] };
    });
    expect(code).toBe(0);
    expect(seen[0]).toMatchObject({
      source: "/runs/demo",
      name: "final_000002",
      output: "/weights/demo",
      launchRequest: REQUEST.launch,
    });
    const replies = lines.map((line) => weightsReplySchema.parse(JSON.parse(line)));
    // A piece that follows at once is not worth a line; the end is.
    expect(replies).toEqual([
      { file: "a", receivedBytes: 10, totalBytes: 40 },
      { file: "a", receivedBytes: 40, totalBytes: 40 },
      { ok: true, folder: "/weights/demo" },
    ]);
    expect(lines.join("")).not.toContain("tml-secret");
  });

  it("answers with the error and its exit code", async () => {
    const { code, lines } = await ask(() => {
      throw new AppError("download-failed", "It ended.");
    });
    expect(code).toBe(5);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ok: false, error: { code: "download-failed", message: "It ended." } },
    ]);
  });

  it("ends when the editor does not want it any more", async () => {
    let interrupt = (): void => undefined;
    const work: TrainerApi["downloadCheckpoint"] = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        queueMicrotask(() => interrupt());
      });
    const input = Readable.from([`${JSON.stringify(REQUEST)}\n`]);
    const program = createFakeProgram({ trainer: aTrainer({ downloadCheckpoint: work }), input });
    interrupt = program.interrupt;
    expect(await runProgram(program, ["--download"])).toBe(6);
    expect(program.listeners.size).toBe(0);
  });

  it("is not listed as a command for people", async () => {
    const unused: TrainerApi["downloadCheckpoint"] = () => Promise.reject(new Error("unused"));
    const { code, errors } = await ask(unused, {});
    expect(code).toBe(2);
    expect(errors.join()).toContain("--download is for editors");
  });
});
