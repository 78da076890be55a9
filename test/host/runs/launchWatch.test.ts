import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchLaunch } from "../../../src/host/runs/launchWatch.ts";
import { readLaunch } from "../../../src/node/launch/launchStore.ts";
import { PlantedHome } from "../../fakes/plantedHome.ts";

let planted: PlantedHome;
beforeEach(async () => {
  planted = await PlantedHome.make();
});
afterEach(async () => {
  expect(await planted.isUntouched()).toBe(true);
  await planted.remove();
});

const REQUEST = { configPath: "/p/run.yaml", title: "t", resume: null, overrides: [], program: "" };
const FORGED = {
  schemaVersion: 1,
  pid: 1,
  control: null,
  folder: null,
  exitCode: 2,
  error: { code: "key-missing", message: "Paste it here.", name: "TINKER_API_KEY" },
};

it("ignores launch records that are links, and asks for no key", async () => {
  const launch = join(planted.root, "launches", "1700000000000-0123abcd");
  const elsewhere = join(planted.root, "project");
  await mkdir(launch, { recursive: true });
  await writeFile(join(launch, "request.json"), JSON.stringify({ ...REQUEST, pid: null }));
  await writeFile(join(elsewhere, "launch.json"), JSON.stringify(FORGED));
  await writeFile(join(elsewhere, "output.log"), "an output from elsewhere");
  await symlink(join(elsewhere, "launch.json"), join(launch, "launch.json"));
  await symlink(join(elsewhere, "output.log"), join(launch, "output.log"));
  const onOutput = vi.fn();
  const end = await watchLaunch(launch, { onOutput, onFolder: () => undefined });
  expect(end).toEqual({ exitCode: null, error: null, folder: null });
  expect(onOutput).not.toHaveBeenCalled();
  const linked = join(planted.root, "launches", "1700000000001-0123abcd");
  await symlink(launch, linked);
  expect(await readLaunch(linked)).toBeNull();
});
