import { beforeEach, describe, expect, it, vi } from "vitest";
import { lookUpPermission } from "../../../src/host/catalogue/lookUpPermission.ts";

const editor = vi.hoisted(() => ({
  isTrusted: true,
  answer: undefined as string | undefined,
  questions: 0,
}));
vi.mock("vscode", () => ({
  l10n: { t: (text: string) => text },
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
  },
  window: {
    showInformationMessage: async () => {
      editor.questions += 1;
      return editor.answer;
    },
  },
}));

function permission(first: "ask" | "on" | "off") {
  let setting = first;
  const own = lookUpPermission({
    setting: () => setting,
    decide: async (answer) => {
      setting = answer;
    },
  });
  return { own, setting: () => setting };
}

beforeEach(() => Object.assign(editor, { isTrusted: true, answer: undefined, questions: 0 }));

describe("permission to look up services", () => {
  it("is granted by the answer, which is remembered", async () => {
    editor.answer = "Allow";
    const { own, setting } = permission("ask");
    expect(own.isGiven()).toBe(false);
    expect(await own.ask()).toBe(true);
    expect([own.isGiven(), setting()]).toEqual([true, "on"]);
  });

  it("is refused permanently by Never", async () => {
    editor.answer = "Never";
    const { own, setting } = permission("ask");
    expect(await own.ask()).toBe(false);
    expect(setting()).toBe("off");
  });

  it("is requested once per session if the prompt is dismissed", async () => {
    const { own } = permission("ask");
    expect([await own.ask(), await own.ask()]).toEqual([false, false]);
    expect(editor.questions).toBe(1);
  });

  it.each(["on", "off"] as const)("is not requested when the setting is %s", async (setting) => {
    expect(await permission(setting).own.ask()).toBe(setting === "on");
    expect(editor.questions).toBe(0);
  });

  it("is never granted in Restricted Mode", async () => {
    editor.isTrusted = false;
    const { own } = permission("on");
    expect([own.isGiven(), await own.ask()]).toEqual([false, false]);
    await permission("ask").own.ask();
    expect(editor.questions).toBe(0);
  });
});
