import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { isJsonObject, type Json, type JsonObject } from "../../src/core/json.ts";
import { UploadBackoff } from "../../src/core/tracking/openreward/uploadBackoff.ts";
import { UploadClient } from "../../src/core/tracking/openreward/uploadClient.ts";
import { deliverRollout } from "../../src/core/tracking/openreward/uploadDelivery.ts";
import {
  type RolloutUpload,
  requireUploadable,
  type UploadMessage,
} from "../../src/core/tracking/openreward/uploadEvents.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { systemRandom } from "../../src/node/random.ts";
import { kitPython } from "../conformance/openrewardKit.ts";
import {
  API_KEY,
  compare,
  type Hosted,
  RECORDING,
  readScenario,
  startHosted,
} from "./rolloutUploadKit.ts";

const jsonObject = z.custom<JsonObject>(isJsonObject);
const messageSchema = z.object({
  type: z.enum([
    "system_message",
    "user_message",
    "assistant_message",
    "reasoning",
    "tool_call",
    "tool_result",
  ]),
  content: z.string().optional(),
  content_reference: z.string().optional(),
  summary: z.string().optional(),
  name: z.string().optional(),
  call_id: z.string().optional(),
  reward: z.number().optional(),
  is_finished: z.boolean().optional(),
  metadata: jsonObject.optional(),
  rollout_info: jsonObject.optional(),
  repeat: z.number().optional(),
  refused: z.boolean().optional(),
});
const scenarioSchema = z.object({
  catalogue: z.array(z.string()),
  run_name: z.string(),
  run_info: jsonObject,
  rollouts: z.array(
    z.object({
      create: z.object({
        rollout_name: z.string(),
        environment: z.string(),
        variant: z.string().optional(),
        split: z.string(),
        task_spec: z.custom<Json>().optional(),
        metadata: jsonObject,
        run_info: jsonObject.optional(),
      }),
      messages: z.array(messageSchema),
    }),
  ),
});
type Scenario = z.infer<typeof scenarioSchema>;
type ScenarioMessage = z.infer<typeof messageSchema>;

function messageOf(given: ScenarioMessage, position: number): UploadMessage {
  const { type, content, content_reference, summary, name, call_id } = given;
  const { reward, is_finished, metadata } = given;
  return {
    type,
    timestampMs: Date.now(),
    ...(content !== undefined && { content: content.replace("{i}", String(position)) }),
    ...(content_reference !== undefined && { contentReference: content_reference }),
    ...(summary !== undefined && { summary }),
    ...(name !== undefined && { name }),
    ...(call_id !== undefined && { callId: call_id }),
    ...(reward !== undefined && { reward }),
    ...(is_finished !== undefined && { isFinished: is_finished }),
    ...(metadata !== undefined && { metadata }),
  };
}

function isUploadable(message: UploadMessage): boolean {
  try {
    requireUploadable(message);
    return true;
  } catch {
    return false;
  }
}

function uploadsOf({ run_name, run_info, rollouts }: Scenario): readonly RolloutUpload[] {
  return rollouts.map(({ create, messages }) => {
    const { rollout_name, environment, variant, split, task_spec, metadata } = create;
    const ids = messages.map(() => crypto.randomUUID());
    return {
      id: crypto.randomUUID(),
      messageId: (index) => ids[index] ?? crypto.randomUUID(),
      runName: run_name,
      rolloutName: rollout_name,
      environment,
      split,
      metadata,
      ...(variant !== undefined && { variant }),
      ...(task_spec !== undefined && { taskSpec: task_spec }),
      runInfo: { ...run_info, ...create.run_info },
      rolloutInfo: messages.find(({ rollout_info }) => rollout_info)?.rollout_info ?? null,
      startedAtMs: Date.now(),
      endedAtMs: Date.now(),
      messages: messages
        .flatMap((given) =>
          Array.from({ length: given.repeat ?? 1 }, (_, position) => messageOf(given, position)),
        )
        .filter(isUploadable),
    };
  });
}

describe.skipIf(kitPython === null)("our upload of the fixed scenario", () => {
  let folder = "";
  let mine = "";
  let hosted: Hosted;
  let scenario: Scenario;
  const http = createHttpClient();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tinker-rl-upload-"));
    mine = join(folder, "mine.jsonl");
    scenario = scenarioSchema.parse(await readScenario());
    hosted = await startHosted(scenario.catalogue, ["--record", mine]);
    const client = new UploadClient({
      http,
      clock: systemClock,
      apiUrl: hosted.url,
      apiKey: API_KEY,
      userAgent: "tinker-rl/test",
    });
    const backoff = new UploadBackoff({
      clock: systemClock,
      random: systemRandom,
      onOutage: () => undefined,
      onDenied: () => undefined,
      onRecovered: () => undefined,
    });
    const signal = new AbortController().signal;
    for (const upload of uploadsOf(scenario)) {
      const options = { mayHaveArrived: false, signal };
      expect(await deliverRollout({ client, backoff }, upload, options)).toEqual({
        kind: "taken",
      });
    }
  });
  afterAll(async () => {
    await hosted?.stop();
    await http.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("is equivalent to the official client's", async () => {
    const { isEqual, text } = await compare(RECORDING, mine);
    expect(text).toBe("equivalent\n");
    expect(isEqual).toBe(true);
  });

  it("is detected as different after any of the kit's alterations", async () => {
    const { isEqual, text } = await compare("--self-test", mine);
    expect(text.split("\n").filter((line) => line.startsWith("FAIL"))).toEqual([]);
    expect(text).toMatch(/49 as expected, 0 not/);
    expect(isEqual).toBe(true);
  });

  it("rejects the messages that the official client rejects", () => {
    const refused = scenario.rollouts.flatMap(({ messages }) =>
      messages.filter((message) => !isUploadable(messageOf(message, 0))),
    );
    expect(refused.map((message) => message.refused)).toEqual([true, true]);
  });
});
