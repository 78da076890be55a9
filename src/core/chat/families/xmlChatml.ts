/** What Qwen3.5 and Nemotron 3 share: ChatML turns, results in user turns, calls as XML, and the lesson about them. */

import { control } from "../pieces.ts";
import type { InitialMessage } from "../renderer.ts";

export const START = control("<|im_start|>");
export const END = control("<|im_end|>");
export const THINK = { open: control("<think>"), close: control("</think>") };
export const CALL = { open: control("<tool_call>"), close: control("</tool_call>") };
export const RESULT = { open: control("<tool_response>"), close: control("</tool_response>") };

/** How a call is written, as the official templates explain it below the declared tools; a blank line stands before it. */
export const XML_LESSON = [
  `

If you choose to call a function ONLY reply in the following format with NO suffix:

`,
  CALL.open,
  `
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
`,
  CALL.close,
  `

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within `,
  CALL.open,
  CALL.close,
  ` XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls
</IMPORTANT>`,
] as const;

/** Where the last message of the user stands: reasoning behind it belongs to the answer that is under way. */
export function lastUserIndex(messages: readonly InitialMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}
