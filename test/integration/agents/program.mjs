/** Shared code of the test agents: their task, the model behind the endpoint, and the session's tools. */

import { readFileSync } from "node:fs";

const { env } = process;

export const task = JSON.parse(readFileSync(env.TINKER_RL_TASK, "utf8"));
export const NUDGE = "Call one of the tools.";
/** Consecutive turns without a call after which the built-in loop ends, by default. */
export const MAX_NO_TOOL_TURNS = 3;

/** Posts JSON, and returns the status and the body. */
export async function post(url, key, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/** Ends the agent when a request is refused, as clients do. */
async function answered(url, body) {
  const reply = await post(url, env.TINKER_RL_KEY, body);
  if (reply.status === 200) return reply.body;
  process.stderr.write(`${JSON.stringify(reply)}\n`);
  process.exit(1);
}

export function completion(messages, tools = task.tools) {
  const body = { model: env.TINKER_RL_MODEL, messages, tools };
  return answered(`${env.OPENAI_BASE_URL}/chat/completions`, body).then(
    ({ choices: [{ message }] }) => message,
  );
}

export function message(messages, tools) {
  const body = { model: env.TINKER_RL_MODEL, max_tokens: 4096, messages, tools };
  return answered(`${env.ANTHROPIC_BASE_URL}/v1/messages`, body);
}

/** Calls a tool of the session and returns its text. */
export async function runTool(name, args) {
  const parts = await toolParts(name, args);
  return parts.map(({ text }) => text).join("");
}

async function toolParts(name, args) {
  const params = { name, arguments: args };
  const { result } = await answered(env.TINKER_RL_MCP_URL, {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params,
  });
  return result.content;
}

function partOfMessage(part) {
  if (part.type === "text") return part;
  return { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
}

/** Runs the calls of a chat completions answer in order. */
export async function toolMessages({ tool_calls: calls = [] }) {
  const results = [];
  for (const { id, function: made } of calls) {
    const parts = await toolParts(made.name, JSON.parse(made.arguments));
    results.push({ role: "tool", tool_call_id: id, content: parts.map(partOfMessage) });
  }
  return results;
}
