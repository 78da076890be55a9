/** Computes a reward from the agent's files, its output, and its task. */

import { readFileSync } from "node:fs";

const output = readFileSync(process.env.TINKER_RL_OUTPUT, "utf8");
const { index } = JSON.parse(readFileSync(process.env.TINKER_RL_TASK, "utf8"));
const isShown = output.includes('"calls":1');
process.stdout.write(`graded task ${index}\n${isShown ? 0.5 : 0.25}\n`);
