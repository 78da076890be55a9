/** Tab title of a conversation: its run, and what distinguishes it from other conversations with that run. */

import * as l10n from "@vscode/l10n";
import type { ChatStart } from "../../api/chat.ts";
import { formatCount, plural } from "../../shared/format.ts";

export function chatTitle(
  { folder, name }: { readonly folder: string; readonly name: string },
  { targets, turn }: Pick<ChatStart, "targets" | "turn">,
): string {
  const [first = folder, ...others] = targets;
  if (others.length > 0) {
    return plural(targets.length, "Chat: {1} · {0} model", "Chat: {1} · {0} models", name);
  }
  if (turn !== null) {
    const [step, at] = [turn.step, turn.turn].map(formatCount);
    return l10n.t("Chat: {0} · step {1}, turn {2}", name, step ?? "", at ?? "");
  }
  // The folder stands for the newest weights.
  if (first === folder) return l10n.t("Chat: {0}", name);
  return l10n.t("Chat: {0} · {1}", name, first.replace(/^.*\//, ""));
}
