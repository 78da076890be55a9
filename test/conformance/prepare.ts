/** Before all checks: makes the Python that they share. */

import type { TestProject } from "vitest/node";
import { preparePython } from "./python.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of a Python with the official packages; null = there is none, and what needs it is skipped. */
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
