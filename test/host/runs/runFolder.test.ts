import { expect, it } from "vitest";
import { runFolder } from "../../../src/host/runs/runFolder.ts";

it.each([
  "c:\\work\\.tinker-rl\\runs/demo",
  "C:\\work\\.tinker-rl\\runs\\demo",
  "C:/work/.tinker-rl/runs/demo/",
])("knows the folder %s on Windows as the editor spells it", (folder) => {
  expect(runFolder(folder, "win32")).toBe("c:\\work\\.tinker-rl\\runs\\demo");
});

it("leaves names alone elsewhere, also odd ones", () => {
  expect(runFolder("/work/runs/C:\\odd", "linux")).toBe("/work/runs/C:\\odd");
  expect(runFolder("/work/runs/demo/", "linux")).toBe("/work/runs/demo");
});
