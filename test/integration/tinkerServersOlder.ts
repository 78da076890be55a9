/** A filter before a complete server that leaves it what servers before version 0.25 of Tinker's client had, and less. */

import type { Filter, PassingAnswer, PassingRequest } from "./tinkerServersProxy.ts";

const ABSENT =
  /\/api\/v1\/(client\/|get_server_capabilities|get_info|forward$|samplers\/|sessions\/|cancel_future)/;

/** Training data as JSON, no forward-only calls, no word about itself but what it says when a session begins. */
export function olderServer(): Filter {
  return {
    request: (passing) => {
      if (ABSENT.test(passing.path)) return json(404, { detail: "Not Found" });
      return isBinary(passing) ? json(422, { detail: "the body is not JSON" }) : passing;
    },
    answer: (answer, to) => {
      if (!to.path.endsWith("/create_session")) return answer;
      const session: unknown = JSON.parse(answer.body.toString());
      const said = { info_message: "Welcome.", warning_message: "I am old." };
      return json(200, Object.assign({}, session, said));
    },
  };
}

function isBinary({ headers }: PassingRequest): boolean {
  return headers["content-type"] === "application/x-protobuf";
}

function json(status: number, content: unknown): PassingAnswer {
  return { status, type: "application/json", body: Buffer.from(JSON.stringify(content)) };
}
