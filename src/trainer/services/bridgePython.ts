/** Finds the Python that has a bridge's library installed. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Within a virtual environment, by platform. */
const IN_VENV = [join(".venv", "bin", "python"), join(".venv", "Scripts", "python.exe")];

/** The configured `python`, else that of `.venv` in the configuration's folder, else the one on the path. */
export function bridgePython(python: string | null, folder: string): string {
  if (python !== null) return /[\\/]/.test(python) ? resolve(folder, python) : python;
  const own = IN_VENV.map((path) => join(folder, path)).find((path) => existsSync(path));
  return own ?? (process.platform === "win32" ? "python" : "python3");
}
