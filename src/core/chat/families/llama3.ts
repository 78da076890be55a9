/**
 * Llama 3.1, 3.2 and 3.3 Instruct: a system turn with dates, tools in the first user message, calls as bare JSON.
 * Source: the chat template of meta-llama/Llama-3.1-8B-Instruct. The date is constant because the models were trained on no other.
 */

import { AppError } from "../../errors.ts";
import { pythonNumbers, writeExactJson } from "../../util/exactJson.ts";
import { strip } from "../../util/strip.ts";
import type { ChatFormat } from "../format.ts";
import { createBareJsonParser } from "../parsing/bareJsonCall.ts";
import { control, type Piece } from "../pieces.ts";
import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../renderer.ts";
import { splitSystem } from "./turns.ts";

const HEADER = { open: control("<|start_header_id|>"), close: control("<|end_header_id|>") };
const END = control("<|eot_id|>");
/** Ends a turn that continues after a tool result. Optional, because the freely available Llama 3.0 tokenizer lacks this token. */
const END_OF_MESSAGE = "<|eom_id|>";

const DATES = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";
const LESSON = `Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.

Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.

`;

export function llama3(): ChatFormat {
  return {
    id: "llama3",
    ends: [END.control],
    optionalEnds: [END_OF_MESSAGE],
    renderPrompt: (messages, tools) => {
      const [system, rest] = splitSystem(messages);
      return [
        control("<|begin_of_text|>"),
        ...turn(
          "system",
          (tools.length > 0 ? "Environment: ipython\n" : "") + DATES + strip(system ?? ""),
        ),
        ...conversation(rest, tools),
        ...opening("assistant"),
      ];
    },
    renderFollowUps: (followUps) => [...followUps.flatMap(messageTurn), ...opening("assistant")],
    closeTurn: () => [END],
    createParser: (tokens) =>
      createBareJsonParser({ ...tokens, ends: [END.control, END_OF_MESSAGE] }),
  };
}

/** The conversation with the tools before its first message: in the same turn if that message is the user's, else in their own. */
function conversation(
  messages: readonly InitialMessage[],
  tools: readonly ToolDeclaration[],
): readonly Piece[] {
  if (tools.length === 0) return messages.flatMap(messageTurn);
  const declared = tools.map((tool) => `${writeExactJson({ ...tool }, "wideLines")}\n\n`);
  const [first, ...others] = messages;
  const isTask = first?.role === "user";
  return [
    ...turn("user", LESSON + declared.join("") + (isTask ? strip(first.content) : "")),
    ...(isTask ? others : messages).flatMap(messageTurn),
  ];
}

function messageTurn(message: InitialMessage): readonly Piece[] {
  if (message.role === "tool") return resultTurn(message.content);
  if (message.role === "assistant" && message.calls.length > 0) return callTurn(message);
  return turn(message.role, strip(message.content));
}

/** Drops text next to a call, as the template does. */
function callTurn({ calls }: AssistantMessage): readonly Piece[] {
  const [call] = calls;
  if (call === undefined || calls.length > 1) {
    throw new AppError(
      "chat-render",
      `The environment's first conversation calls ${calls.length} tools in one turn, but Llama 3 calls one tool per turn. ` +
        "Choose another environment, or another model.",
      { configPath: "environments" },
    );
  }
  const args = writeExactJson(pythonNumbers(call.args), "spaced");
  return turn("assistant", `{"name": "${call.name}", "parameters": ${args}}`);
}

/** The result's text is written as a JSON string. */
function resultTurn(content: string): readonly Piece[] {
  return turn("ipython", writeExactJson(content));
}

function turn(role: string, text: string): readonly Piece[] {
  return [...opening(role), text, END];
}

function opening(role: string): readonly Piece[] {
  return [HEADER.open, role, HEADER.close, "\n\n"];
}
