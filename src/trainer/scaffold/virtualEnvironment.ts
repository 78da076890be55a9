/** The commands that create a Python environment's virtual environment. They run without a shell. */

import { spawn } from "node:child_process";
import * as l10n from "@vscode/l10n";
import type { ProgramWords, PythonProject } from "../../api/environments.ts";
import { AppError } from "../../core/errors.ts";
import { shellCommands } from "../../shared/shellWords.ts";

const OLDEST = "3.11";
const IS_NEW_ENOUGH = `import sys; sys.exit(sys.version_info < (${OLDEST.replace(".", ", ")}))`;
const isWindows = process.platform === "win32";
const PYTHON: ProgramWords = [isWindows ? "python" : "python3"];
/** On Windows, the python.org installer only puts `py` on the path. */
const PYTHONS: readonly ProgramWords[] = [
  PYTHON,
  ...["python3.14", "python3.13", "python3.12", "python3.11"].map((name) => [name] as const),
  ["py", "-3"],
];

/** The Python of the virtual environment in `folder`, with forward slashes. */
export function venvPython(folder: string): string {
  return `${folder}/.venv/${isWindows ? "Scripts/python.exe" : "bin/python"}`;
}

/**
 * The commands to run in sequence in the configuration's folder: with uv if it is installed, else with the venv module of a recent
 * Python.
 * @throws AppError `python-missing`
 */
export async function virtualEnvironmentSteps(
  project: PythonProject,
  succeeds: (words: ProgramWords) => Promise<boolean> = succeedsQuietly,
): Promise<readonly ProgramWords[]> {
  const { folder, python, requirements } = project;
  if (await succeeds(["uv", "--version"])) {
    return [
      ["uv", "venv", "--python", `>=${OLDEST}`, `${folder}/.venv`],
      ["uv", "pip", "install", "--python", python, ...requirements],
    ];
  }
  for (const found of PYTHONS) {
    if (await succeeds([...found, "-c", IS_NEW_ENOUGH])) return stepsWithVenv(project, found);
  }
  throw new AppError(
    "python-missing",
    l10n.t("There is neither uv nor Python {0} or newer on this computer.", OLDEST),
  );
}

/** The steps, without checking what is installed. */
export function stepsWithVenv(
  { folder, python, requirements }: PythonProject,
  program = PYTHON,
): readonly ProgramWords[] {
  return [
    [...program, "-m", "venv", `${folder}/.venv`],
    [python, "-m", "pip", "install", "-q", ...requirements],
  ];
}

/** Runs the steps, sharing this process's output. @throws AppError `virtual-environment` naming the failed step */
export async function makeVirtualEnvironment(
  steps: readonly ProgramWords[],
  cwd: string,
  onStep: (words: ProgramWords) => void,
): Promise<void> {
  for (const [index, words] of steps.entries()) {
    onStep(words);
    const fault = await run(words, { cwd, stdio: ["ignore", "inherit", "inherit"] });
    if (fault !== null) throw stepFailed(steps.slice(index), fault);
  }
}

function stepFailed(left: readonly ProgramWords[], fault: string): AppError {
  return new AppError(
    "virtual-environment",
    l10n.t(
      "The virtual environment is not complete: {0} failed, {1}. The files of the environment are there. Run by hand: {2}",
      left[0]?.[0] ?? "",
      fault,
      shellCommands(left, isWindows),
    ),
  );
}

async function succeedsQuietly(words: ProgramWords): Promise<boolean> {
  return (await run(words, { stdio: "ignore" })) === null;
}

/** Resolves with the failure, or null. */
function run(
  [program, ...args]: ProgramWords,
  options: Pick<NonNullable<Parameters<typeof spawn>[2]>, "cwd" | "stdio">,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, windowsHide: true });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => {
      resolve(code === 0 ? null : l10n.t("it ended with {0}", signal ?? `code ${code}`));
    });
  });
}
