import { expect, it, vi } from "vitest";
import { keyStatus } from "../../../src/host/keys/keyStatus.ts";
import type { Answer } from "./fakeUi.ts";
import { ADDED } from "./fakeVault.ts";
import { keyParts } from "./keyParts.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const DAY_MS = 86_400_000;

function setUp(...answers: readonly Answer[]) {
  const environment = () => ({ OPENAI_API_KEY: "sk-from-environment" });
  const envValues = async () => ({ WANDB_API_KEY: "from-the-env-file" });
  return {
    ...keyParts(answers, { environment, envValues, reply: { status: 401 } }),
    folders: async () => ["/projects/project"],
    now: () => ADDED + 3 * DAY_MS,
  };
}

it("shows which keys are set, their origins, hosts and dates, but no values", async () => {
  const options = setUp("leave");
  await options.store.set("tinker", "tml-secret-value", "models.example.org");
  await keyStatus(options);
  const { text } = options.ui;
  expect(text).toMatch(
    /Tinker \(TINKER_API_KEY\)\nset, from the secret store\nfor models\.example\.org · added 3 days ago/,
  );
  expect(text).toMatch(/OpenReward \(OPENREWARD_API_KEY\)\nnot set\n/);
  expect(text).toMatch(/OpenAI \(OPENAI_API_KEY\)\nset, from the process environment\n/);
  expect(text).toMatch(/Weights & Biases \(WANDB_API_KEY\)\nset, from \.env\n/);
  expect(text).not.toMatch(/secret-value|from-environment|from-the-env-file/);
});

it("tests a stored key and shows the result", async () => {
  const options = setUp({ press: "Test", on: "Tinker" }, "leave");
  await options.store.set("tinker", "tml-secret-value", null);
  await keyStatus(options);
  expect(options.ui.text).toContain("tinker.thinkingmachines.dev refused it (401).");
  expect(options.ui.text).not.toContain("secret-value");
});

it("does not send a key from outside the store, because its host is unknown", async () => {
  const options = setUp({ press: "Test", on: "OpenAI" });
  await expect(keyStatus(options)).rejects.toThrow("no button Test");
  expect(options.http.requests).toEqual([]);
});

it("removes a key, revokes a host, and asks about a .env again", async () => {
  const approval = {
    key: "TINKER_API_KEY",
    origin: "https://models.example.org",
    folder: "/projects/project",
  };
  const options = setUp(
    { confirm: true },
    { press: "Withdraw", on: "TINKER_API_KEY →" },
    { press: "Remove", on: "Tinker" },
    { confirm: true },
    "leave",
  );
  await options.store.set("tinker", "tml-secret-value", null);
  await options.approvals.ask(approval);
  await keyStatus(options);
  expect(options.approvals.list()).toEqual([]);
  expect(await options.store.list()).toEqual([]);
});
