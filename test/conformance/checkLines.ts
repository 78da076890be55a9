/** Runs the checks of a kit's program, and parses its output. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod";

const run = promisify(execFile);
const failureSchema = z.object({ stdout: z.string(), stderr: z.string() });

/** Uses no package index. */
export const KIT_ENVIRONMENT = { ...process.env, OPENREWARD_DISABLE_UPDATE_CHECK: "1" };

export interface Checks {
  readonly passed: readonly string[];
  /** With the reasons. */
  readonly failed: readonly string[];
  /** Reasons by name. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** A program that exits with 1 has failed checks, which its output names. @throws if it prints no check at all */
export async function runChecks(python: string, args: readonly string[]): Promise<Checks> {
  const options = { env: KIT_ENVIRONMENT, maxBuffer: 64 * 1024 * 1024 };
  const { stdout, stderr } = await run(python, args, options).catch((error: unknown) =>
    failureSchema.parse(error),
  );
  const checks = readChecks(stdout);
  const count = checks.passed.length + checks.failed.length + checks.skipped.size;
  if (count === 0) throw new Error(`No check was made: ${stderr || stdout}`);
  return checks;
}

function readChecks(output: string): Checks {
  const passed: string[] = [];
  const failed: string[] = [];
  const skipped = new Map<string, string>();
  for (const line of output.split("\n")) {
    const [, verdict, name = "", reason = ""] =
      /^(ok|FAIL|skip) +([^:\s]+)(?:: (.*))?/.exec(line) ?? [];
    if (verdict === "ok") passed.push(name);
    if (verdict === "FAIL") failed.push(`${name}: ${reason}`);
    if (verdict === "skip") skipped.set(name, reason);
  }
  return { passed, failed, skipped };
}
