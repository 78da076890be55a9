/** Checks the contract: splits have tasks, sessions begin with a prompt, and models can call the tools. */

import { formatQuantity } from "../../../shared/format.ts";
import { errorMessage, isAppError } from "../../errors.ts";
import { shorten } from "../probe/answer.ts";
import { type CheckFinding, type EnvironmentCheck, found } from "../probe/finding.ts";
import { schemaFaults } from "../probe/jsonSchema.ts";
import { type PlayedTask, type Probe, taskName } from "../probe/probe.ts";

const KNOWN_TYPES: ReadonlySet<string> = new Set(["train", "validation", "test"]);

export const splits: EnvironmentCheck = {
  id: "splits",
  rule: "Each split has a name of its own, a known type and at least one task.",
  async run(probe) {
    const all = await probe.splits();
    const names = all.map(({ name }) => name);
    const { findings, report } = findingsAbout(`splits: ${names.join(", ")}`);
    if (all.length === 0)
      report("defect", "The environment has no split.", "List at least one split.");
    for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
      report("defect", `The split ${name} is listed more than once.`, "List each split once.");
    }
    const counts: string[] = [];
    for (const { name, type } of all) {
      let count: number;
      try {
        count = await probe.numTasks(name);
      } catch (error) {
        const failure = failed(probe, error, `The tasks of ${name} cannot be listed.`);
        return found(undefined, ...findings, failure);
      }
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

/** A finding for something that all other checks depend on. @throws `error` when the environment did not cause it */
function failed(probe: Probe, error: unknown, message: string, task?: string): CheckFinding {
  if (!isAppError(error) || probe.signal.aborted) throw error;
  return {
    severity: "defect",
    message,
    evidence: { task, answer: errorMessage(error) },
    advice: "Look at the log of the server. Checks that need what failed were not made.",
  };
}

/** Collects findings with the same evidence. */
function findingsAbout(numbers: string) {
  const findings: CheckFinding[] = [];
  const report = (severity: CheckFinding["severity"], message: string, advice: string): void => {
    findings.push({ severity, message, evidence: { numbers }, advice });
  };
  return { findings, report };
}

const TASKS = 3;

export const sessionStart: EnvironmentCheck = {
  id: "session-start",
  rule: "Sessions open and begin with a prompt.",
  async run(probe) {
    const tasks = [...(await probe.playedTasks(TASKS)), ...(await lastTasks(probe))];
    for (const task of tasks) {
      try {
        const { prompt } = await probe.play(task, []);
        if (prompt.trim() !== "") continue;
        return found(undefined, {
          severity: "defect",
          message: "A session begins with an empty prompt.",
          evidence: { task: taskName(task) },
          advice: "Return the question from get_prompt.",
        });
      } catch (error) {
        const message = "A session could not be opened.";
        return found(undefined, failed(probe, error, message, taskName(task)));
      }
    }
    return found(`${tasks.length} sessions opened`);
  },
};

/** The last tasks, because a task count that is too large only shows at the end. */
async function lastTasks(probe: Probe): Promise<readonly PlayedTask[]> {
  const tasks: PlayedTask[] = [];
  for (const split of await probe.filledSplits()) {
    tasks.push({ split, index: (await probe.numTasks(split)) - 1 });
  }
  return tasks;
}

/** Names that all model formats and service APIs allow. */
const CALLABLE = /^[a-zA-Z0-9_-]{1,64}$/;

export const toolNames: EnvironmentCheck = {
  id: "tool-names",
  rule: "There are tools, each with a description and a name that a model can spell.",
  async run(probe) {
    const tools = await probe.tools();
    const names = tools.map(({ name }) => name);
    const { findings, report } = findingsAbout(`tools: ${names.join(", ")}`);
    if (tools.length === 0) {
      const message = "The environment has no tool, so nothing can earn a reward.";
      report("defect", message, "Add a tool, such as one that takes the answer.");
    }
    for (const name of names.filter((each) => !CALLABLE.test(each))) {
      const message = `The tool ${JSON.stringify(name)} has a name that not every model can spell.`;
      report("defect", message, "Use 1 to 64 letters, digits, _ and -.");
    }
    for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
      report("defect", `Two tools are named ${name}.`, "Give each tool a name of its own.");
    }
    for (const { name } of tools.filter(({ description }) => description.trim() === "")) {
      const message = `The tool ${name} has no description, so a model must guess what it does.`;
      report("warning", message, "Describe it in a sentence.");
    }
    return found(names.join(", "), ...findings);
  },
};

export const toolSchemas: EnvironmentCheck = {
  id: "tool-schemas",
  rule: "The schema of each tool is valid JSON Schema of an object.",
  async run(probe) {
    const tools = await probe.tools();
    const findings = tools.flatMap(({ name, schema }) => {
      const faults = schema === null ? [] : schemaFaults(schema);
      return faults.length === 0
        ? []
        : [
            {
              severity: "defect" as const,
              message: `The schema of the tool ${name} is invalid: ${faults.join("; ")}.`,
              evidence: { numbers: shorten(JSON.stringify(schema)) },
              advice: "Correct the schema: models read it, and formats that enforce it refuse it.",
            },
          ];
    });
    return found(undefined, ...findings);
  },
};
