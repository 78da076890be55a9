/** Pages of the hosted service's console, as the official client names them (`tinker/lib/console_urls.py`). */

import { TINKER_CONSOLE_URL, TINKER_URL } from "../services.ts";
import { parseTinkerPath } from "./paths.ts";

/** The web page of a checkpoint at `baseUrl`; null if the service has no console. @throws AppError `tinker-invalid-input` */
export function checkpointPage(path: string, baseUrl: string): string | null {
  if (new URL(baseUrl).origin !== new URL(TINKER_URL).origin) return null;
  const { run, kind, name } = parseTinkerPath(path);
  // Kind and name are one part of the address.
  const parts = [run, `${kind}/${name}`].map(encodeURIComponent);
  return `${TINKER_CONSOLE_URL}/checkpoints/${parts.join("/")}`;
}
