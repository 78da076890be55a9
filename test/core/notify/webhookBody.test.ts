import { describe, expect, it } from "vitest";
import { formatOf, webhookBody } from "../../../src/core/notify/webhookBody.ts";
import { aNotice } from "./notices.ts";

const NONE = new Map<string, number>();
const HOSTILE =
  "The server says: <!channel> @here <@U123> [free](https://evil.test) <https://evil.test|free> `x` & \u0007";

describe("the body of a webhook", () => {
  it("is chosen by the host of the address if known", () => {
    expect(formatOf("https://hooks.slack.com/services/a/b/c")).toBe("slack");
    expect(formatOf("https://discord.com/api/webhooks/1/a")).toBe("discord");
    expect(formatOf("https://hooks.slack.com.evil.test/")).toBe("json");
  });

  it("mentions no one and has no links in Slack, whatever the text contains", () => {
    const { text } = webhookBody({ notice: aNotice({ detail: HOSTILE }), heldBack: NONE }, "slack");
    expect(text).toContain("&lt;!channel&gt; @\u200bhere &lt;@\u200bU123&gt;");
    expect(text).toContain("&lt;https://evil.test|free&gt; `x` &amp;");
    expect(text).not.toMatch(/[<>]|@(?!\u200b)|(?!\n)\p{Cc}/u);
  });

  it("mentions no one and has no links in Discord", () => {
    const message = { notice: aNotice({ detail: HOSTILE }), heldBack: NONE };
    const body = webhookBody(message, "discord");
    expect(body["allowed_mentions"]).toEqual({ parse: [] });
    expect(body["content"]).toContain("\\[free\\]\\(https://evil.test\\)");
  });

  it("respects the services' size limits, however long the text is", () => {
    const message = { notice: aNotice({ detail: "*".repeat(100_000) }), heldBack: NONE };
    expect(String(webhookBody(message, "discord")["content"]).length).toBeLessThanOrEqual(2_000);
  });

  it("is plain JSON elsewhere, with the count of unsent messages", () => {
    const heldBack = new Map([
      ["Many turns are cut off", 2],
      ["Rollouts repeat each other", 1],
    ]);
    const body = webhookBody({ notice: aNotice(), heldBack }, "json");
    expect(body).toMatchObject({ event: "alarm", run: "first", step: 3, reward: 0.5, not_sent: 3 });
    expect(body["text"]).toBe(
      "Run first (Qwen/Qwen3-8B), step 3: Most tool calls fail.\n60% of the calls were refused.\n3 more messages were not sent: Many turns are cut off (2), Rollouts repeat each other.",
    );
  });
});
