/** Routes about the server: health, flags, capabilities, telemetry. */

import { jsonReply } from "../../../http/reply.ts";
import type { Routes } from "../../../http/router.ts";
import type { ServiceContext } from "../operations/serviceContext.ts";

/** Missing flags are off: `docs/protocols/tinker.md#flags`. */
const CLIENT_CONFIG = {
  pjwt_auth_enabled: false,
  use_pyqwest_transport: false,
  proto_compress_fwdbwd: false,
  parallel_fwdbwd_chunks: true,
  create_model_via_load_weights: false,
};

const DYNAMIC_CONFIG = { refresh_interval_sec: 300, sample_cancel_enabled: true };

export function metaRoutes({ engine }: ServiceContext): Routes {
  const { name, maxContext } = engine.model;
  return {
    "GET /healthz": () => jsonReply({ status: "ok" }),
    "POST /client/config": () => jsonReply(CLIENT_CONFIG),
    "POST /client/dynamic_config": () => jsonReply(DYNAMIC_CONFIG),
    // Telemetry may contain the client's key, so it is neither read nor logged.
    "POST /telemetry": () => jsonReply({ status: "accepted" }),
    "GET /get_server_capabilities": () =>
      jsonReply({
        supported_models: [
          { model_name: name, max_context_length: maxContext, trainable: true, sampleable: true },
        ],
      }),
  };
}
