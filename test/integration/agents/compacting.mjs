/** Starts a new conversation after each turn, with a summary in place of the history. */

import { completion, task, toolMessages } from "./program.mjs";

let said = "nothing yet";
for (;;) {
  const content = `${task.prompt} So far: ${said}.`;
  const results = await toolMessages(await completion([{ role: "user", content }]));
  said = results.map((result) => result.content).join(", ");
}
