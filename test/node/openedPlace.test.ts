import { closeSync, fstatSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { OpenedPlace } from "../../src/node/openedPlace.ts";
import { folderOfEachTest } from "../fakes/onDisk.ts";

const parent = folderOfEachTest();

afterEach(() => {
  vi.unstubAllGlobals();
});

it("identifies an open file on Windows, whose device number differs by path", () => {
  vi.stubGlobal("process", Object.create(process, { platform: { value: "win32" } }));
  const folder = join(parent, "run");
  mkdirSync(folder);
  const place = new OpenedPlace(folder);
  const held = [join(folder, "inside"), join(parent, "outside")].map((path) => {
    writeFileSync(path, "");
    const file = openSync(path, "r");
    const info = fstatSync(file);
    info.dev += 1;
    const isHeld = place.holds(file, path, info);
    closeSync(file);
    return isHeld;
  });
  expect(held).toEqual([true, false]);
});
