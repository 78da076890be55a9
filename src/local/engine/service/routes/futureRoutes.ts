/** Routes of futures: poll and cancel, `docs/protocols/tinker.md#futures`. */

import { readAs } from "../../../http/refusal.ts";
import { jsonReply, noContent, PROTOBUF, protobufReply, type Reply } from "../../../http/reply.ts";
import { jsonBody, type Routes } from "../../../http/router.ts";
import type { OperationResult } from "../operations/futures.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";
import { futureReference } from "../wire/schemas.ts";

export function futureRoutes({ futures }: ServiceContext): Routes {
  return {
    "POST /retrieve_future": async (request) => {
      const { request_id } = readAs(futureReference, jsonBody(request));
      const result = await futures.poll(request_id, request.signal);
      if (result === null) {
        return jsonReply({ type: "try_again", request_id, queue_state: "active" }, 408);
      }
      return resultReply(result, request.header("accept").includes(PROTOBUF));
    },
    "POST /cancel_future": (request) => {
      futures.cancel(readAs(futureReference, jsonBody(request)).request_id);
      return noContent;
    },
  };
}

function resultReply(result: OperationResult, wantsProtobuf: boolean): Reply {
  switch (result.kind) {
    case "json":
      return jsonReply(result.body);
    case "tensors":
      return wantsProtobuf ? protobufReply(result.toProtobuf()) : jsonReply(result.toJson());
    case "failed":
      return jsonReply({ error: result.error, category: result.category });
  }
}
