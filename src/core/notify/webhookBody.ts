/** The bodies of webhooks. Texts of models and environments can neither mention people in them nor set links. */

import type { NotifyConfig } from "../config/fields/schema.ts";
import type { JsonObject } from "../json.ts";
import { countOf, messageText, type NoticeMessage } from "./notice.ts";

export type WebhookFormat = NonNullable<NotifyConfig["format"]>;

/** Hosts that understand no other form. */
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

/** As an object, for every form: `text` is for people. */
export function webhookBody(message: NoticeMessage, format: WebhookFormat): JsonObject {
  const text = messageText(message);
  if (format === "slack") return { text: slackText(text) };
  if (format === "discord") {
    // https://discord.com/developers/docs/resources/message#allowed-mentions-object
    return { content: discordText(text), allowed_mentions: { parse: [] } };
  }
  return messageJson(message);
}

/** What a webhook of the form `json` and a command read. */
export function messageJson(message: NoticeMessage): JsonObject {
  const { notice, heldBack } = message;
  const [event] = notice.events;
  const text = messageText(message);
  return { event, ...notice.facts, text, not_sent: countOf(heldBack) };
}

/**
 * https://docs.slack.dev/messaging/formatting-message-text#escaping. An invisible character behind `@` keeps servers that take the
 * same form from finding names and `@channel` in plain text.
 */
function slackText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("@", "@\u200b");
}

/** A backslash takes the meaning from a sign of its Markdown. */
function discordText(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#]/g, "\\$&");
}
