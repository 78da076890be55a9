/** Prints, after all checks, what our implementation was compared with. */

import type { Reporter, TestCase, TestModule } from "vitest/node";
import { PEERS, type Peer, peerOf } from "./peers.ts";

/** One line of the table; a peer without checks was not run. */
interface Outcome {
  readonly peer: Pick<Peer, "name" | "version">;
  readonly checks: number;
  readonly differences: readonly string[];
  readonly explained: readonly string[];
}

export class ConformanceTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const outcomes = PEERS.map((peer) => outcomeOf(peer, modules, tests));
    const strangers = tests.filter((test) => peerOfTest(test) === undefined);
    const lines = [...tableLines(outcomes), ...strangerLines(strangers)];
    process.stdout.write(`\n${lines.join("\n")}\n`);
  }
}

function peerOfTest(test: TestCase): Peer | undefined {
  return peerOf(test.module.moduleId, test.fullName);
}

function outcomeOf(
  peer: Peer,
  modules: readonly TestModule[],
  tests: readonly TestCase[],
): Outcome {
  const all = tests.filter((test) => peerOfTest(test) === peer);
  const run = all.filter((test) => test.result().state !== "skipped");
  const skipped = run.length === 0 ? [] : all.filter((test) => !run.includes(test));
  const tallies = run.map((test) => test.meta().tally);
  const broken = modules
    .filter(({ moduleId }) => moduleId.includes(`/test/${peer.file}`))
    .flatMap((module) => [module, ...module.children.allSuites()])
    .flatMap((part) => part.errors().map(({ message }) => message));
  return {
    peer: { ...peer, version: tallies.find((tally) => tally?.version)?.version ?? peer.version },
    checks: tallies.reduce((sum, tally) => sum + (tally?.checks ?? 1), 0),
    differences: [...run.flatMap(differencesOf), ...broken],
    explained: [
      ...new Set(tallies.flatMap((tally) => tally?.explained ?? [])),
      ...skipped.map(({ name }) => `skipped, as this peer does not have it: ${name}`),
    ],
  };
}

/** A failed test without reported differences counts as one. */
function differencesOf(test: TestCase): readonly string[] {
  const reported = test.meta().tally?.differences ?? [];
  return reported.length === 0 && test.result().state === "failed" ? [test.fullName] : reported;
}

/** The table, then each difference and each explanation below the number of its line. */
function tableLines(outcomes: readonly Outcome[]): readonly string[] {
  const rows = outcomes.map(({ peer, checks, differences, explained }, index) => {
    const isNoted = differences.length + explained.length > 0;
    const count = checks === 0 && differences.length === 0 ? "not run" : `${differences.length}`;
    const mark = isNoted ? ` (${index + 1})` : "";
    return [peer.name, peer.version, `${checks}`, `${count}${mark}`];
  });
  const notes = outcomes.flatMap(({ differences, explained }, index) => [
    ...differences.map((difference) => `(${index + 1}) DIFFERENCE ${difference}`),
    ...explained.map((sentence) => `(${index + 1}) ${sentence}`),
  ]);
  return [...aligned([["peer", "version", "checks", "differences"], ...rows]), ...notes];
}

function strangerLines(strangers: readonly TestCase[]): readonly string[] {
  const files = new Set(strangers.map(({ module }) => module.relativeModuleId));
  return [...files].map((file) => `No row for ${file}: add one to peers.ts.`);
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
