/** Tries keys that it may not use before it plays like the built-in loop: other rollouts' keys, expired keys, wrong keys. */

import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { post, task } from "./program.mjs";

const { TINKER_RL_KEY: key, OPENAI_BASE_URL: url, TINKER_RL_MCP_URL: mcp } = process.env;
const folder = process.argv[2];
const name = `${task.index}-${process.pid}.json`;
writeFileSync(join(folder, `.${name}`), JSON.stringify({ key, url, mcp }));
renameSync(join(folder, `.${name}`), join(folder, name));

/** Rollouts per step. */
const STEP = 8;
const statuses = [];
async function intrude(at, otherKey) {
  const asked = { messages: task.messages, tools: task.tools };
  const params = { name: "answer", arguments: { value: "0" } };
  const called = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  for (const [address, body] of [
    [`${at.url}/chat/completions`, asked],
    [`${at.url}/responses`, { input: "Hi" }],
    [`${at.url}/messages`, { ...asked, tools: [], max_tokens: 9 }],
    [`${at.url}/messages/count_tokens`, { messages: task.messages }],
    [at.mcp, called],
  ]) {
    statuses.push((await post(address, otherKey, body)).status);
  }
}

let others = [];
while (others.length === 0) {
  others = readdirSync(folder).filter((file) => !file.startsWith(".") && file !== name);
  await sleep(10);
}
const own = { url, mcp };
await intrude(own, "wrong");
await intrude(own, "");
for (const file of others) {
  const other = JSON.parse(readFileSync(join(folder, file), "utf8"));
  await intrude(other, key);
  await intrude(own, other.key);
}
// Those of the previous step are over; this step has at most seven others.
const began = (file) => statSync(join(folder, file)).mtimeMs;
const ended = others.length < STEP ? [] : others.sort((a, b) => began(a) - began(b)).slice(0, STEP);
for (const file of ended) {
  const other = JSON.parse(readFileSync(join(folder, file), "utf8"));
  await intrude(other, other.key);
}
const seen = [...new Set(statuses)].join();
process.stdout.write(`${others.length} others, ${ended.length} ended, statuses ${seen}\n`);
await import("./openai.mjs");
