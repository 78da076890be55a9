/** Before all checks: creates the Python environment that they share. */

import type { TestProject } from "vitest/node";
import { preparePython } from "./python.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of a Python with the official packages; null = not available, and checks that need it are skipped. */
    python: string | null;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const requirements = new URL("requirements.txt", import.meta.url);
  project.provide(
    "python",
    await preparePython({ name: "conformance", requirements, versions: "3.11 to 3.13" }),
  );
}
