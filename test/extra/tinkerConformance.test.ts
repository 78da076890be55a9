/** The client's requests against those that the official client sent in the same session, recorded and compared by a kit. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { connectTinker } from "../../src/core/tinker/serviceClient.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { systemRandom } from "../../src/node/random.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { kitFolder } from "./kits.ts";
import { preparePython } from "./python.ts";
import { playScenario, readScenario } from "./tinkerScenario.ts";

const run = promisify(execFile);
const KIT = kitFolder(
  "TINKER_RL_TINKER_KIT",
  "a recorder and recordings of the official Tinker client",
);
const SCENARIO = join(KIT, "scenario.json");
const REFERENCE = join(KIT, "recordings", "sdk-0.38.jsonl");

const python = KIT === "" ? null : await preparePython();

const recordSchema = z.looseObject({ path: z.string(), body: z.unknown() });
const sampleBodySchema = z.looseObject({ num_samples: z.number(), seq_id: z.number() });
type KitRecord = z.output<typeof recordSchema>;

/** This client draws every sample by itself, so the recorded draws of several are taken apart. */
function oneByOne(record: KitRecord): readonly KitRecord[] {
  if (record.path !== "asample") return [record];
  const body = sampleBodySchema.parse(record.body);
  return Array.from({ length: body.num_samples }, (_, i) => ({
    ...record,
    body: { ...body, num_samples: 1, seq_id: body.seq_id + i / body.num_samples },
  }));
}

async function writeReference(path: string): Promise<void> {
  const lines = (await readFile(REFERENCE, "utf8")).trim().split("\n");
  const records = lines.flatMap((line) => oneByOne(recordSchema.parse(JSON.parse(line))));
  await writeFile(path, JSON.stringify(records));
}

async function startRecorder(
  command: string,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const args = [join(KIT, "recorder.py"), "--port", "0", "--scenario", SCENARIO];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url !== undefined) return { child, url };
  }
  throw new Error("the recorder did not start");
}

async function post(url: string, body: unknown): Promise<void> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
}

async function read<Schema extends z.ZodType>(url: string, schema: Schema) {
  const response = await fetch(url);
  return schema.parse(await response.json());
}

describe.skipIf(python === null)("the Tinker client, compared with the official one", async () => {
  const scenario = python === null ? null : await readScenario(SCENARIO);
  let folder = "";
  let url = "";
  let child: ChildProcess | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tinker-rl-conformance-"));
    await writeReference(join(folder, "reference.json"));
    ({ child, url } = await startRecorder(python ?? ""));
  });
  afterAll(async () => {
    child?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(["none", "submit", "poll"])(
    "sends the same session, faults: %s",
    async (script) => {
      if (scenario === null) return;
      await post(`${url}/__kit/faults`, scenario.fault_scripts[script] ?? []);
      await post(`${url}/__kit/reset`, {});
      const http = createHttpClient();
      try {
        await playScenario(scenario, (service) =>
          connectTinker({
            ...{ http, clock: systemClock, random: systemRandom, log: silentLog },
            baseUrl: url,
            apiKey: "tml-kit",
            userMetadata: service.user_metadata,
            projectId: service.project_id,
            displayName: service.display_name,
          }),
        );
      } finally {
        await http.close();
      }
      const rules = z.array(z.object({ name: z.string(), fired: z.number().default(0) }));
      const fired = await read(`${url}/__kit/stats`, rules);
      expect(fired.filter((rule) => rule.fired === 0)).toEqual([]);
      expect(await differences(script)).toBe("0 differences");
    },
    120_000,
  );

  async function differences(name: string): Promise<string> {
    const mine = join(folder, `${name}.json`);
    const records = await read(`${url}/__kit/records`, z.array(z.unknown()));
    await writeFile(mine, JSON.stringify(records));
    const args = [join(KIT, "compare.py"), join(folder, "reference.json"), mine];
    // The comparison ends with status 1 when there are differences, and its output says which.
    const { stdout } = await run(python ?? "", args).catch((error: unknown) =>
      z.object({ stdout: z.string() }).parse(error),
    );
    return stdout.trim();
  }
});
