import { describe, expect, it } from "vitest";
import { messagesIn, textWith } from "../configText.ts";

const END = "max_steps: 5";
const messages = (entry: string): readonly string[] =>
  messagesIn(textWith(END, `notify: [${entry}]`));

describe("a notification", () => {
  it.each([
    "{ webhook_variable: SLACK_WEBHOOK }",
    "{ webhook_variable: TEAM_HOOK, format: slack, on: [end, failure] }",
    "{ webhook: http://localhost:9000/hook }",
    "{ webhook: https://hooks.example.org/teams/reinforcement-learning/2026?channel=runs }",
    '{ command: [notify-send, "Tinker RL"], on: [alarm] }',
  ])("may be %s", (entry) => {
    expect(messages(entry)).toEqual([]);
  });

  it.each([
    "{}",
    "{ on: [end] }",
    "{ webhook: http://localhost:9000/hook, webhook_variable: HOOK }",
    "{ webhook_variable: HOOK, command: [notify-send] }",
  ])("has exactly one destination, unlike %s", (entry) => {
    expect(messages(entry)).toEqual([expect.stringMatching(/error: TRL230 .*exactly one of/)]);
  });

  it.each([
    "https://hooks.slack.com/services/T000SECRET/B000/abcSECRET",
    "https://discord.com/api/webhooks/123/abcSECRET",
    "https://canary.discord.com/api/v10/webhooks/123/abcSECRET",
    "https://chat.example.org/hooks/x7f3k9SECRETq8w2m5n4p6r1",
    "https://hc-ping.example/6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "https://example.org/hook?token=SECRET",
    "https://example.org/hook?sig=SECRET",
  ])("refuses an address with a key and hides it: %s", (address) => {
    const [message, ...others] = messages(`{ webhook: "${address}" }`);
    expect(others).toEqual([]);
    expect(message).toMatch(
      /error: TRL230 .*SLACK_WEBHOOK=ADDRESS into \.env.*webhook_variable: SLACK_WEBHOOK/,
    );
    expect(message).not.toMatch(/SECRET\b(?!_)|6ba7b810/);
  });

  it.each([
    ["{ webhook: https://ann:hunter2SECRET@example.org/ }", /without a user name/],
    ["{ webhook_variable: https://hooks.slack.com/services/T/B/SECRET }", /name of a variable/],
    ["{ webhook_variable: TINKER_API_KEY }", /holds a key, not the address/],
    ["{ webhook: http://localhost:1:2 }", /not a valid address/],
    ["{ command: [notify-send], format: json }", /A command always reads JSON/],
    ["{ command: [] }", /a list of 1 or more/],
    ["{ webhook_variable: HOOK, on: [ending] }", /one of `end`/],
  ])("reports what is wrong with %s", (entry, message) => {
    const found = messages(entry);
    expect(found.join("\n")).toMatch(message);
    expect(found.join("\n")).not.toContain("SECRET");
  });

  it("warns about a webhook address in any other place", () => {
    const address = "openreward_base_url: https://hooks.slack.com/services/T/B/x";
    const found = messagesIn(textWith(END, address));
    expect(found).toEqual([expect.stringMatching(/TRL400/)]);
  });
});
