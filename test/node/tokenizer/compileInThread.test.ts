import { cp, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compileInThread } from "../../../src/node/tokenizer/compileInThread.ts";
import { createModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { buildProgram } from "../../fakes/builtProgram.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";
import { QWEN3_FOLDER, qwen3Model } from "./qwen3Model.ts";

const ROOT = join(import.meta.dirname, "../../..");
const TINY_BYTES = join(ROOT, "test/fixtures/tiny-bytes");

const folder = folderOfAllTests();
const worker = join(folder, "worker.mjs");
beforeAll(() => buildProgram({ entry: "src/node/tokenizer/compileWorker.ts" }, worker));

const alone = (workerPath: string) => ({ workerPath, cacheFolder: null });

describe("a tokenizer that is compiled in a thread", () => {
  it("equals one that is compiled in the main thread", async () => {
    const compiled = await compileInThread(QWEN3_FOLDER, alone(worker));
    const { tokenizer, template } = createModelTokenizer(QWEN3_FOLDER, compiled);
    const here = qwen3Model.tokenizer;
    const text = "Zwei Zeilen,\n  ünd 1234 <|im_end|> 漢字 👍🏿";
    expect(tokenizer.encodeText(text)).toEqual(here.encodeText(text));
    expect(tokenizer.decode([9707, 151_645, 1879])).toBe("Hello<|im_end|> world");
    expect(tokenizer.vocabSize).toBe(here.vocabSize);
    expect(tokenizer.addedTokens).toEqual(here.addedTokens);
    expect(template).toEqual(qwen3Model.template);
  });

  it("is rejected with the same code and message as in the main thread", async () => {
    const loading = compileInThread(join(folder, "nothing"), alone(worker));
    await expect(loading).rejects.toMatchObject({
      code: "tokenizer-not-found",
      configPath: "tokenizer_name",
      message: expect.stringMatching(/no tokenizer\.json/),
    });
  });

  it("reports an error with what to do when the thread fails", async () => {
    const broken = join(folder, "broken.mjs");
    await writeFile(broken, "throw new Error('out of order.');");
    const silent = join(folder, "silent.mjs");
    await writeFile(silent, "");
    for (const [path, reason] of [
      [broken, /out of order\. Start again/],
      [silent, /ended with code 0\. Start again/],
    ] as const) {
      const loading = compileInThread(folder, alone(path));
      await expect(loading).rejects.toMatchObject({ code: "tokenizer-thread" });
      await expect(loading).rejects.toThrow(reason);
    }
  });

  it("is aborted with the reason of the abort", async () => {
    const stopping = new AbortController();
    const reason = new Error("stopped");
    const loading = compileInThread(QWEN3_FOLDER, { ...alone(worker), signal: stopping.signal });
    stopping.abort(reason);
    await expect(loading).rejects.toBe(reason);
    await expect(
      compileInThread(QWEN3_FOLDER, { ...alone(worker), signal: stopping.signal }),
    ).rejects.toBe(reason);
  });
});

describe("a cached tokenizer", () => {
  const LONG_AGO = 1_000_000_000;
  const broken = "throw new Error('must not be asked again');";
  let home = "";
  let program = "";
  let tokenizer = "";
  beforeEach(async () => {
    home = await mkdtemp(join(folder, "home-"));
    program = join(home, "worker.mjs");
    tokenizer = join(home, "tokenizer");
    await cp(worker, program);
    await utimes(program, LONG_AGO, LONG_AGO);
    await cp(TINY_BYTES, tokenizer, { recursive: true });
  });
  const load = async () =>
    createModelTokenizer(
      tokenizer,
      await compileInThread(tokenizer, { workerPath: program, cacheFolder: join(home, "cache") }),
    );
  it("is used from the cache, with the same warnings", async () => {
    const first = await load();
    const size = (await stat(program)).size;
    await writeFile(program, broken.padEnd(size));
    await utimes(program, LONG_AGO, LONG_AGO);
    const again = await load();
    expect(again.tokenizer.encodeText("é\n")).toEqual(first.tokenizer.encodeText("é\n"));
    expect(again.tokenizer.decode([0xc3, 0xa9, 258])).toBe("é<|im_end|>");
    expect(again.template).toEqual(first.template);
  });

  it("is compiled again when one of its files or the program changes", async () => {
    await load();
    const template = join(tokenizer, "chat_template.jinja");
    await writeFile(template, "another one");
    expect((await load()).template?.source).toBe("another one");
    await writeFile(program, broken);
    await expect(load()).rejects.toMatchObject({ code: "tokenizer-thread" });
  });

  it("is compiled again when the cache is damaged", async () => {
    const first = await load();
    const [name = ""] = await readdir(join(home, "cache/compiled"));
    await writeFile(join(home, "cache/compiled", name), "no longer whole");
    expect((await load()).tokenizer.vocabSize).toBe(first.tokenizer.vocabSize);
  });

  it("replaces the oldest cached ones", async () => {
    const cache = join(home, "cache/compiled");
    await load();
    const [name = ""] = await readdir(cache);
    await rm(join(cache, name));
    for (let at = 0; at < 10; at += 1) {
      const old = join(cache, `${at}.bin`);
      await writeFile(old, "old");
      await utimes(old, LONG_AGO + at, LONG_AGO + at);
    }
    await load();
    expect((await readdir(cache)).sort()).toEqual(
      [name, ...[3, 4, 5, 6, 7, 8, 9].map((at) => `${at}.bin`)].sort(),
    );
  });
});
