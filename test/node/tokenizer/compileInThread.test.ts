import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileInThread } from "../../../src/node/tokenizer/compileInThread.ts";
import { createModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { QWEN3_FOLDER, qwen3Model } from "./qwen3Model.ts";

const ROOT = join(import.meta.dirname, "../../..");

let folder = "";
let worker = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "thread-"));
  worker = join(folder, "worker.mjs");
  await build({
    entryPoints: [join(ROOT, "src/node/tokenizer/compileWorker.ts")],
    ...{ bundle: true, platform: "node", target: "node20", format: "esm", outfile: worker },
  });
});
afterAll(() => rm(folder, { recursive: true }));

describe("a tokenizer that is read in a thread", () => {
  it("is the same as one that is read here", async () => {
    const compiled = await compileInThread(worker, QWEN3_FOLDER);
    const { tokenizer, template } = createModelTokenizer(QWEN3_FOLDER, compiled);
    const here = qwen3Model.tokenizer;
    const text = "Zwei Zeilen,\n  ünd 1234 <|im_end|> 漢字 👍🏿";
    expect(tokenizer.encodeText(text)).toEqual(here.encodeText(text));
    expect(tokenizer.decode([9707, 151_645, 1879])).toBe("Hello<|im_end|> world");
    expect(tokenizer.vocabSize).toBe(here.vocabSize);
    expect(tokenizer.addedTokens).toEqual(here.addedTokens);
    expect(template).toEqual(qwen3Model.template);
  });

  it("is refused with the code and the message that it has here", async () => {
    const loading = compileInThread(worker, join(folder, "nothing"));
    await expect(loading).rejects.toMatchObject({
      code: "tokenizer-not-found",
      configPath: "tokenizer_name",
      message: expect.stringMatching(/no tokenizer\.json/),
    });
  });

  it("ends in an error that says what to do when the thread fails", async () => {
    const broken = join(folder, "broken.mjs");
    await writeFile(broken, "throw new Error('out of order.');");
    const silent = join(folder, "silent.mjs");
    await writeFile(silent, "");
    for (const [path, reason] of [
      [broken, /out of order\. Start again/],
      [silent, /ended with code 0\. Start again/],
    ] as const) {
      const loading = compileInThread(path, folder);
      await expect(loading).rejects.toMatchObject({ code: "tokenizer-thread" });
      await expect(loading).rejects.toThrow(reason);
    }
  });

  it("is given up with the reason of the abort", async () => {
    const stopping = new AbortController();
    const reason = new Error("stopped");
    const loading = compileInThread(worker, QWEN3_FOLDER, stopping.signal);
    stopping.abort(reason);
    await expect(loading).rejects.toBe(reason);
    await expect(compileInThread(worker, QWEN3_FOLDER, stopping.signal)).rejects.toBe(reason);
  });
});
