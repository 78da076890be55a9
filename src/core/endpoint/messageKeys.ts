/** Digests that identify messages sent or answered before. */

import type { AssistantMessage, InitialMessage, ToolDeclaration } from "../chat/renderer.ts";
import { imageIndex } from "../images/imageIds.ts";
import type { Sha256 } from "../ports.ts";
import { plainJson, sortKeys, writeExactJson } from "../util/exactJson.ts";
import type { SentImage } from "./requestImages.ts";

/**
 * One digest per message, equal for messages that mean the same: clients may reformat arguments and numbers, use other call ids, and omit
 * the reasoning. `images` is indexed by the ids in the messages.
 */
export function messageKeys(
  messages: readonly InitialMessage[],
  images: readonly Pick<SentImage, "base64">[],
  sha256: Sha256,
): readonly string[] {
  let places: ReadonlyMap<string, number> = new Map();
  return messages.map((message) => {
    const { role, content } = message;
    if (role === "assistant") {
      const { calls } = message;
      places = new Map(calls.map(({ id }, i) => [id, i]));
      return turnKey({ text: content, calls }, sha256);
    }
    const answered = role === "tool" ? places.get(message.callId) : null;
    const shown = message.images?.map(({ at, id }) => [at, images[imageIndex(id)]?.base64]);
    return sha256(JSON.stringify([role, answered, content, ...(shown ?? [])]));
  });
}

/** The digest of a model turn. */
export function turnKey(
  { text, calls }: { readonly text: string; readonly calls: readonly Call[] },
  sha256: Sha256,
): string {
  const called = calls.map(({ name, args }) => [name, writeExactJson(sortKeys(plainJson(args)))]);
  return sha256(JSON.stringify(["assistant", text.trim(), called]));
}

export function toolsKey(tools: readonly ToolDeclaration[], sha256: Sha256): string {
  return sha256(writeExactJson(tools.map((tool) => ({ ...tool, function: { ...tool.function } }))));
}

type Call = Pick<AssistantMessage["calls"][number], "name" | "args">;
