/** The official program downloads weights from `serve`, and ours does: the same requests in the same order, and the same files. */

import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  vi,
} from "vitest";
import * as z from "zod";
import { connectTinker } from "../../src/core/tinker/serviceClient.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { systemRandom } from "../../src/node/random.ts";
import { changeCheckpoints } from "../../src/trainer/checkpoints/changeCheckpoints.ts";
import { downloadCheckpoint } from "../../src/trainer/checkpoints/downloadCheckpoint.ts";
import type { LocalServers } from "../../src/trainer/serve.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { type Asked, type ExportProxy, startExportProxy } from "../integration/exportProxy.ts";
import { PROGRAM_FOLDER } from "../integration/trainProgram.ts";
import { serveProgram } from "./servedProgram.ts";
import { addTally } from "./tally.ts";

const python = inject("python");
const run = promisify(execFile);
const files = createFileSystem();
const EXPLAINED = [
  "a download asks for the model and the rank of the weights first, for the card that it writes beside them",
  "the export has a name of its own here, so that two downloads at once do not meet",
];
/** Their number depends on timing, or on a client's configuration. */
const NOT_COMPARED =
  /\/(telemetry|client\/(config|dynamic_config)|session_heartbeat|retrieve_future\w*|get_info|weights_info|get_server_capabilities)$/;
const body = z.looseObject({});

interface Call {
  readonly call: string;
  readonly body: Readonly<Record<string, unknown>>;
}

describe.skipIf(python === null)("the official program and this one", () => {
  let served: LocalServers;
  let proxy: ExportProxy;
  let folder: string;
  let path: string;

  beforeAll(async () => {
    served = await serveProgram();
    const http = createHttpClient();
    const service = await connectTinker({
      http,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      baseUrl: served.tinkerUrl,
      apiKey: served.key,
    });
    const model = await service.createTrainingClient({ baseModel: "local/tiny-tool", rank: 8 });
    ({ path } = await await model.saveState("a"));
    await service.finish("success");
    await http.close();
  });
  afterAll(() => served?.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "official-"));
    proxy = await startExportProxy(served.tinkerUrl);
    vi.stubEnv("TINKER_BASE_URL", proxy.url);
    vi.stubEnv("TINKER_API_KEY", served.key);
    vi.stubEnv("TINKER_RL_STORE", join(folder, "none"));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    proxy.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A command of the official program. */
  const official = (...words: readonly string[]) =>
    run(python ?? "", ["-m", "tinker.cli", "checkpoint", ...words], { cwd: folder });

  /** The requests since the last call. */
  function calls(): readonly Call[] {
    return proxy.asked.splice(0).flatMap((asked) => callOf(asked));
  }

  it("download the same files with the same requests", async (context) => {
    await official("download", path, "--output", folder);
    const theirs = calls();
    const output = join(folder, "ours");
    await downloadCheckpoint(files, {
      source: path,
      name: null,
      output,
      folder,
      programFolder: PROGRAM_FOLDER,
      isLocalOnly: false,
      allowedOrigins: [],
    });
    const ours = calls();
    const differences = theirs.flatMap((each, i) =>
      JSON.stringify(each) === JSON.stringify(ours[i]) ? [] : [each.call],
    );
    addTally(context, { checks: theirs.length, differences, explained: EXPLAINED });
    expect(ours).toEqual(theirs);
    const [downloaded = ""] = (await readdir(folder)).filter((name) => name.endsWith("_weights_a"));
    const names = await readdir(join(folder, downloaded));
    expect(names.sort()).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
    for (const name of names) {
      const [a, b] = await Promise.all(
        [downloaded, "ours"].map((each) => readFile(join(folder, each, name))),
      );
      expect(b?.equals(a ?? Buffer.alloc(0)), name).toBe(true);
    }
  });

  it("publish, keep and delete with the same requests", async (context) => {
    await official("publish", path);
    await official("unpublish", path);
    await official("set-ttl", path, "--ttl", "7200");
    await official("set-ttl", path, "--remove");
    const theirs = calls();
    const changes = [
      ...[{ action: "publish" }, { action: "unpublish" }],
      ...[
        { action: "set-ttl", ttlSeconds: 7200 },
        { action: "set-ttl", ttlSeconds: null },
      ],
    ] as const;
    for (const change of changes) {
      const request = { paths: [path], change, folder, isLocalOnly: false, allowedOrigins: [] };
      for await (const { place } of changeCheckpoints(files, request)) expect(place).toBe("Tinker");
    }
    const ours = calls();
    addTally(context, { checks: theirs.length, differences: [], explained: [] });
    expect(theirs.length).toBeGreaterThanOrEqual(changes.length);
    expect(ours).toEqual(theirs);
  });
});

/** Without the ids of a session, an export or a client. */
function callOf({ method, path, body: text }: Asked): readonly Call[] {
  if (NOT_COMPARED.test(path)) return [];
  const plain = path
    .replace(/^\/api\/v1/, "")
    .replace(/(external_weights\/)[^/]+/, "$1EXPORT")
    .replace(/(training_runs|sessions)\/[^/]+/, "$1/ID");
  const {
    session_id: _session,
    model_id: _model,
    user_metadata: _metadata,
    tags: _tags,
    ...rest
  } = body.parse(text === "" ? {} : JSON.parse(text));
  if (plain === "/save_weights_external") rest["path"] = "EXPORT";
  return [{ call: `${method} ${plain}`, body: rest }];
}
