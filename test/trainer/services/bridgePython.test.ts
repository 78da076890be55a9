import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bridgePython } from "../../../src/trainer/services/bridgePython.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();

describe("the Python of a bridge", () => {
  it("is the configured one, relative to its folder if it is a path", () => {
    expect(bridgePython("envs/bin/python", folder)).toBe(join(folder, "envs", "bin", "python"));
    expect(bridgePython("python3.12", folder)).toBe("python3.12");
  });

  it("is that of the virtual environment next to the configuration, or the one on the path", async () => {
    expect(bridgePython(null, folder)).toMatch(/^python3?$/);
    const bin = join(folder, ".venv", process.platform === "win32" ? "Scripts" : "bin");
    const python = join(bin, process.platform === "win32" ? "python.exe" : "python");
    await mkdir(bin, { recursive: true });
    await writeFile(python, "");
    expect(bridgePython(null, folder)).toBe(python);
  });
});
