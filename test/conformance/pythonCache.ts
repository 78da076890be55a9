/** Where the suites' Pythons keep what they compiled. */

import { fileURLToPath } from "node:url";

/**
 * Variables of Python. Its packages take twice as long to import if each process compiles them, and nothing is written next to
 * programs of others.
 */
export const PYTHON_CACHE = {
  PYTHONDONTWRITEBYTECODE: "",
  PYTHONPYCACHEPREFIX: fileURLToPath(new URL("../../.venv/compiled", import.meta.url)),
};
