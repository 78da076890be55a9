/** Mirrors the built-in loop, over the Messages API. */

import { MAX_NO_TOOL_TURNS, message, NUDGE, runTool, task } from "./program.mjs";

const tools = task.tools.map(({ function: { name, description, parameters } }) => {
  return { name, description, input_schema: parameters };
});
const messages = [...task.messages];
for (let withoutCall = 0; withoutCall < MAX_NO_TOOL_TURNS; ) {
  const { content } = await message(messages, tools);
  const results = [];
  for (const { type, id, name, input } of content) {
    if (type !== "tool_use") continue;
    results.push({ type: "tool_result", tool_use_id: id, content: await runTool(name, input) });
  }
  withoutCall = results.length === 0 ? withoutCall + 1 : 0;
  messages.push({ role: "assistant", content });
  messages.push({ role: "user", content: results.length === 0 ? NUDGE : results });
}
