/** All chunks of a batch waited with one signal, and Node warned of a memory leak in the terminal from the eleventh on. */

import { expect, it } from "vitest";
import { fakeTinker } from "../fakes/fakeTinker.ts";

const CHUNKS = 12;

it("waits for each chunk of a large batch with a signal of its own", async () => {
  const server = fakeTinker((path) =>
    path === "client/config" ? { json: { fwdbwd_max_chunk_len: 1 } } : undefined,
  );
  const service = await server.connect();
  const client = await server.clock.run(
    service.createTrainingClient({ baseModel: "org/model", rank: 8 }),
  );
  const lossInputs = { target_tokens: [7], logprobs: [-0.5], advantages: [1] };
  const data = Array.from({ length: CHUNKS }, () => ({ tokens: [5], lossInputs }));
  const before = server.requestsTo("retrieve_future").length;
  await server.clock.run(client.forwardBackward(data, "ppo"));
  const polls = server.requestsTo("retrieve_future").slice(before);
  expect(polls.length).toBeGreaterThanOrEqual(CHUNKS);
  expect(new Set(polls.map(({ signal }) => signal)).size).toBe(CHUNKS);
});
