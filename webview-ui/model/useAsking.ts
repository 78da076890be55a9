/** Questions to the host about the shown run, while a view shows their answers. */

import { useEffect } from "preact/hooks";
import type { DashboardModel } from "./dashboardModel.ts";

/** Like `useEffect`, for an effect that asks the host: also repeats it when the host has dropped all questions. */
export function useAsking(
  { data }: DashboardModel,
  ask: () => (() => void) | undefined,
  inputs: readonly unknown[],
): void {
  useEffect(ask, [data.generation.value, ...inputs]);
}
