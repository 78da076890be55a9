import { beforeEach, describe, expect, it, vi } from "vitest";
import type { WeightsProgress, WeightsRequest } from "../../../src/api/checkpoints.ts";
import type { RequestOutcome } from "../../../src/api/requests.ts";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import {
  type DownloadSource,
  downloadCheckpoint,
} from "../../../src/host/commands/downloadCheckpoint.ts";
import type { Server } from "../../../src/host/server/server.ts";
import type { RequestedKey } from "../../../src/shared/control.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { resetUser, user } from "../fakeWindow.ts";
import { aRun } from "../runEntries.ts";

/** The chosen folder, by the label of the button. */
const folders = vi.hoisted((): Map<string, string> => new Map());
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  commands: { executeCommand: async () => undefined },
  window: {
    ...(await import("../fakeWindow.ts")).fakeWindow,
    showOpenDialog: async ({ openLabel }: { readonly openLabel: string }) => {
      const fsPath = folders.get(openLabel);
      return fsPath && [{ fsPath }];
    },
  },
}));
const asked: WeightsRequest[] = [];
/** The server's reports and answers to the next requests; null = the user cancels. */
const answers: (readonly [...WeightsProgress[], RequestOutcome<null>] | null)[] = [];

const server: Pick<Server, "request"> = {
  request: async (_method, parameters, { onProgress } = {}) => {
    // Messages between the handler and the server.
    asked.push(parameters as WeightsRequest);
    const answer = answers.shift() ?? null;
    if (answer === null) user.isCanceled = true;
    for (const report of answer?.slice(0, -1) ?? []) onProgress?.(report as never);
    return (answer?.at(-1) ?? { ok: false, error: { code: "stopped", message: "" } }) as never;
  },
};

const RUN = aRun({ isLive: false, name: "My Run", folder: "/runs/demo" });
const ENTRY: CheckpointEntry = aCheckpointEntry({
  name: "final_000002",
  kind: "final",
  state_path: "tinker://s:train:0/weights/f",
});
const AT_TINKER: DownloadSource = {
  place: { kind: "Tinker", baseUrl: null, project: "/project" },
  baseModel: "Qwen/Qwen3-8B",
};
const HERE: DownloadSource = { place: { kind: "this computer" }, baseModel: "local/tiny-tool" };
const DONE: RequestOutcome<null> = { ok: true, value: null };

function options(key: RequestedKey | null) {
  return {
    server,
    keys: {
      // Only the members that the handler uses.
      sources: { valueFor: async () => key } as never,
      variables: () => ({ TINKER_BASE_URL: "https://gateway.example/x", UNRELATED: "1" }),
      recoverFromLaunchError: vi.fn(async () => true),
      approvals: { allowedOrigins: () => ALLOWED },
    },
  };
}
const ALLOWED = [{ origin: "https://own.example", key: "TINKER_API_KEY" }];
const BOUND: RequestedKey = { value: "tml-a", origin: "store", host: "gateway.example" };

beforeEach(() => {
  resetUser();
  user.picks = [["For PEFT and Transformers"], ["For PEFT and Transformers"]];
  folders.clear();
  folders.set("Download Here", "/weights").set("Use This Base Model", "/models/base");
  asked.length = 0;
  answers.splice(0, answers.length, [DONE]);
});

describe("downloading weights", () => {
  it("from Tinker shows the possible cost first, and does nothing without confirmation", async () => {
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(BOUND));
    expect(user.details).toEqual([expect.stringContaining("which it may bill")]);
    expect(asked).toEqual([]);
  });

  it("sends the server only the Tinker key", async () => {
    user.presses = ["Download"];
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(BOUND));
    expect(asked).toEqual([
      {
        progressToken: expect.any(String),
        launch: {
          keys: { TINKER_API_KEY: BOUND },
          allowedOrigins: ALLOWED,
          envFile: null,
          variables: { TINKER_BASE_URL: "https://gateway.example/x" },
        },
        folder: "/runs/demo",
        name: "final_000002",
        isLocalOnly: false,
        output: "/weights/demo-final_000002",
        form: null,
      },
    ]);
    expect(user.texts.at(-1)).toContain("/weights/demo-final_000002");
  });

  it("sends a key with its bound host, which the server checks", async () => {
    user.presses = ["Download"];
    const elsewhere = { ...BOUND, host: "another.example" };
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(elsewhere));
    expect(asked[0]?.launch.keys).toEqual({ TINKER_API_KEY: elsewhere });
  });

  it("on this computer asks nothing about cost, and sends no key", async () => {
    answers[0] = [{ file: "a", receivedBytes: 1024, totalBytes: 2048 }, DONE];
    await downloadCheckpoint(RUN, ENTRY, HERE, options(BOUND));
    expect(asked[0]).toMatchObject({ isLocalOnly: true, launch: { keys: {} } });
    expect(user.progress).toEqual(["a  1.0 KiB of 2.0 KiB"]);
    expect(user.texts).toHaveLength(1);
  });

  it("continues once a missing key is set, and reports other errors", async () => {
    user.presses = ["Download"];
    answers.unshift([{ ok: false, error: { code: "key-missing", message: "no key" } }]);
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(BOUND));
    expect(asked).toHaveLength(2);

    answers.push([{ ok: false, error: { code: "disk", message: "The disk is full." } }]);
    const others = options(BOUND);
    others.keys.recoverFromLaunchError.mockResolvedValue(false);
    await expect(downloadCheckpoint(RUN, ENTRY, AT_TINKER, others)).rejects.toThrow("disk is full");
  });

  it.each([
    ["Qwen/Qwen3-8B", "For vLLM and SGLang", "vllm", null],
    ["Qwen/Qwen3-8B", "For vLLM and SGLang, Without the Unembedding", "vllm-no-unembed", null],
    ["Qwen/Qwen3-8B", "Merged into the Base Model", "merged", "/models/base"],
    ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "For vLLM and SGLang", "vllm", "/models/base"],
    ["org/model", "For vLLM and SGLang", "vllm", "/models/base"],
    ["local/tiny-tool", "Merged into the Base Model", "merged", null],
  ])("of %s %s asks for the base model only if it is needed", async (...row) => {
    const [baseModel, label, words, base] = row;
    user.picks = [[label]];
    await downloadCheckpoint(RUN, ENTRY, { ...HERE, baseModel }, options(null));
    const [form, ...rest] = words.split("-");
    expect(asked[0]).toMatchObject({
      form: { form, base, dropsUnembedding: rest.length > 0 },
      output: `/weights/demo-final_000002-${words}`,
    });
  });

  it("ends without a message when the user canceled it or dismissed a prompt", async () => {
    answers[0] = null;
    await downloadCheckpoint(RUN, ENTRY, HERE, options(null));
    folders.delete("Download Here");
    await downloadCheckpoint(RUN, ENTRY, HERE, options(null));
    folders.clear();
    folders.set("Download Here", "/weights");
    user.picks = [["Merged into the Base Model"], undefined];
    await downloadCheckpoint(RUN, ENTRY, { ...HERE, baseModel: "org/model" }, options(null));
    await downloadCheckpoint(RUN, ENTRY, HERE, options(null));
    expect(user.texts).toEqual([]);
    expect(asked).toHaveLength(1);
  });
});
