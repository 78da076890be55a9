/** Plays like the built-in loop, while a sub-agent with its own system prompt talks in parallel with each turn. */

import { completion, NUDGE, task, toolMessages } from "./program.mjs";

const messages = [...task.messages];
const helping = [{ role: "system", content: "You check sums." }, ...task.messages];
for (let turn = 0; turn < 4; turn += 1) {
  const [answer, advice] = await Promise.all([completion(messages), completion(helping, [])]);
  const { tool_calls: calls = [] } = advice;
  const refused = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "No tools." }));
  helping.push(advice, ...refused, { role: "user", content: "Are you sure?" });
  const results = await toolMessages(answer);
  messages.push(answer, ...results);
  if (results.length === 0) messages.push({ role: "user", content: NUDGE });
}
