import { expect, it } from "vitest";
import { KEY_REQUESTS, type KeyTestRequest } from "../../src/api/keys.ts";
import { anEditor } from "./anEditor.ts";

const REQUEST: KeyTestRequest = {
  service: "tinker",
  value: "tml-secret",
  host: "models.example.org",
  variables: { TINKER_BASE_URL: "https://models.example.org" },
};

it("tests the key that an editor sends, and never returns it", async () => {
  const seen: unknown[] = [];
  const editor = anEditor({
    testKey: async (request) => {
      seen.push(request);
      return { kind: "works", host: "models.example.org" };
    },
  });
  expect(await editor.ask(KEY_REQUESTS.test, REQUEST)).toEqual({
    ok: true,
    value: { kind: "works", host: "models.example.org" },
  });
  expect(seen).toEqual([REQUEST]);
  expect(editor.received()).not.toContain("tml-secret");
});

it("returns a failed test without the key", async () => {
  const { ask } = anEditor({
    testKey: async () => {
      throw new Error("It ended with tml-secret.");
    },
  });
  expect(await ask(KEY_REQUESTS.test, REQUEST)).toMatchObject({
    ok: false,
    error: { message: "It ended with ***." },
  });
});

it("rejects an incomplete request without quoting it", async () => {
  const editor = anEditor();
  const { host: _, ...rest } = REQUEST;
  await expect(editor.ask(KEY_REQUESTS.test, rest)).rejects.toThrow("host");
  expect(editor.received()).not.toContain("tml-secret");
});
