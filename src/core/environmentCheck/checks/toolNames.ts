/** Tools can be called by a model. */

import { type CheckFinding, type EnvironmentCheck, found } from "../probe/finding.ts";

/** What the formats of models and the interfaces of services can spell. */
const CALLABLE = /^[a-zA-Z0-9_-]{1,64}$/;

export const toolNames: EnvironmentCheck = {
  id: "tool-names",
  rule: "There are tools, each with a description and a name that a model can spell.",
  async run(probe) {
    const tools = await probe.tools();
    const names = tools.map(({ name }) => name);
    const findings: CheckFinding[] = [];
    const report = (severity: CheckFinding["severity"], message: string, advice: string): void => {
      findings.push({
        severity,
        message,
        evidence: { numbers: `tools: ${names.join(", ")}` },
        advice,
      });
    };
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
