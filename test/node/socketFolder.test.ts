import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, stat, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeSocketFolder } from "../../src/node/socketFolder.ts";

const isWindows = process.platform === "win32";
let base = "";
const made: string[] = [];

beforeEach(() => {
  base = mkdtempSync("/tmp/socket-folder-");
  made.push(base);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder whose path has `length` characters. */
async function folderOf(length: number): Promise<string> {
  const folder = `${base}/${"t".repeat(length - base.length - 1)}`;
  await mkdir(folder);
  return folder;
}

async function make(): Promise<{ readonly folder: string; readonly address: string }> {
  const result = await makeSocketFolder("tinker-rl-run-", "control.sock");
  made.push(result.folder);
  return result;
}

it.skipIf(isWindows).each([40, 69, 70, 82, 86, 90, 96, 104, 200])(
  "returns a socket path that works in its own folder with a temporary folder of %i characters",
  async (length) => {
    const parent = await folderOf(length);
    vi.stubEnv("TMPDIR", parent);
    vi.stubEnv("XDG_RUNTIME_DIR", "");
    const { folder, address } = await make();
    expect(dirname(address)).toBe(folder);
    expect(dirname(folder)).toBe(length <= 69 ? parent : "/tmp");
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(address, resolve);
    });
    expect(server.address()).toBe(address);
    await new Promise((resolve) => server.close(resolve));
  },
);

it.skipIf(isWindows)("prefers the user's runtime folder to /tmp", async () => {
  const runtime = await folderOf(30);
  vi.stubEnv("TMPDIR", await folderOf(120));
  vi.stubEnv("XDG_RUNTIME_DIR", runtime);
  expect(dirname((await make()).folder)).toBe(runtime);
});

it.skipIf(isWindows)("uses the next location if the first is not writable", async () => {
  vi.stubEnv("TMPDIR", join(base, "missing"));
  vi.stubEnv("XDG_RUNTIME_DIR", "");
  expect(dirname((await make()).folder)).toBe("/tmp");
});

it("survives the cleanup of temporary folders unused for three days, with its content", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { folder } = await make();
  const token = join(folder, "token");
  await writeFile(token, "");
  const old = new Date("2026-01-01");
  for (const path of [token, folder]) await utimes(path, old, old);
  vi.advanceTimersByTime(24 * 3600 * 1000);
  await vi.waitFor(async () => {
    for (const path of [token, folder]) expect((await stat(path)).atime).not.toEqual(old);
  });
  rmSync(folder, { recursive: true });
  vi.advanceTimersByTime(24 * 3600 * 1000);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
});
