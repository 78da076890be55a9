import { beforeEach, describe, expect, it, vi } from "vitest";
import type { CheckpointEntry } from "../../../src/core/runFolder/checkpointLog.ts";
import type { CheckpointPlace } from "../../../src/host/commands/changeCheckpoint.ts";
import { downloadCheckpoint } from "../../../src/host/commands/downloadCheckpoint.ts";
import type { ProgramQuestion } from "../../../src/host/runs/askProgram.ts";
import type { RequestedKey, WeightsReply, WeightsRequest } from "../../../src/shared/control.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { aRun } from "../views/runEntries.ts";

const editor = vi.hoisted(() => ({
  answers: [] as (string | undefined)[],
  details: [] as string[],
  reported: [] as string[],
  folder: undefined as { fsPath: string } | undefined,
}));
vi.mock("vscode", () => ({
  ProgressLocation: { Notification: 15 },
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  commands: { executeCommand: async () => undefined },
  l10n: {
    t: (text: string, ...args: readonly unknown[]) =>
      text.replace(/\{(\d)\}/g, (_, index) => String(args[Number(index)])),
  },
  window: {
    showInformationMessage: async (text: string, options: { detail?: string }) => {
      editor.details.push(options.detail ?? text);
      return editor.answers.shift();
    },
    showOpenDialog: async () => editor.folder && [editor.folder],
    withProgress: (_: unknown, work: (progress: unknown, token: unknown) => Promise<unknown>) =>
      work({ report: ({ message }: { message: string }) => editor.reported.push(message) }, {}),
  },
}));
const program = vi.hoisted(() => ({
  requests: [] as unknown[],
  /** Replies of the next calls; none = the user ended it. */
  replies: [] as unknown[][],
}));
vi.mock("../../../src/host/runs/askProgram.ts", () => ({
  askProgram: async (_: string, { request, onReply }: ProgramQuestion<WeightsReply>) => {
    program.requests.push(request);
    const replies = program.replies.shift() ?? [];
    // The test wrote them as the program would.
    for (const reply of replies as WeightsReply[]) onReply(reply);
    return replies.length > 0;
  },
}));

const RUN = aRun({ isLive: false, name: "My Run", folder: "/runs/demo" });
const ENTRY: CheckpointEntry = aCheckpointEntry({
  name: "final_000002",
  kind: "final",
  state_path: "tinker://s:train:0/weights/f",
});
const AT_TINKER: CheckpointPlace = { kind: "Tinker", baseUrl: null, project: "/project" };
const HERE: CheckpointPlace = { kind: "this computer" };
const DONE = { ok: true, folder: "/weights/demo-final_000002" };

function options(key: RequestedKey | null) {
  return {
    programFolder: "/program",
    keys: {
      // What is asked of them.
      sources: { valueFor: async () => key } as never,
      variables: () => ({ TINKER_BASE_URL: "https://gateway.example/x", UNRELATED: "1" }),
      recoverFromLaunchError: vi.fn(async () => true),
      approvals: { allowedOrigins: () => ALLOWED },
    },
  };
}
const ALLOWED = [{ origin: "https://own.example", key: "TINKER_API_KEY" }];
const BOUND: RequestedKey = { value: "tml-a", origin: "store", host: "gateway.example" };

function requests(): readonly WeightsRequest[] {
  return program.requests as WeightsRequest[]; // what the handler sent
}

beforeEach(() => {
  Object.assign(editor, { answers: [], details: [], reported: [], folder: { fsPath: "/weights" } });
  Object.assign(program, { requests: [], replies: [[DONE]] });
});

describe("downloading weights", () => {
  it("of Tinker says first what it may cost, and does nothing without a yes", async () => {
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(BOUND));
    expect(editor.details).toEqual([expect.stringContaining("which it may bill")]);
    expect(program.requests).toEqual([]);
  });

  it("hands the program the key of Tinker and nothing else", async () => {
    editor.answers = ["Download"];
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(BOUND));
    expect(requests()).toEqual([
      {
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
      },
    ]);
    expect(editor.details.at(-1)).toContain("/weights/demo-final_000002");
  });

  it("hands over a key with the host that it is bound to, which the program compares", async () => {
    editor.answers = ["Download"];
    const elsewhere = { ...BOUND, host: "another.example" };
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(elsewhere));
    expect(requests()[0]?.launch.keys).toEqual({ TINKER_API_KEY: elsewhere });
  });

  it("of this computer asks nothing about cost, and hands over no key", async () => {
    program.replies = [[{ file: "a", receivedBytes: 1024, totalBytes: 2048 }, DONE]];
    await downloadCheckpoint(RUN, ENTRY, HERE, options(BOUND));
    expect(requests()[0]).toMatchObject({ isLocalOnly: true, launch: { keys: {} } });
    expect(editor.reported).toEqual(["a  1.0 KiB of 2.0 KiB"]);
    expect(editor.details).toHaveLength(1);
  });

  it("continues once a missing key is set, and says what else went wrong", async () => {
    editor.answers = ["Download", undefined];
    const missing = { ok: false, error: { code: "key-missing", message: "no key" } };
    program.replies = [[missing], [DONE]];
    await downloadCheckpoint(RUN, ENTRY, AT_TINKER, options(BOUND));
    expect(program.requests).toHaveLength(2);

    editor.answers = ["Download"];
    program.replies = [[{ ok: false, error: { code: "disk", message: "The disk is full." } }]];
    const others = options(BOUND);
    others.keys.recoverFromLaunchError.mockResolvedValue(false);
    await expect(downloadCheckpoint(RUN, ENTRY, AT_TINKER, others)).rejects.toThrow("disk is full");
  });

  it("ends quietly when the user ended it, or named no folder", async () => {
    program.replies = [[]];
    await downloadCheckpoint(RUN, ENTRY, HERE, options(null));
    editor.folder = undefined;
    await downloadCheckpoint(RUN, ENTRY, HERE, options(null));
    expect(editor.details).toEqual([]);
    expect(program.requests).toHaveLength(1);
  });

  it("of a checkpoint for sampling is refused with the way to one that can be had", async () => {
    const sampler = { ...ENTRY, state_path: null };
    await expect(downloadCheckpoint(RUN, sampler, HERE, options(null))).rejects.toThrow(
      "Download one with a training state",
    );
  });
});
