import { describe, expect, it } from "vitest";
import { settle } from "../../fakes/fakeClock.ts";
import { FakeVault, openStore } from "./fakeVault.ts";

const VALUE = "tml-secret-value-1";

describe("a working store", () => {
  it("returns a key with its host, and lists it without its value", async () => {
    const { store } = openStore(new FakeVault());
    await store.set("tinker", VALUE, "models.example.org");
    await store.set("env:SEARCH_KEY", "another-secret", null);

    expect(await store.get("tinker")).toMatchObject({ value: VALUE, host: "models.example.org" });
    const list = await store.list();
    expect(list).toContainEqual({
      id: "tinker",
      host: "models.example.org",
      place: "store",
      addedAt: "2026-01-01T00:00:00.000Z",
    });
    expect(list).toHaveLength(2);
    expect(JSON.stringify(list)).not.toMatch(/secret-value|another-secret/);
  });

  it("stores one entry per key with value, host and time", async () => {
    const vault = new FakeVault();
    await openStore(vault).store.set("wandb", VALUE, null);
    expect(JSON.parse(vault.entries.get("wandb") ?? "")).toEqual({
      value: VALUE,
      host: null,
      addedAt: "2026-01-01T00:00:00.000Z",
    });
  });

  it.each([
    ["text", VALUE],
    ["another shape", JSON.stringify({ value: VALUE })],
    ["an empty value", JSON.stringify({ value: "", host: null, addedAt: "" })],
  ])("treats a damaged entry (%s) as not set", async (_what, entry) => {
    const vault = new FakeVault();
    vault.entries.set("tinker", entry);
    const { store } = openStore(vault);
    expect(await store.get("tinker")).toBeNull();
    expect(await store.list()).toEqual([]);
  });

  it("leaves other entries alone", async () => {
    const vault = new FakeVault();
    vault.entries.set("panel-token", "something else");
    expect(await openStore(vault).store.list()).toEqual([]);
  });

  it("registers every value for redaction before returning it", async () => {
    const vault = new FakeVault();
    await openStore(vault).store.set("tinker", VALUE, null);
    const { store } = openStore(vault);
    await store.get("tinker");
    expect(store.redactor.redact(`x ${VALUE} y`)).toBe("x *** y");
  });
});

describe("two windows", () => {
  it("see keys that the other stored or removed, and are notified", async () => {
    const vault = new FakeVault();
    const here = openStore(vault).store;
    const there = openStore(vault).store;
    let calls = 0;
    const subscription = here.onDidChange(() => {
      calls += 1;
    });

    await there.set("tinker", VALUE, null);
    await settle();
    expect(calls).toBe(1);
    expect(await here.get("tinker")).toMatchObject({ value: VALUE });
    expect(here.redactor.redact(VALUE)).toBe("***");

    await there.remove("tinker");
    await settle();
    expect(calls).toBe(2);
    expect(await here.list()).toEqual([]);

    subscription.dispose();
    await there.set("tinker", VALUE, null);
    await settle();
    expect(calls).toBe(2);
  });

  it("prefer a key that the other stored over one in memory", async () => {
    const vault = new FakeVault();
    const here = openStore(vault).store;
    here.setForSession("tinker", "tml-only-in-memory", null);
    await openStore(vault).store.set("tinker", VALUE, null);
    await settle();
    expect(await here.get("tinker")).toMatchObject({ value: VALUE });
  });
});

describe.each(["throws", "forgets"] as const)("a store that %s", (fault) => {
  it("is reported, without the value", async () => {
    const vault = new FakeVault();
    vault.fault = fault;
    const { store, warnings } = openStore(vault);
    const failed = await store.set("tinker", VALUE, null).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "key-store-unavailable" });
    expect(String(failed)).not.toContain(VALUE);
    expect(warnings.join()).toMatch(/^secret store: /);
    expect(warnings.join()).not.toContain(VALUE);
  });

  it("keeps keys in the memory of the window, invisible to other windows", async () => {
    const vault = new FakeVault();
    vault.fault = fault;
    const { store } = openStore(vault);
    store.setForSession("tinker", VALUE, null);
    expect(await store.get("tinker")).toMatchObject({ value: VALUE });
    expect(await store.list()).toMatchObject([{ id: "tinker", place: "session" }]);
    expect(await openStore(vault).store.get("tinker")).toBeNull();
  });
});

it("uses a stored key instead of the one in memory once it works again", async () => {
  const { store } = openStore(new FakeVault());
  store.setForSession("tinker", "tml-only-in-memory", null);
  await store.set("tinker", VALUE, null);
  expect(await store.list()).toMatchObject([{ id: "tinker", place: "store" }]);
});

it("reports that a key could not be removed", async () => {
  const vault = new FakeVault();
  const { store } = openStore(vault);
  await store.set("tinker", VALUE, null);
  vault.fault = "throws";
  await expect(store.remove("tinker")).rejects.toMatchObject({ code: "key-store-unavailable" });
});
