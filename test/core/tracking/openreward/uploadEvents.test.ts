import { expect, test } from "vitest";
import {
  type RolloutUpload,
  requireUploadable,
  type UploadMessage,
  uploadBatches,
  uploadEvents,
} from "../../../../src/core/tracking/openreward/uploadEvents.ts";
import { anUpload } from "../../openreward/uploadBuilders.ts";

function sent(rollout: RolloutUpload, ids = {}) {
  return uploadEvents(rollout, ids).map(({ json }): Record<string, unknown> => JSON.parse(json));
}

test("a rollout consists of its start, its messages in order, and its update", () => {
  const messages = ["one", "two"].map((content): UploadMessage => {
    return { type: "user_message", content, timestampMs: 5 };
  });
  const events = sent(anUpload({ messages }), { environment_id: "e" });
  expect(events).toEqual([
    {
      eventType: "rollout",
      eventId: "id",
      timestamp: 1,
      runName: "run",
      rolloutName: "name",
      environment: "Owner/Game",
      environment_id: "e",
      split: "train",
      metadata: { step: 0 },
      run_info: { model_name: "m" },
    },
    ...messages.map(({ content }, index) => ({
      eventType: "message",
      eventId: `id/${index}`,
      rolloutEventId: "id",
      timestamp: 5,
      index,
      type: "user_message",
      content,
      environment_id: "e",
      isFinished: false,
      metadata: {},
    })),
    { eventType: "rollout_update", eventId: "id", timestamp: 2, rollout_info: { task_index: 3 } },
  ]);
});

test("nulls are omitted from objects and kept in lists, and a reward of 0 is kept", () => {
  const [start, message] = sent(
    anUpload({
      metadata: { a: null, b: { c: null, d: [null, { e: null }] } },
      messages: [{ type: "tool_result", content: "", reward: 0, timestampMs: 1 }],
    }),
  );
  expect(start?.["metadata"]).toEqual({ b: { d: [null, {}] } });
  expect(message).toMatchObject({ content: "", reward: 0 });
});

test("text that databases reject is repaired everywhere", () => {
  const [start, message] = sent(
    anUpload({
      metadata: { "k\u0000": ["\ud83d"] },
      messages: [{ type: "user_message", content: "a\u0000b \ud83d c 😀", timestampMs: 1 }],
    }),
  );
  expect(start?.["metadata"]).toEqual({ k: ["\ufffd"] });
  expect(message?.["content"]).toBe("ab \ufffd c 😀");
});

test("a tool call requires a name and arguments", () => {
  const call = { type: "tool_call", name: "add", content: "{}", timestampMs: 1 } as const;
  expect(() => requireUploadable(call)).not.toThrow();
  for (const broken of [
    { ...call, name: " " },
    { ...call, content: "" },
  ]) {
    expect(() => requireUploadable(broken)).toThrow(/name and arguments/);
  }
});

test("the start is sent alone, then batches of at most 100 events or 900 kB, in order", () => {
  const small = Array.from({ length: 250 }, (): UploadMessage => {
    return { type: "user_message", content: "x", timestampMs: 1 };
  });
  const sizes = (messages: readonly UploadMessage[]): readonly number[] =>
    uploadBatches(uploadEvents(anUpload({ messages }), {})).map((batch) => batch.length);
  expect(sizes(small)).toEqual([1, 100, 100, 51]);
  const large = [500_000, 500_000, 1_000_000, 10].map((length): UploadMessage => {
    return { type: "user_message", content: "x".repeat(length), timestampMs: 1 };
  });
  expect(sizes(large)).toEqual([1, 1, 1, 1, 2]);
});
