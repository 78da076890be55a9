/** Checks whether an environment is suitable for training. */

import { errorMessage, isAppError } from "../errors.ts";
import { noSuchSplit } from "../openreward/faults.ts";
import { ENVIRONMENT_CHECKS } from "./checks.ts";
import type { CheckFinding, CheckOutcome, EnvironmentCheck } from "./probe/finding.ts";
import { Probe, type ProbeOptions } from "./probe/probe.ts";

export interface CheckResult extends CheckOutcome {
  readonly id: string;
  readonly rule: string;
}

export interface EnvironmentReport {
  readonly environment: string;
  /** Origin of its server. */
  readonly address: string;
  readonly seed: number;
  readonly checks: readonly CheckResult[];
  readonly seconds: number;
}

export interface EnvironmentCheckOptions extends ProbeOptions {
  /** Ids of the checks to run; all by default. */
  readonly only?: readonly string[] | undefined;
  /** Called before each check. */
  readonly onCheck?:
    | ((check: EnvironmentCheck, position: number, count: number) => void)
    | undefined;
}

/**
 * Runs the checks one after another within the probe's limits. A check that does not apply to the environment says so.
 * @throws AppError `environment-*` when the environment is unreachable, has another name or runs out of credit, `no-such-split`, and the
 * reason of `signal`
 */
export async function checkEnvironment(
  options: EnvironmentCheckOptions,
): Promise<EnvironmentReport> {
  const { remote, clock, only, onCheck, signal, seed, split } = options;
  const probe = new Probe(options);
  const sinceMs = clock.monotonic();
  const wanted = ENVIRONMENT_CHECKS.filter(({ id }) => only === undefined || only.includes(id));
  try {
    // Nothing can be checked without the splits, and the error says why.
    const splits = await probe.splits();
    const fault = split === null ? null : noSuchSplit(remote.name, split, splits);
    if (fault !== null) throw fault;
    const checks: CheckResult[] = [];
    for (const [position, check] of wanted.entries()) {
      onCheck?.(check, position, wanted.length);
      checks.push({ id: check.id, rule: check.rule, ...(await runCheck(check, probe)) });
      signal?.throwIfAborted();
      if (isAppError(probe.signal.reason, "environment-billing")) throw probe.signal.reason;
    }
    const { name: environment, address } = remote;
    return { environment, address, seed, checks, seconds: (clock.monotonic() - sinceMs) / 1000 };
  } finally {
    probe.end();
    await remote.release();
  }
}

async function runCheck(check: EnvironmentCheck, probe: Probe): Promise<CheckOutcome> {
  try {
    return await check.run(probe);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { findings: [], notMade: errorMessage(error) };
  }
}

/** All findings with the ids of their checks, most severe first. */
export function findingsOf({
  checks,
}: Pick<EnvironmentReport, "checks">): readonly (CheckFinding & { readonly check: string })[] {
  const all = checks.flatMap(({ id, findings }) =>
    findings.map((finding) => ({ ...finding, check: id })),
  );
  return (["defect", "warning", "note"] as const).flatMap((severity) =>
    all.filter((finding) => finding.severity === severity),
  );
}
