/** The official Tinker client drives our engine, as `serve` exposes it to other programs. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { LocalServers } from "../../src/trainer/serve.ts";
import { PROGRAM_FOLDER } from "../integration/trainProgram.ts";
import { runChecks } from "./checkLines.ts";
import { serveProgram } from "./servedProgram.ts";
import { addTally } from "./tally.ts";
import { TINKER_KIT, tinkerKitPython } from "./tinkerKit.ts";

const MODEL = join(PROGRAM_FOLDER, "model");

/** Checks that may find nothing to check. */
const ABSENT: Readonly<Record<string, string>> = {
  rest_archive: "the official client asks for no archives since 0.36",
  prompt_alt_tokens: "the engine declines alternatives to tokens of the prompt",
};

const tokenizerSchema = z.object({
  model: z.object({ vocab: z.record(z.string(), z.number()) }),
  added_tokens: z.array(z.object({ id: z.number(), content: z.string() })),
});
const tokenizerConfigSchema = z.object({ eos_token: z.string() });

async function read<Schema extends z.ZodType>(name: string, schema: Schema) {
  return schema.parse(JSON.parse(await readFile(join(MODEL, name), "utf8")));
}

/** The driver's facts about the model. */
async function tokenizerArguments(): Promise<readonly string[]> {
  const { model, added_tokens: added } = await read("tokenizer.json", tokenizerSchema);
  const { eos_token: end } = await read("tokenizer_config.json", tokenizerConfigSchema);
  const ids = new Set([...Object.values(model.vocab), ...added.map(({ id }) => id)]);
  const eos = added.find(({ content }) => content === end)?.id;
  return ["--tokenizer", MODEL, "--vocab", String(ids.size), "--eos", String(eos)];
}

describe.skipIf(tinkerKitPython === null)("the embedded engine", () => {
  let served: LocalServers;
  beforeAll(async () => {
    served = await serveProgram();
  });
  afterAll(() => served?.close());

  it("passes every check of the official client", { timeout: 600_000 }, async (context) => {
    const { passed, failed, skipped } = await runChecks(tinkerKitPython ?? "", [
      ...[join(TINKER_KIT, "drive_sdk.py"), "--base-url", served.tinkerUrl],
      ...["--api-key", served.key],
      ...(await tokenizerArguments()),
    ]);
    addTally(context, {
      checks: passed.length + failed.length,
      differences: failed,
      explained: [...skipped.keys()].map((name) => `${name} is skipped: ${ABSENT[name]}`),
    });
    expect(failed).toEqual([]);
    expect(Object.keys(ABSENT)).toEqual(expect.arrayContaining([...skipped.keys()]));
    expect(passed.length + skipped.size).toBeGreaterThanOrEqual(97);
  });
});
