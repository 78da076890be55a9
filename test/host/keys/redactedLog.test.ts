import { expect, it } from "vitest";
import type { LogOutputChannel } from "vscode";
import { AppError } from "../../../src/core/errors.ts";
import { redactedLog } from "../../../src/host/keys/redactedLog.ts";
import { settle } from "../../fakes/fakeClock.ts";
import { FakeVault, openStore } from "./fakeVault.ts";

const VALUE = "tml-secret-value-1";

function recorded(): { log: LogOutputChannel; lines: string[] } {
  const lines: string[] = [];
  const write = (...values: readonly unknown[]): void => {
    const texts = values.map((part) =>
      part instanceof Error ? `${part.stack} ${part.cause} ${JSON.stringify(part)}` : String(part),
    );
    lines.push(texts.join(" "));
  };
  const methods = { trace: write, debug: write, info: write, warn: write, error: write };
  const output = { append: write, appendLine: write, replace: write };
  return { log: { ...methods, ...output, name: "Tinker RL" } as never, lines };
}

function writeEverywhere(log: LogOutputChannel, secret: string): void {
  log.trace(`trace ${secret}`, { headers: { "x-api-key": secret } });
  log.debug("debug", [secret], secret);
  log.info(`info ${encodeURIComponent(secret)}`);
  log.warn(`warn ${Buffer.from(`api:${secret}`).toString("base64")}`);
  log.error(new AppError("transport", `failed with ${secret}`, { data: { url: secret } }));
  log.error(`error ${secret}`, new Error("outer", { cause: new Error(secret) }));
  log.append(secret);
  log.appendLine(secret);
  log.replace(secret);
}

it("keeps values from earlier sessions, this one and other windows out of the log", async () => {
  const vault = new FakeVault();
  await openStore(vault).store.set("tinker", VALUE, null);
  const { store } = openStore(vault);
  const { log: inner, lines } = recorded();
  const log = redactedLog(inner, store.redactor);
  await store.learnAll();
  await store.set("env:SEARCH_KEY", "typed-in-here", null);
  await openStore(vault).store.set("wandb", "typed-elsewhere", null);
  await settle();
  for (const secret of [VALUE, "typed-in-here", "typed-elsewhere"]) writeEverywhere(log, secret);
  expect(lines).toHaveLength(27);
  expect(lines.join("\n")).not.toMatch(/secret-value|typed-in|typed-else/);
  expect(lines.join("\n")).not.toContain(Buffer.from(VALUE).toString("base64").slice(2, 16));
  expect(lines[0]).toContain("***");
});

it("keeps working when the secret store does not", async () => {
  const vault = new FakeVault();
  vault.fault = "throws";
  const { log: inner, lines } = recorded();
  redactedLog(inner, openStore(vault).store.redactor).info("ready");
  await settle();
  expect(lines).toEqual(["ready"]);
});

it("logs circular objects", () => {
  const { log: inner, lines } = recorded();
  const circle: { self?: unknown } = {};
  circle.self = circle;
  redactedLog(inner, openStore(new FakeVault()).store.redactor).info("circle", circle);
  expect(lines[0]).toMatch(/Circular/);
});
