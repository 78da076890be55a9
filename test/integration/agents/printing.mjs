/** Requests one turn, shows its key, and prints its argument last; by default, a reward. */

import { completion, task } from "./program.mjs";

const { content, tool_calls: calls = [] } = await completion(task.messages);
const { TINKER_RL_KEY: key } = process.env;
const [last = '{"reward": 0.75}'] = process.argv.slice(2);
process.stderr.write(`My key is ${key}.\n`);
process.stdout.write(`${JSON.stringify({ content, calls: calls.length })}\n`);
process.stdout.write(`${last === "key" ? key : last}\n\n`);
