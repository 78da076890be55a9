/** Mirrors the built-in loop, over chat completions. */

import { completion, MAX_NO_TOOL_TURNS, NUDGE, task, toolMessages } from "./program.mjs";

const messages = [...task.messages];
for (let withoutCall = 0; withoutCall < MAX_NO_TOOL_TURNS; ) {
  const answer = await completion(messages);
  const results = await toolMessages(answer);
  withoutCall = results.length === 0 ? withoutCall + 1 : 0;
  messages.push(answer, ...results);
  if (results.length === 0) messages.push({ role: "user", content: NUDGE });
}
