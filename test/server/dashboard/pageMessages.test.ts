import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePageMessage } from "../../../src/server/dashboard/pageMessages.ts";

const key = { source: "evaluation", step: 1, group: 0, rollout: 2 };

describe("a message from the page", () => {
  it("is accepted unchanged if it is a message of this version", () => {
    const messages = [
      { kind: "ready" },
      { kind: "question", id: 3, question: { ask: "rollouts", source: "training", step: 0 } },
      { kind: "question", id: 4, question: { ask: "tokens", key, stream: 0, from: 2_000 } },
      {
        kind: "question",
        id: 5,
        question: { ask: "counterpart", key, set: { source: "training", step: 40 } },
      },
      { kind: "question", id: 6, question: { ask: "occurrences", key } },
      { kind: "question", id: 7, question: { ask: "details", keys: [key, key] } },
      {
        kind: "question",
        id: 8,
        question: {
          ask: "found-token",
          key,
          snippet: { role: "call", turn: null, before: "…", match: "run", after: "" },
        },
      },
      { kind: "command", command: "diffRollouts", args: { key, other: { ...key, step: 0 } } },
      { kind: "command", command: "markRollout", args: { key, mark: { addTag: "a", pin: false } } },
      { kind: "keep", change: { savedFilters: [{ name: "failed", filter: "{}" }] } },
      { kind: "cancel", id: 3 },
      { kind: "select-run", id: "/runs/demo" },
      {
        kind: "keep",
        change: { pinnedMetrics: ["env/calculator/reward", "x".repeat(1_000)], hiddenCharts: [] },
      },
      { kind: "command", command: "deleteCheckpoint", args: { name: "checkpoint_000010" } },
      {
        kind: "command",
        command: "exportFile",
        args: { file: { name: "reward.csv", content: "a", encoding: "utf8" } },
      },
    ];
    for (const message of messages) expect(parsePageMessage(message)).toEqual(message);
  });

  it("is dropped if it is anything else", () => {
    const others = [
      { kind: "ready", version: 1 },
      { kind: "question", id: -1, question: { ask: "config" } },
      { kind: "question", id: 1, question: { ask: "rollouts", source: "training", step: 1.5 } },
      {
        kind: "question",
        id: 1,
        question: { ask: "rollout", key: { ...key, path: "/etc/passwd" } },
      },
      { kind: "question", id: 1, question: { ask: "counterpart", key } },
      { kind: "question", id: 1, question: { ask: "counterpart", key, step: -1 } },
      { kind: "question", id: 1, question: { ask: "counterpart", step: 40 } },
      {
        kind: "question",
        id: 1,
        question: { ask: "counterpart", key: { ...key, source: "elsewhere" }, step: 40 },
      },
      { kind: "keep" },
      ...["loss", [1], ["x".repeat(1_001)], Array.from({ length: 1_001 }, () => "loss")].flatMap(
        (names) => [
          { kind: "keep", change: { pinnedMetrics: names } },
          { kind: "keep", change: { hiddenCharts: names } },
        ],
      ),
      { kind: "command", command: "runShell", args: {} },
      { kind: "command", command: "copyText", args: { text: "x".repeat(5_000_000) } },
      {
        kind: "command",
        command: "exportFile",
        args: { file: { name: "../../x", content: "", encoding: "utf8" } },
      },
      { kind: "command", command: "pause", args: {}, extra: true },
      "ready",
      null,
    ];
    for (const other of others) expect(parsePageMessage(other)).toBeNull();
  });

  it("never causes an exception", () => {
    fc.assert(fc.property(fc.anything(), (value) => void parsePageMessage(value)));
  });
});
