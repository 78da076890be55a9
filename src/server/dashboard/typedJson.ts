/** Messages to a page as JSON, which has no typed arrays of its own. */

import type { TypedArrayJson } from "../../shared/browserMessages.ts";

/** `webview-ui/model/shell.ts` reads it. */
export function typedJson(message: object): string {
  return JSON.stringify(message, (_, value: unknown): unknown => {
    if (!ArrayBuffer.isView(value)) return value;
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    const own: TypedArrayJson = {
      typedArray: value.constructor.name,
      bytes: bytes.toString("base64"),
    };
    return own;
  });
}
