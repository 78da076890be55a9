/** Each split is named once and has tasks. */

import { formatQuantity } from "../../../shared/format.ts";
import { type CheckFinding, type EnvironmentCheck, found } from "../probe/finding.ts";

const KNOWN_TYPES: ReadonlySet<string> = new Set(["train", "validation", "test"]);

export const splits: EnvironmentCheck = {
  id: "splits",
  rule: "Each split has a name of its own, a known type and at least one task.",
  async run(probe) {
    const all = await probe.splits();
    const names = all.map(({ name }) => name);
    const findings: CheckFinding[] = [];
    const report = (severity: CheckFinding["severity"], message: string, advice: string): void => {
      findings.push({
        severity,
        message,
        evidence: { numbers: `splits: ${names.join(", ")}` },
        advice,
      });
    };
    if (all.length === 0)
      report("defect", "The environment has no split.", "List at least one split.");
    for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
      report("defect", `The split ${name} is listed more than once.`, "List each split once.");
    }
    const counts: string[] = [];
    for (const { name, type } of all) {
      const count = await probe.numTasks(name);
      counts.push(`${name} ${formatQuantity(count, "task")}`);
      if (count === 0) {
        report(
          "defect",
          `The split ${name} has no tasks.`,
          `Add tasks to ${name}, or remove the split.`,
        );
      }
      if (!KNOWN_TYPES.has(type)) {
        report(
          "warning",
          `The split ${name} has the unknown type ${JSON.stringify(type)}.`,
          "Use train, validation or test.",
        );
      }
    }
    return found(counts.join(", "), ...findings);
  },
};
