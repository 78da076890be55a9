/** A run's context whose training client and reference samplers count their token use. */

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
