/** Pages of the hosted service's console, as the official client names them (`tinker/lib/console_urls.py`). */

import { hostedBaseUrl } from "./openTinker.ts";
import { parseTinkerPath } from "./paths.ts";

const CONSOLE = "https://tinker.thinkingmachines.ai";

/** Of a checkpoint at `baseUrl`; null where the service has no console. @throws AppError `tinker-invalid-input` */
export function checkpointPage(path: string, baseUrl: string): string | null {
  if (new URL(baseUrl).origin !== new URL(hostedBaseUrl).origin) return null;
  const { run, kind, name } = parseTinkerPath(path);
  // Kind and name are one part of the address.
  const parts = [run, `${kind}/${name}`].map(encodeURIComponent);
  return `${CONSOLE}/checkpoints/${parts.join("/")}`;
}
