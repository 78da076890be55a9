/** An ORS server without real work: one environment with a calculator tool and an answer tool. */

import { randomUUID } from "node:crypto";
import * as z from "zod";
import { formatEvent } from "../src/local/environment/server/eventWriter.ts";
import { systemClock } from "../src/node/clock.ts";
import { type FakeAnswer, type FakeReply, jsonReply } from "./fakeServer.ts";
import { ENVIRONMENT_MS } from "./fakeTimes.ts";

const TOOLS = {
  tools: [
    {
      name: "calc",
      description: "Compute a sum, difference or product of two whole numbers, as in 12*34.",
      input_schema: {
        type: "object",
        properties: { expr: { type: "string" } },
        required: ["expr"],
      },
    },
    {
      name: "answer",
      description: "Give the final answer. Ends the episode.",
      input_schema: {
        type: "object",
        properties: { value: { type: "string" } },
        required: ["value"],
      },
    },
  ],
};

/** Task index of every open session. */
const tasks = new Map<string, number>();
const createBody = z.object({ index: z.number() });

/** Answers any environment's paths, whatever the session. */
export const fakeEnvironment: FakeAnswer = async ({ path, body, header }) => {
  const sid = header("x-session-id");
  const endpoint = path.split("/").at(-1);
  if (endpoint === "create_session") return streamed("");
  if (endpoint === "call") return streamed(JSON.stringify(resultOf(body.toString())));
  await systemClock.sleep(ENVIRONMENT_MS);
  switch (endpoint) {
    case "create":
      tasks.set(sid, createBody.parse(JSON.parse(body.toString())).index);
      return jsonReply({ sid });
    case "delete":
    case "delete_session":
      tasks.delete(sid);
      return jsonReply({ sid });
    case "ping":
      return jsonReply({ status: "ok" });
    case "num_tasks":
      return jsonReply({ num_tasks: 4_096 });
    case "task_tools":
      return jsonReply(TOOLS);
    case "prompt":
      return jsonReply([{ type: "text", text: `Task ${tasks.get(sid)}: what is 12*34?` }]);
    default:
      return null;
  }
};

function streamed(result: string): FakeReply {
  return { contentType: "text/event-stream", body: events(result) };
}

async function* events(result: string): AsyncGenerator<string> {
  yield formatEvent("task_id", randomUUID());
  await systemClock.sleep(ENVIRONMENT_MS);
  yield formatEvent("end", result);
}

let answers = 0;

/** Only the answer tool ends the episode, with reward every other time: groups with equal rewards have no training signal. */
function resultOf(call: string): object {
  const isAnswer = call.includes('"answer"');
  if (isAnswer) answers += 1;
  return {
    ok: true,
    output: {
      blocks: [{ type: "text", text: isAnswer ? "right" : "408" }],
      metadata: null,
      reward: isAnswer ? answers % 2 : null,
      finished: isAnswer,
    },
  };
}
