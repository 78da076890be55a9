import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bridgePython } from "../../../src/trainer/services/bridgePython.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tinker-rl-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("the Python of a bridge", () => {
  it("is the one that the configuration names, from its folder where it is a path", () => {
    expect(bridgePython("envs/bin/python", folder)).toBe(join(folder, "envs", "bin", "python"));
    expect(bridgePython("python3.12", folder)).toBe("python3.12");
  });

  it("is that of the virtual environment beside the configuration, or the one on the path", async () => {
    expect(bridgePython(null, folder)).toMatch(/^python3?$/);
    const bin = join(folder, ".venv", process.platform === "win32" ? "Scripts" : "bin");
    const python = join(bin, process.platform === "win32" ? "python.exe" : "python");
    await mkdir(bin, { recursive: true });
    await writeFile(python, "");
    expect(bridgePython(null, folder)).toBe(python);
  });
});
