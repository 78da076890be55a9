/** A filter before a complete server that leaves only the features of servers older than version 0.25 of Tinker's client, and fewer. */

import type { Filter, PassingAnswer, PassingRequest } from "./tinkerServersProxy.ts";

const ABSENT =
  /\/api\/v1\/(client\/|get_server_capabilities|get_info|forward$|samplers\/|sessions\/|cancel_future)/;

/** Training data as JSON, no forward-only calls, and no server information except at the start of a session. */
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
