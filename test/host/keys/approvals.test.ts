import { expect, it, vi } from "vitest";
import { createApprovals } from "../../../src/host/keys/approvals.ts";
import { FakeMemory } from "../fakeMemory.ts";
import { FakeUi } from "./fakeUi.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const wanted = {
  key: "TINKER_API_KEY",
  origin: "https://models.example.org",
  folder: "/projects/project",
};

it("asks once with the full key, address and folder, and remembers a yes", async () => {
  const memory = new FakeMemory();
  const ui = new FakeUi({ confirm: true });
  expect(await createApprovals({ memory, ui }).ask(wanted)).toBe(true);
  expect(ui.text).toMatch(/^Send TINKER_API_KEY to https:\/\/models\.example\.org\?\n/);
  expect(ui.text).toContain("/projects/project");
  // A new window later: the script has no more answers.
  expect(await createApprovals({ memory, ui }).ask(wanted)).toBe(true);
});

it("asks again after a no", async () => {
  const ui = new FakeUi({ confirm: false }, { confirm: true });
  const approvals = createApprovals({ memory: new FakeMemory(), ui });
  expect(await approvals.ask(wanted)).toBe(false);
  expect(approvals.allowedOrigins(wanted.folder)).toEqual([]);
  expect(await approvals.ask(wanted)).toBe(true);
});

it.each([
  ["key", { key: "OPENREWARD_API_KEY" }],
  ["port", { origin: "https://models.example.org:8443" }],
  ["folder", { folder: "/projects/project/inner" }],
])("a permission does not apply to another %s", async (_what, change) => {
  const ui = new FakeUi({ confirm: true }, { confirm: false });
  const approvals = createApprovals({ memory: new FakeMemory(), ui });
  await approvals.ask(wanted);
  expect(await approvals.ask({ ...wanted, ...change })).toBe(false);
  expect(ui.unused).toBe(0);
});

it("gives a trainer the approved origins per key of its folder, until they are withdrawn", async () => {
  const ui = new FakeUi({ confirm: true }, { confirm: true });
  const approvals = createApprovals({ memory: new FakeMemory(), ui });
  await approvals.ask(wanted);
  await approvals.ask({ ...wanted, folder: "/elsewhere" });
  expect(approvals.allowedOrigins(wanted.folder)).toEqual([
    { key: "TINKER_API_KEY", origin: "https://models.example.org" },
  ]);
  await approvals.withdraw(wanted);
  expect(approvals.allowedOrigins(wanted.folder)).toEqual([]);
  expect(approvals.allowedOrigins("/elsewhere")).toHaveLength(1);
});

it("asks once for two simultaneous requests", async () => {
  const ui = new FakeUi({ confirm: true });
  const approvals = createApprovals({ memory: new FakeMemory(), ui });
  expect(await Promise.all([approvals.ask(wanted), approvals.ask(wanted)])).toEqual([true, true]);
  expect(approvals.list()).toHaveLength(1);
});

it("shows the full address, without characters that reverse text", async () => {
  const origin = `https://tinker.thinkingmachines.dev.${"a".repeat(60)}.evil.example`;
  const ui = new FakeUi({ confirm: false });
  await createApprovals({ memory: new FakeMemory(), ui }).ask({
    origin,
    folder: "/a\u202eb\nc",
    key: "K",
  });
  expect(ui.shown[0]).toContain(".evil.example?");
  expect(ui.text).toContain("/a\u00b7b\u00b7c");
});

it("treats a damaged memory as no permissions", () => {
  const memory = new FakeMemory();
  const approvals = createApprovals({ memory, ui: new FakeUi() });
  const whole = { origin: "https://x.example", key: "K", folder: "/y" };
  for (const damaged of [
    ...["text", whole, [null, { ...whole, key: 1 }]],
    ...["x.example", "http://x.example", "https://x.example/path"].map((origin) => [
      { ...whole, origin },
    ]),
  ]) {
    memory.values.set("keys.approvals", damaged);
    expect(approvals.list()).toEqual([]);
  }
});

it("rejects an unencrypted address without a prompt, unless it is on this computer", async () => {
  const ui = new FakeUi({ confirm: true });
  const approvals = createApprovals({ memory: new FakeMemory(), ui });
  expect(await approvals.ask({ ...wanted, origin: "http://models.example.org" })).toBe(false);
  expect(ui.shown).toEqual([]);
  expect(await approvals.ask({ ...wanted, origin: "http://127.0.0.1:8000" })).toBe(true);
});
