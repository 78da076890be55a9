/** The client's requests compared by a kit with the recorded requests of the official client in the same session. */

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
import { addTally } from "./tally.ts";
import { TINKER_KIT, tinkerKitPython } from "./tinkerKit.ts";
import { playScenario, readScenario } from "./tinkerScenario.ts";

const run = promisify(execFile);
const SCENARIO = join(TINKER_KIT, "scenario.json");
const REFERENCE = join(TINKER_KIT, "recordings", "sdk-0.38.jsonl");

const EXPLAINED = [
  "several samples of one prompt are a request each here and one there: the recorded ones are taken apart",
];

const recordSchema = z.looseObject({ path: z.string(), body: z.unknown() });
const sampleBodySchema = z.looseObject({ num_samples: z.number(), seq_id: z.number() });
type KitRecord = z.output<typeof recordSchema>;

/** This client requests every sample separately, so recorded requests for several samples are split. */
function oneByOne(record: KitRecord): readonly KitRecord[] {
  if (record.path !== "asample") return [record];
  const body = sampleBodySchema.parse(record.body);
  return Array.from({ length: body.num_samples }, (_, i) => ({
    ...record,
    body: { ...body, num_samples: 1, seq_id: body.seq_id + i / body.num_samples },
  }));
}

/** Returns the number of requests it contains. */
async function writeReference(path: string): Promise<number> {
  const lines = (await readFile(REFERENCE, "utf8")).trim().split("\n");
  const records = lines.flatMap((line) => oneByOne(recordSchema.parse(JSON.parse(line))));
  await writeFile(path, JSON.stringify(records));
  return records.length;
}

async function startRecorder(
  command: string,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const args = [join(TINKER_KIT, "recorder.py"), "--port", "0", "--scenario", SCENARIO];
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

describe.skipIf(tinkerKitPython === null)(
  "the Tinker client, compared with the official one",
  async () => {
    const scenario = tinkerKitPython === null ? null : await readScenario(SCENARIO);
    let folder = "";
    let url = "";
    let requests = 0;
    let child: ChildProcess | null = null;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "tinker-rl-conformance-"));
      requests = await writeReference(join(folder, "reference.json"));
      ({ child, url } = await startRecorder(tinkerKitPython ?? ""));
    });
    afterAll(async () => {
      child?.kill();
      await rm(folder, { recursive: true, force: true });
    });

    it.for(["none", "submit", "poll"])(
      "sends the same session, faults: %s",
      { timeout: 120_000 },
      async (script, context) => {
        if (scenario === null) return;
        await post(`${url}/__kit/faults`, scenario.fault_scripts[script] ?? []);
        await post(`${url}/__kit/reset`, {});
        const http = createHttpClient();
        try {
          await playScenario(scenario, (service) =>
            connectTinker({
              http,
              clock: systemClock,
              random: systemRandom,
              log: silentLog,
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
        const lines = await comparisonOf(script);
        const differences = lines.slice(0, -1);
        addTally(context, { checks: requests, differences, explained: EXPLAINED });
        expect(fired.filter((rule) => rule.fired === 0)).toEqual([]);
        expect(lines).toEqual(["0 differences"]);
      },
    );

    /** A line for each difference, then their number. */
    async function comparisonOf(name: string): Promise<readonly string[]> {
      const mine = join(folder, `${name}.json`);
      const records = await read(`${url}/__kit/records`, z.array(z.unknown()));
      await writeFile(mine, JSON.stringify(records));
      const args = [join(TINKER_KIT, "compare.py"), join(folder, "reference.json"), mine];
      // The comparison exits with 1 if there are differences, and its output lists them.
      const { stdout } = await run(tinkerKitPython ?? "", args).catch((error: unknown) =>
        z.object({ stdout: z.string() }).parse(error),
      );
      return stdout.trim().split("\n");
    }
  },
);
