import { expect, it } from "vitest";
import { runFolder } from "../../src/node/runFolder.ts";

it.each([
  "c:\\projects\\.tinker-rl\\runs/demo",
  "C:\\projects\\.tinker-rl\\runs\\demo",
  "C:/projects/.tinker-rl/runs/demo/",
])("spells the folder %s on Windows like the editor", (folder) => {
  expect(runFolder(folder, "win32")).toBe("c:\\projects\\.tinker-rl\\runs\\demo");
});

it("leaves names unchanged elsewhere, even odd ones", () => {
  expect(runFolder("/projects/runs/C:\\odd", "linux")).toBe("/projects/runs/C:\\odd");
  expect(runFolder("/projects/runs/demo/", "linux")).toBe("/projects/runs/demo");
});
