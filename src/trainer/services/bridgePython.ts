/** Finds the Python in which the library of a bridge is installed. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Of a virtual environment, on each kind of system. */
const IN_VENV = [join(".venv", "bin", "python"), join(".venv", "Scripts", "python.exe")];

/** `python` as the configuration names it, else that of `.venv` in the folder of the configuration, else the one on the path. */
export function bridgePython(python: string | null, folder: string): string {
  if (python !== null) return /[\\/]/.test(python) ? resolve(folder, python) : python;
  const own = IN_VENV.map((path) => join(folder, path)).find((path) => existsSync(path));
  return own ?? (process.platform === "win32" ? "python" : "python3");
}
