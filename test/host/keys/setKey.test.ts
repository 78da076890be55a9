import { expect, it, vi } from "vitest";
import type { KeyStore } from "../../../src/host/keys/keyStore.ts";
import { removeKey } from "../../../src/host/keys/removeKey.ts";
import { setKey } from "../../../src/host/keys/setKey.ts";
import type { FakeReply } from "../../fakes/fakeHttp.ts";
import { type Answer, FakeUi } from "./fakeUi.ts";
import { FakeVault, openStore } from "./fakeVault.ts";
import { fakeKeyTest } from "./keyParts.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const VALUE = "tml-secret-value-1";

interface SetUp {
  readonly answers: readonly Answer[];
  readonly reply?: FakeReply;
  readonly address?: string;
  readonly vault?: FakeVault;
}

function setUp({ answers, reply = {}, address = "", vault = new FakeVault() }: SetUp) {
  const ui = new FakeUi(...answers);
  const { store, warnings } = openStore(vault);
  const { http, testKey } = fakeKeyTest(reply);
  const variables = () => ({ TINKER_BASE_URL: address });
  const options = { store, ui, variables, testKey };
  return { options, ui, store, http, vault, seen: () => [ui.text, ...warnings].join("\n") };
}

async function hostOf(store: KeyStore): Promise<string | null | undefined> {
  return (await store.get("tinker"))?.host;
}

it("asks which key, reads its value, tests and stores it, and never shows the value", async () => {
  const { options, store, seen } = setUp({
    answers: [{ pick: "Tinker" }, { type: ` ${VALUE}\n` }],
  });
  expect(await setKey(options)).toBe(true);
  expect(await store.get("tinker")).toMatchObject({ value: VALUE, host: null });
  expect(seen()).toContain("It works at tinker.thinkingmachines.dev.");
  expect(seen()).not.toContain(VALUE);
});

it("reports an invalid format, and does not send the key", async () => {
  const { options, http, seen } = setUp({
    answers: [{ type: `wrong-${VALUE}` }, { type: `TINKER_API_KEY=${VALUE}` }, "leave"],
  });
  expect(await setKey(options, "tinker")).toBe(false);
  expect(http.requests).toEqual([]);
  expect(seen()).toMatch(/begin with tml-.*\n.*after TINKER_API_KEY=/);
  expect(seen()).not.toContain(VALUE);
});

it.each([
  ["is refused", { status: 401, text: `unknown key ${VALUE}` }, "refused it (401)"],
  ["cannot be tested", "lost", "did not answer"],
] as const)("a key that %s is kept only if the user confirms", async (_what, reply, text) => {
  const left = setUp({ answers: [{ type: VALUE }, "leave"], reply });
  expect(await setKey(left.options, "tinker")).toBe(false);
  expect(await left.store.list()).toEqual([]);
  expect(left.seen()).toContain(text);
  expect(left.seen()).not.toContain(VALUE);

  const kept = setUp({ answers: [{ type: VALUE }, { pick: "Keep Anyway" }], reply });
  expect(await setKey(kept.options, "tinker")).toBe(true);

  const again = setUp({
    answers: [{ type: VALUE }, { pick: "Enter It Again" }, { type: "tml-other" }, "leave"],
    reply,
  });
  expect(await setKey(again.options, "tinker")).toBe(false);
  expect(again.ui.unused).toBe(0);
});

it("asks for the masked key and then, if a setting names another server, for its server, and binds it to that one", async () => {
  const address = "https://models.example.org:8443/tinker";
  const own = setUp({ answers: [{ type: "anything" }, { pick: "models" }], address });
  await setKey(own.options, "tinker");
  expect(await hostOf(own.store)).toBe("models.example.org:8443");
  expect(own.seen()).toContain("Server for Tinker (TINKER_API_KEY)");
  expect(new URL(own.http.requests[0]?.url ?? "").host).toBe("models.example.org:8443");

  const official = setUp({ answers: [{ type: VALUE }, { pick: "tinker.thinking" }], address });
  await setKey(official.options, "tinker");
  expect(await hostOf(official.store)).toBeNull();
  expect(new URL(official.http.requests[0]?.url ?? "").host).toBe("tinker.thinkingmachines.dev");
});

it("does not send a key of another format to the official service", async () => {
  const address = "https://models.example.org:8443/tinker";
  const answers = [{ type: "anything" }, { pick: "tinker.thinking" }, "leave"] as const;
  const { options, http, seen } = setUp({ answers, address });
  expect(await setKey(options, "tinker")).toBe(false);
  expect(http.requests).toEqual([]);
  expect(seen()).toContain("begin with tml-");
});

it("stores any other secret by its name, untested", async () => {
  const { options, store, http } = setUp({
    answers: [
      ...[{ pick: "Another Secret" }, { type: "no name!" }, { type: "search_key" }],
      { type: VALUE },
    ],
  });
  expect(await setKey(options)).toBe(true);
  expect(await store.get("env:SEARCH_KEY")).toMatchObject({ value: VALUE, host: null });
  expect(http.requests).toEqual([]);
});

it("distinguishes a service's variable from other secrets", async () => {
  const { options, store } = setUp({
    answers: [{ pick: "Another" }, { type: "tinker_api_key" }, { type: VALUE }],
  });
  await setKey(options);
  expect(await store.list()).toMatchObject([{ id: "tinker" }]);
});

it("offers to keep the key in memory when the secret store does not work", async () => {
  const vault = new FakeVault();
  vault.fault = "throws";
  const kept = setUp({ answers: [{ type: VALUE }, { pick: "Keep for This Session" }], vault });
  expect(await setKey(kept.options, "tinker")).toBe(true);
  expect(await kept.store.list()).toMatchObject([{ id: "tinker", place: "session" }]);
  expect(kept.seen()).toContain("secret store of the editor does not work");
  expect(kept.seen()).not.toContain(VALUE);

  const dropped = setUp({ answers: [{ type: VALUE }, { pick: "Don't" }], vault });
  expect(await setKey(dropped.options, "tinker")).toBe(false);
  expect(await dropped.store.get("tinker")).toBeNull();
});

it("removes a key after confirmation", async () => {
  const { options, store, seen } = setUp({
    answers: [{ pick: "Tinker" }, { confirm: false }, { pick: "Tinker" }, { confirm: true }],
  });
  await store.set("tinker", VALUE, null);
  await removeKey(options);
  expect(await store.list()).toHaveLength(1);
  await removeKey(options);
  expect(await store.list()).toEqual([]);
  expect(seen()).not.toContain(VALUE);
});

it("keeps a key that could not be tested only if the user confirms", async () => {
  const { options, store, seen } = setUp({ answers: [{ type: VALUE }, { pick: "Keep Anyway" }] });
  const testKey = () => Promise.reject(new Error("The server stopped."));
  expect(await setKey({ ...options, testKey }, "tinker")).toBe(true);
  expect(await store.get("tinker")).toMatchObject({ value: VALUE });
  expect(seen()).toContain("It was not tested: The server stopped.");
});
