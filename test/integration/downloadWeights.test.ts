/** Downloads of trained weights as files: copied locally or fetched from a server, across all kinds of failures. */

import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import {
  CHECKPOINT_REQUESTS,
  type WeightsProgress,
  type WeightsRequest,
} from "../../src/api/checkpoints.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import type { FileSystem } from "../../src/core/ports.ts";
import {
  downloadCheckpoint,
  type DownloadRequest as TrainerRequest,
} from "../../src/trainer/checkpoints/downloadCheckpoint.ts";
import { type LocalServers, serve } from "../../src/trainer/serve.ts";
import { filesOnDisk, folderOfEachTest } from "../fakes/onDisk.ts";
import { runIn, train } from "./controlledRun.ts";
import { type Asked, type ExportProxy, startExportProxy } from "./exportProxy.ts";
import { runFolderWith } from "./localRun.ts";
import { startServer } from "./serverProgram.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

const WEIGHTS = "adapter_model.safetensors";
const FILES = ["README.md", "adapter_config.json", WEIGHTS];
/** Bytes of the weights that arrive before a connection breaks. */
const CUT = 400_000;
/** More than a connection buffers unread when it breaks. */
const UNREAD = 200_000;
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 2
max_steps: 2
lora_rank: 32
`;

const fileSystem = filesOnDisk();
let project: string;
let run: string;
/** The state of the final checkpoint. */
let state: string;
let served: LocalServers;
let proxy: ExportProxy;
const folder = folderOfEachTest();

beforeAll(async () => {
  project = await runFolderWith(CONFIG);
  run = runIn(project);
  expect((await train(project).ended).outcome).toBe("done");
  const ports = { tinkerPort: 0, environmentsPort: 0, maxSessions: null };
  const store = join(project, "checkpoints");
  served = await serve({ ...ports, store, random: null, programFolder: PROGRAM_FOLDER });
});
afterAll(async () => {
  await served?.close();
});
beforeEach(async () => {
  proxy = await startExportProxy(served.tinkerUrl);
});
afterEach(() => {
  vi.unstubAllEnvs();
  proxy.close();
});

function download(name: string, files: FileSystem, changes: Partial<TrainerRequest> = {}) {
  return downloadCheckpoint(files, {
    source: run,
    name: null,
    output: join(folder, name),
    folder,
    programFolder: PROGRAM_FOLDER,
    isLocalOnly: false,
    allowedOrigins: [],
    ...changes,
  });
}

/** From this computer, which has the checkpoints of local runs. */
async function copied(): Promise<string> {
  const { path } = await download("copied", fileSystem, { isLocalOnly: true });
  state = path;
  return join(folder, "copied");
}

/** From the server only: this computer has no store. */
function fetched(name: string, files: FileSystem = fileSystem) {
  vi.stubEnv("TINKER_RL_STORE", join(folder, "none"));
  vi.stubEnv("TINKER_BASE_URL", proxy.url);
  vi.stubEnv("TINKER_API_KEY", served.key);
  return download(name, files);
}

async function sameBytes(one: string, other: string, name: string): Promise<boolean> {
  const [a, b] = await Promise.all([readFile(join(one, name)), readFile(join(other, name))]);
  return a.equals(b);
}

/** The byte offset that a request for a file starts at. */
const beginning = ({ range }: Asked): number =>
  Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);

/** No files at all, including dotfiles. */
const namesIn = async (path: string): Promise<readonly string[]> => (await readdir(path)).sort();

function isCleanedUp(): boolean {
  const isExport = ({ path }: { readonly path: string }) => path.includes("/external_weights/");
  const deleted = proxy.asked.filter((each) => each.method === "DELETE" && isExport(each));
  return deleted.length === 1 && proxy.requestsTo("/finish").length === 1;
}

describe("the weights of a run", () => {
  it("are identical whether copied locally or downloaded", async () => {
    const here = await copied();
    await fetched("fetched");
    const there = join(folder, "fetched");
    expect(await namesIn(here)).toEqual(FILES);
    expect(await namesIn(there)).toEqual(FILES);
    for (const name of FILES) expect(await sameBytes(here, there, name), name).toBe(true);
    expect(isCleanedUp()).toBe(true);
    // The storage receives no key.
    for (const { key } of proxy.requestsTo(WEIGHTS)) expect(key).toBeNull();
    expect(proxy.requestsTo("load_weights")[0]?.key).toBe(served.key);
    expect(await readFile(join(there, "README.md"), "utf8")).toContain(state);
  });

  it("arrive complete despite broken connections and a rejected address", async () => {
    const here = await copied();
    proxy.faults = [{ cutAfter: CUT }, { status: 403 }, { cutAfter: CUT }];
    await fetched("fetched");
    expect(await sameBytes(here, join(folder, "fetched"), WEIGHTS)).toBe(true);
    const [first, second = 0, third, fourth = 0] = proxy.requestsTo(WEIGHTS).map(beginning);
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(CUT - UNREAD);
    expect(third).toBe(second);
    expect(fourth).toBeGreaterThan(second + CUT - UNREAD);
    // Signed again after the rejection.
    expect(proxy.requestsTo("/external_weights_urls")).toHaveLength(2);
    expect(isCleanedUp()).toBe(true);
  });

  it("are not written outside of their folder, and nothing else is written", async () => {
    proxy.rewrite = (text) => text.replace('"adapter_config.json"', '"../../evil.sh"');
    await mkdir(join(folder, "inner"));
    const attempt = fetched("inner/fetched");
    await expect(attempt).rejects.toMatchObject({ code: "download-unsafe" });
    expect(proxy.requestsTo(WEIGHTS)).toEqual([]);
    expect(await namesIn(folder)).toEqual(["inner"]);
    expect(await namesIn(join(folder, "inner", "fetched"))).toEqual(["download.json"]);
    expect(isCleanedUp()).toBe(true);
  });
});

describe("the weights of a run, downloaded for an editor", () => {
  /** The server in a separate process; its key comes only with the request. */
  async function ask(
    onProgress: (report: WeightsProgress, cancel: () => void) => void,
    form: WeightsRequest["form"] = null,
  ) {
    const server = startServer({ TINKER_RL_STORE: join(folder, "none") });
    const { host } = new URL(proxy.url);
    const request: WeightsRequest = {
      progressToken: "download",
      launch: {
        keys: { TINKER_API_KEY: { value: served.key, origin: "store", host } },
        variables: { TINKER_BASE_URL: proxy.url },
        allowedOrigins: [],
        envFile: null,
      },
      folder: run,
      name: state.slice(state.lastIndexOf("/") + 1),
      isLocalOnly: false,
      output: join(folder, "asked"),
      form,
    };
    const canceling = new CancellationTokenSource();
    server.onReport(request, (report: WeightsProgress) =>
      onProgress(report, () => canceling.cancel()),
    );
    const { download } = CHECKPOINT_REQUESTS;
    const outcome = await server.ask<RequestOutcome<null>>(download, request, canceling.token);
    expect(await server.leave()).toEqual({ code: 0, stderr: "" });
    return outcome;
  }

  it("arrive using the supplied key, with progress reports", async () => {
    const here = await copied();
    const reports: WeightsProgress[] = [];
    expect(await ask((report) => reports.push(report))).toEqual({ ok: true, value: null });
    expect(reports.length).toBeGreaterThan(0);
    const output = join(folder, "asked");
    for (const name of FILES) expect(await sameBytes(here, output, name), name).toBe(true);
    expect(proxy.requestsTo("load_weights")[0]?.key).toBe(served.key);
  });

  it("have the requested format, or are refused with the same message as in the terminal", async () => {
    const merged = { form: "merged", base: folder, dropsUnembedding: false } as const;
    expect(await ask(() => undefined, merged)).toMatchObject({
      ok: false,
      error: {
        code: "base-invalid",
        message: expect.stringContaining("has no config.json. It must be the folder"),
      },
    });
    const served = { form: "vllm", base: null, dropsUnembedding: false } as const;
    expect(await ask(() => undefined, served)).toEqual({ ok: true, value: null });
    expect(await namesIn(join(folder, "asked"))).toEqual(FILES);
  });

  it("leave no request open at the service when the user cancels the download", async () => {
    await copied();
    // As many as the client retries.
    proxy.faults = Array.from({ length: 5 }, () => ({ cutAfter: CUT }));
    const outcome = await ask((_, cancel) => cancel());
    expect(outcome).toMatchObject({ ok: false, error: { code: "stopped" } });
    expect(isCleanedUp()).toBe(true);
  });
});
