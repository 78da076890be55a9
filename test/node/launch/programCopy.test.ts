import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { copiedProgram, removeOldCopies } from "../../../src/node/launch/programCopy.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

vi.mock("node:fs/promises", async (original) => {
  const module = await original<typeof import("node:fs/promises")>();
  return { ...module, rename: vi.fn(module.rename) };
});

const folder = folderOfEachTest();
const program = join(folder, "program");
const store = join(folder, "store");
beforeEach(() => {
  mkdirSync(join(program, "model"), { recursive: true });
  writeFileSync(join(program, "main.js"), "one");
  writeFileSync(join(program, "main.js.map"), "map");
  writeFileSync(join(program, "model", "weights"), "w");
});

it("is made once per program content, without source maps", async () => {
  const copies = await Promise.all([copiedProgram(program, store), copiedProgram(program, store)]);
  expect(new Set(copies).size).toBe(1);
  const [copy] = copies;
  expect(readFileSync(join(copy, "model", "weights"), "utf8")).toBe("w");
  expect(existsSync(join(copy, "main.js.map"))).toBe(false);
});

it("does not change when the program changes, which gets a new copy", async () => {
  const first = await copiedProgram(program, store);
  writeFileSync(join(program, "main.js"), "two");
  const second = await copiedProgram(program, store);
  expect(second).not.toBe(first);
  expect(readFileSync(join(first, "main.js"), "utf8")).toBe("one");
});

afterEach(() => {
  vi.unstubAllGlobals();
});

function makeOld(...copies: readonly string[]): void {
  for (const copy of copies) utimesSync(copy, 0, 0);
}

it("is deleted when no run uses it anymore", async () => {
  const first = await copiedProgram(program, store);
  writeFileSync(join(program, "main.js"), "two");
  const second = await copiedProgram(program, store);
  makeOld(first, second);
  await removeOldCopies(store, new Set([second]));
  expect([existsSync(first), existsSync(second)]).toEqual([false, true]);
});

it("is not deleted while another window starts a run from it", async () => {
  const halfMade = join(store, ".half-made");
  mkdirSync(halfMade, { recursive: true });
  const chosen = await copiedProgram(program, store);
  makeOld(chosen);
  await copiedProgram(program, store);
  await removeOldCopies(store, new Set());
  expect([existsSync(halfMade), existsSync(chosen)]).toEqual([true, true]);
  makeOld(halfMade, chosen);
  await removeOldCopies(store, new Set());
  expect([existsSync(halfMade), existsSync(chosen)]).toEqual([false, false]);
});

it("is made although a virus scanner locks it on Windows for a moment", async () => {
  vi.stubGlobal("process", Object.create(process, { platform: { value: "win32" } }));
  vi.mocked(rename).mockRejectedValueOnce(Object.assign(new Error("held"), { code: "EPERM" }));
  const copy = await copiedProgram(program, store);
  expect(readdirSync(store)).toEqual([basename(copy)]);
});

it("leaves no extra files if another window was faster", async () => {
  const quicker = await copiedProgram(program, join(folder, "of-another-window"));
  vi.mocked(rename).mockImplementationOnce(async (_, target) => {
    cpSync(quicker, String(target), { recursive: true });
    throw Object.assign(new Error("there"), { code: "EPERM" });
  });
  const copy = await copiedProgram(program, store);
  expect(readdirSync(store)).toEqual([basename(copy)]);
});
