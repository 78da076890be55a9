import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { ProgramWords } from "../../../src/api/environments.ts";
import {
  ENVIRONMENT_TEMPLATES,
  requirementsIn,
} from "../../../src/core/scaffold/environmentTemplates.ts";
import { shellWords } from "../../../src/shared/shellWords.ts";
import {
  makeVirtualEnvironment,
  stepsWithVenv,
  venvPython,
  virtualEnvironmentSteps,
} from "../../../src/trainer/scaffold/virtualEnvironment.ts";

vi.mock("node:child_process", async (original) => {
  const module = await original<typeof import("node:child_process")>();
  return { ...module, spawn: vi.fn(module.spawn) };
});

const folder = "environments/demo";
const project = { folder, python: venvPython(folder), requirements: ["openreward>=0.1,<0.2"] };

/** A system on which only these commands succeed. */
const succeeding =
  (...commands: readonly string[]) =>
  async ([program, first]: ProgramWords): Promise<boolean> =>
    commands.includes(`${program} ${first}`);

test("uv creates the environment if it is installed", async () => {
  expect(await virtualEnvironmentSteps(project, succeeding("uv --version", "python3 -c"))).toEqual([
    ["uv", "venv", "--python", ">=3.11", "environments/demo/.venv"],
    ["uv", "pip", "install", "--python", project.python, "openreward>=0.1,<0.2"],
  ]);
});

test("without uv, the first Python that is new enough creates it", async () => {
  expect(await virtualEnvironmentSteps(project, succeeding("python3.12 -c"))).toEqual(
    stepsWithVenv(project, ["python3.12"]),
  );
});

test("the Windows launcher creates it if nothing else is on the path", async () => {
  const [venv] = await virtualEnvironmentSteps(project, succeeding("py -3"));
  expect(venv).toEqual(["py", "-3", "-m", "venv", "environments/demo/.venv"]);
});

test("a computer without uv and without a recent Python gets a clear error", async () => {
  await expect(virtualEnvironmentSteps(project, succeeding())).rejects.toMatchObject({
    code: "python-missing",
    message: "There is neither uv nor Python 3.11 or newer on this computer.",
  });
});

test("a failed step ends the work, and the error lists the remaining commands", async () => {
  const begun: string[] = [];
  const steps: ProgramWords[] = [
    [process.execPath, "-e", "0"],
    [process.execPath, "-e", "process.exit(3)"],
    ["pip", "a>1"],
  ];
  const work = makeVirtualEnvironment(steps, ".", (words) => begun.push(shellWords(words)));
  await expect(work).rejects.toMatchObject({
    code: "virtual-environment",
    message: expect.stringContaining(
      `failed, it ended with code 3. The files of the environment are there. Run by hand: ${process.execPath} -e "process.exit(3)" && pip "a>1"`,
    ),
  });
  expect(begun).toHaveLength(2);
});

test("a missing program is reported with a clear message", async () => {
  await expect(
    makeVirtualEnvironment([["no-such-program-here"]], ".", () => undefined),
  ).rejects.toMatchObject({ code: "virtual-environment" });
});

test("installed programs are detected without a window on Windows", async () => {
  await virtualEnvironmentSteps(project).catch(() => undefined);
  expect(vi.mocked(spawn).mock.lastCall?.[2]).toMatchObject({ windowsHide: true });
});

test("every template pins openreward and pytest to a range", () => {
  const templates = new URL("../../../src/trainer/scaffold/templates/", import.meta.url);
  for (const { kind } of ENVIRONMENT_TEMPLATES) {
    const text = readFileSync(new URL(`${kind}/pyproject.toml`, templates), "utf8");
    expect(requirementsIn(text)).toEqual(
      expect.arrayContaining(["openreward>=0.1.167,<0.2", "pytest>=8,<10"]),
    );
  }
});
