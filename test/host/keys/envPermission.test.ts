import { beforeEach, expect, it, vi } from "vitest";
import { createEnvPermission } from "../../../src/host/keys/envPermission.ts";
import { FakeMemory } from "../fakeMemory.ts";
import { fakeVscode, settings } from "../fakeVscode.ts";
import { type Answer, FakeUi } from "./fakeUi.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const FOLDER = "/projects/project";
const OWN = { folder: FOLDER, file: `${FOLDER}/.env` };
const ELSEWHERE = { folder: FOLDER, file: "/home/me/.bashrc" };

beforeEach(() => {
  settings.clear();
  fakeVscode.workspace.isTrusted = true;
});

function setUp(answers: readonly Answer[]) {
  const ui = new FakeUi(...answers);
  return { ui, permission: createEnvPermission({ ui, memory: new FakeMemory() }) };
}

it.each([
  ["Yes", true],
  ["No", false],
])("asks once per folder, naming the file: %s", async (answer, mayRead) => {
  const { ui, permission } = setUp([{ notify: answer }]);
  expect(await permission.mayRead(OWN)).toBe(mayRead);
  expect(await permission.mayRead(OWN)).toBe(mayRead);
  expect(ui.text).toContain("Let runs read keys from /projects/project/.env?");
});

it("Always applies to files within each folder, and to no others", async () => {
  const { ui, permission } = setUp([{ notify: "Always" }, { notify: "No" }]);
  expect(await permission.mayRead(OWN)).toBe(true);
  expect(await permission.mayRead({ folder: "/other", file: "/other/keys/.env" })).toBe(true);
  expect(await permission.mayRead(ELSEWHERE)).toBe(false);
  expect(ui.text).toContain(`Let runs of ${FOLDER} read keys from /home/me/.bashrc?\nYes\nNo`);
});

it("asks again after the prompt was dismissed, and after the answer was cleared", async () => {
  const { ui, permission } = setUp(["leave", { notify: "No" }, { notify: "Yes" }]);
  expect(await permission.mayRead(OWN)).toBe(false);
  expect(await permission.mayRead(OWN)).toBe(false);
  await permission.forget(OWN);
  expect(await permission.mayRead(OWN)).toBe(true);
  expect(ui.unused).toBe(0);
});

it.each([
  ["in Restricted Mode", "always", false, false],
  ["when the setting says never", "never", true, false],
  ["when the setting says always", "always", true, true],
])("does not ask %s", async (_when, setting, isTrusted, mayRead) => {
  settings.set("env.read", setting);
  fakeVscode.workspace.isTrusted = isTrusted;
  const { ui, permission } = setUp([]);
  expect(await permission.mayRead(OWN)).toBe(mayRead);
  expect(ui.shown).toEqual([]);
});
