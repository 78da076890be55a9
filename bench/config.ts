/** Times the checks that an editor requests on every typing pause, for a configuration of 500 lines. */

import { complete } from "../src/core/config/editing/completion/complete.ts";
import { diagnose } from "../src/core/config/editing/diagnostics/diagnose.ts";
import { hover } from "../src/core/config/editing/display/hover.ts";
import { parseConfig } from "../src/core/config/parse.ts";
import { medianSeconds, print } from "./measure.ts";

const LINES = 500;
const OPTIONS = { path: "tinker-config.yaml" };

/** A valid configuration with enough environments for the given length. */
function textOf(lines: number): string {
  const head = ["model_name: Qwen/Qwen3-8B", "batch_size: 32", "num_epochs: 1", "environments:"];
  const environment = (index: number): readonly string[] => [
    `  Owner/Game${index}: # number ${index}`,
    "    splits:",
    "      train: { shuffle: false, num_samples: 100 }",
    "    num_rollouts: 16",
    "    max_failing_rollouts: 2",
    "    nonterminal_reward: 0",
    "    min_reward: 0",
    "    max_reward: 2",
    "    max_turns: 20",
  ];
  const count = Math.ceil((lines - head.length) / environment(0).length);
  const all = [...head, ...Array.from({ length: count }, (_, index) => environment(index)).flat()];
  return `${all.slice(0, head.length + count * environment(0).length).join("\n")}\n`;
}

/** Unmeasured rounds, because an editor asks many times. */
const WARM_UP = 20;

function report(name: string, action: () => void): void {
  for (let round = 0; round < WARM_UP; round++) action();
  print({ name, value: medianSeconds(action) * 1000, unit: "ms of CPU" });
}

const text = textOf(LINES);
const middle = text.indexOf("max_turns", text.length / 2);
console.log(`${text.split("\n").length - 1} lines, ${text.length} characters; budget 30 ms`);
report("parse and validate (program)", () => parseConfig(text, OPTIONS));
report("all marks (editor)", () => diagnose(text, OPTIONS));
report("completion", () => complete(text, middle + 3, OPTIONS));
report("hover", () => hover(text, middle + 3, OPTIONS));
