/** Bodies of webhooks. Texts of models and environments cannot mention people or contain links. */

import type { NotifyConfig } from "../config/fields/schema.ts";
import type { JsonObject } from "../json.ts";
import { countOf, messageText, type NoticeMessage } from "./notice.ts";

export type WebhookFormat = NonNullable<NotifyConfig["format"]>;

/** Hosts that accept only one format. */
const FORMATS: Readonly<Record<string, WebhookFormat>> = {
  "hooks.slack.com": "slack",
  "hooks.slack-gov.com": "slack",
  "discord.com": "discord",
  "ptb.discord.com": "discord",
  "canary.discord.com": "discord",
  "discordapp.com": "discord",
};

export function formatOf(address: string): WebhookFormat {
  return FORMATS[new URL(address).hostname] ?? "json";
}

/** The body as an object for each format. `text` is for display. */
export function webhookBody(message: NoticeMessage, format: WebhookFormat): JsonObject {
  const text = messageText(message);
  if (format === "slack") return { text: slackText(text) };
  if (format === "discord") {
    // https://discord.com/developers/docs/resources/message#allowed-mentions-object
    return { content: discordText(text), allowed_mentions: { parse: [] } };
  }
  return messageJson(message);
}

/** Body for webhooks with the format `json`, and input for commands. */
export function messageJson(message: NoticeMessage): JsonObject {
  const { notice, heldBack } = message;
  const [event] = notice.events;
  const text = messageText(message);
  return { event, ...notice.facts, text, not_sent: countOf(heldBack) };
}

/**
 * https://docs.slack.dev/messaging/formatting-message-text#escaping. An invisible character after `@` prevents compatible servers
 * from recognizing names and `@channel` in plain text.
 */
function slackText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "@\u200b");
}

/** Escapes Markdown with backslashes. */
function discordText(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#]/g, "\\$&");
}
