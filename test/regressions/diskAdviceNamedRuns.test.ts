import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";

const disk = vi.hoisted(() => ({ code: "ENOSPC" }));
vi.mock("../../src/node/makeFolders.ts", () => ({
  makeFolders: async () => {
    throw Object.assign(new Error("no space"), { code: disk.code });
  },
}));
const { createFileSystem } = await import("../../src/node/fileSystem.ts");

it.each(["ENOSPC", "EDQUOT"])(
  "%s is advised upon for whoever writes: a download has no run that could be resumed",
  async (code) => {
    disk.code = code;
    const folder = await mkdtemp(join(tmpdir(), "disk-"));
    const files = createFileSystem();
    try {
      const failure = files.makeDirectory(join(folder, "weights"));
      await expect(failure).rejects.toMatchObject({
        code: "disk",
        message: expect.stringMatching(/free some space, then try again/),
      });
    } finally {
      await files.close();
      await rm(folder, { recursive: true });
    }
  },
);
