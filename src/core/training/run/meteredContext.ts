/** The context of a run whose training client and base model count what they are asked for. */

import { meteredSampler, meteredTraining } from "../../tinker/metered.ts";
import type { UsageMeter } from "../../usage/usageMeter.ts";
import type { RunContext } from "./context.ts";

export function meteredContext<Context extends Pick<RunContext, "services">>(
  context: Context,
  meter: UsageMeter,
): Context {
  const { services } = context;
  const { client, service } = services;
  const samplerForBase = async (baseModel: string) =>
    meteredSampler(await service.samplerForBase(baseModel), meter);
  const samplerForPath = async (path: string) =>
    meteredSampler(await service.samplerForPath(path), meter);
  return {
    ...context,
    services: {
      ...services,
      client: meteredTraining(client, meter),
      service: { ...service, samplerForBase, samplerForPath },
    },
  };
}
