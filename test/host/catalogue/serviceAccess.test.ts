import { beforeEach, describe, expect, it, vi } from "vitest";
import { accessForCompletion, accessNow } from "../../../src/host/catalogue/serviceAccess.ts";
import type { KeyId } from "../../../src/host/keys/keyNames.ts";
import type { RequestedKey } from "../../../src/shared/control.ts";
import { fakeVscode, settings } from "../fakeVscode.ts";
import { resetUser, user } from "../fakeWindow.ts";

vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  window: (await import("../fakeWindow.ts")).fakeWindow,
}));

beforeEach(() => {
  resetUser();
  settings.clear();
  fakeVscode.workspace.isTrusted = true;
});

const TINKER: RequestedKey = { value: "tml-own", origin: "store", host: null };
const OPENREWARD: RequestedKey = { value: "or-own", origin: "store", host: null };

function someKeys(
  keys: Partial<Record<KeyId, RequestedKey>> = { tinker: TINKER, openreward: OPENREWARD },
  variables: Readonly<Record<string, string>> = {},
) {
  return {
    sources: { valueFor: async (id: KeyId) => keys[id] ?? null },
    variables: () => variables,
  };
}

describe("the credentials for service requests", () => {
  it("include the key of the requested service, and variables that set service addresses", async () => {
    const keys = someKeys(undefined, { TINKER_BASE_URL: "", UNRELATED: "1" });
    expect(await accessNow(["environments"], keys)).toEqual({
      keys: { OPENREWARD_API_KEY: OPENREWARD },
      variables: { TINKER_BASE_URL: "" },
    });
    expect((await accessNow(["models", "checkpoints"], keys))?.keys).toEqual({
      TINKER_API_KEY: TINKER,
    });
  });

  it("leave out a key that is bound to another host than the one in use", async () => {
    const variables = { TINKER_BASE_URL: "https://stranger.example" };
    const keys = someKeys(undefined, variables);
    expect(await accessNow(["models"], keys)).toEqual({ keys: {}, variables });
  });

  it.each(["ask", "on"])(
    "are empty in Restricted Mode, without a prompt, also if the setting is %s",
    async (setting) => {
      fakeVscode.workspace.isTrusted = false;
      settings.set("config.liveCompletion", setting);
      expect(await accessNow(["environments"], someKeys())).toBeNull();
      expect(await accessForCompletion(someKeys())(["environments"])).toBeNull();
      expect(user.texts).toEqual([]);
    },
  );
});

describe("the credentials for completion", () => {
  it("are given once the user allows it, which is remembered", async () => {
    user.presses = ["Allow"];
    expect(await accessForCompletion(someKeys())(["models"])).not.toBeNull();
    expect(settings.get("config.liveCompletion")).toBe("on");
  });

  it("are refused permanently by Never", async () => {
    user.presses = ["Never"];
    expect(await accessForCompletion(someKeys())(["models"])).toBeNull();
    expect(settings.get("config.liveCompletion")).toBe("off");
  });

  it("are requested once per session if the prompt is dismissed", async () => {
    const access = accessForCompletion(someKeys());
    expect([await access(["models"]), await access(["models"])]).toEqual([null, null]);
    expect(user.texts).toHaveLength(1);
  });

  it.each(["on", "off"])("are not requested when the setting is %s", async (setting) => {
    settings.set("config.liveCompletion", setting);
    const access = await accessForCompletion(someKeys())(["models"]);
    expect(access !== null).toBe(setting === "on");
    expect(user.texts).toEqual([]);
  });

  it("cause no prompt when no service could answer", async () => {
    expect(await accessForCompletion(someKeys({}))(["models"])).toBeNull();
    expect(user.texts).toEqual([]);
  });
});
