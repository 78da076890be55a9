import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it } from "vitest";
import { renderAside } from "../../../src/core/chat/tokenizer.ts";
import { compileModel } from "../../../src/node/tokenizer/compiledModel.ts";
import { EncodeThread } from "../../../src/node/tokenizer/encodeThread.ts";
import { createLongTextEncoder } from "../../../src/node/tokenizer/longTexts.ts";
import { createModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { buildProgram } from "../../fakes/builtProgram.ts";
import { folderOfAllTests } from "../../fakes/onDisk.ts";

const ROOT = join(import.meta.dirname, "../../..");
const TINY_BYTES = join(ROOT, "test/fixtures/tiny-bytes");
const LONG = "A long text, ünd so on <|im_end|> 漢字\n".repeat(8_000);

const folder = folderOfAllTests();
const worker = join(folder, "worker.mjs");
beforeAll(() => buildProgram({ entry: "src/node/tokenizer/encodeWorker.ts" }, worker));

async function tokenizerWith(workerPath: string) {
  return createModelTokenizer(TINY_BYTES, await compileModel(TINY_BYTES), workerPath).tokenizer;
}

/** Turns of the event loop while a promise is pending. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  await work;
  clearInterval(timer);
  return turns;
}

describe("a long text", () => {
  it("is encoded in a thread with the same ids, while the process continues", async () => {
    const tokenizer = await tokenizerWith(worker);
    const expected = tokenizer.encodeText(LONG);
    const { tokenizer: compiled } = await compileModel(TINY_BYTES);
    expect(await new EncodeThread(worker, compiled).encode(LONG)).toEqual(expected);
    expect(expected).toHaveLength(Buffer.byteLength(LONG));
    let ids: readonly number[] = [];
    const rendering = renderAside(tokenizer, () => {
      ids = [...tokenizer.encodeText("short"), ...tokenizer.encodeText(LONG)];
    });
    expect(await turnsDuring(rendering)).toBeGreaterThan(1);
    expect(ids).toEqual([...tokenizer.encodeText("short"), ...expected]);
    const again = await Promise.all(
      [LONG, `${LONG}!`, LONG].map((text) =>
        renderAside(tokenizer, () => tokenizer.encodeText(text).length),
      ),
    );
    expect(again).toEqual([expected.length, expected.length + 1, expected.length]);
  });

  it("lets its thread end after a while, and starts another for the next text", async () => {
    const ended: Promise<unknown>[] = [];
    const note = (thread: Worker): void => void ended.push(once(thread, "exit"));
    process.on("worker", note);
    const { tokenizer: compiled } = await compileModel(TINY_BYTES);
    const thread = new EncodeThread(worker, compiled, 1);
    const first = await thread.encode("text");
    await ended[0];
    expect(await thread.encode("text")).toEqual(first);
    process.off("worker", note);
    expect(ended).toHaveLength(2);
  });

  it("is encoded in the main thread when the thread fails", async () => {
    const broken = join(folder, "broken.mjs");
    await writeFile(broken, "throw new Error('out of order');");
    const { tokenizer: compiled } = await compileModel(TINY_BYTES);
    await expect(new EncodeThread(broken, compiled).encode("text")).rejects.toMatchObject({
      code: "tokenizer-thread",
      message: expect.stringContaining("out of order"),
    });
    const tokenizer = await tokenizerWith(broken);
    const expected = tokenizer.encodeText(LONG);
    const rendering = renderAside(tokenizer, () => tokenizer.encodeText(LONG));
    expect(await rendering).toEqual(expected);
  });

  it("is encoded once per rendering, and errors belong to their rendering", async () => {
    const asked: string[] = [];
    const here: string[] = [];
    const { encodeText, whileEncoding } = createLongTextEncoder(
      (text) => {
        here.push(text);
        return [text.length];
      },
      async (text) => {
        asked.push(text);
        return [text.length];
      },
    );
    const texts = ["a".repeat(20_000), "b", "c".repeat(30_000)];
    const lengths = await whileEncoding(() => [...texts, ...texts].flatMap(encodeText));
    expect(lengths).toEqual([20_000, 1, 30_000, 20_000, 1, 30_000]);
    expect(asked).toEqual([texts[0], texts[2]]);
    expect(new Set(here)).toEqual(new Set(["b"]));
    const failing = whileEncoding(() => {
      throw new RangeError("no such thing");
    });
    await expect(failing).rejects.toThrow(RangeError);
    // Outside a rendering nothing could wait.
    expect(encodeText(texts[0] ?? "")).toEqual([20_000]);
    let count = 0;
    const endless = whileEncoding(() => {
      count += 1;
      return encodeText(`${count}`.padStart(20_000));
    });
    expect(await endless).toEqual([20_000]);
  });
});
