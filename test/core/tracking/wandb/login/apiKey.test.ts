import { describe, expect, it } from "vitest";
import {
  NO_SETTINGS,
  netrcKey,
  parseWandbSettings,
  wandbKeyFault,
} from "../../../../../src/core/tracking/wandb/login/apiKey.ts";

const KEY = "0123456789abcdefABCDEF__0123456789abcdef";

describe("a key", () => {
  it.each([KEY, `local-${KEY}`, `wandb_v1_${KEY}${KEY}`, "header.pay-load.signa_ture"])(
    "can be %s",
    (key) => {
      expect(wandbKeyFault(key)).toBeNull();
    },
  );

  it.each(["", "short", ` ${KEY}`, `${KEY} `, `local-${KEY.slice(1)}`, `${KEY}!`])(
    "cannot be %j",
    (key) => {
      expect(wandbKeyFault(key)).not.toBeNull();
    },
  );
});

describe("netrc", () => {
  const text = `
# a comment with machine api.wandb.ai password no
machine example.com login ada password other
machine api.wandb.ai
  login user
  password "quoted key" # behind
machine 127.0.0.1:8080 login user password local
macdef init
  password trap

default login anonymous password fallback
`;

  it.each([
    ["https://api.wandb.ai", "quoted key"],
    ["https://api.forge.coreweave.com", "quoted key"],
    ["http://127.0.0.1:8080", "local"],
    ["http://127.0.0.1:9090", "fallback"],
  ])("has a key for %s", (url, key) => {
    expect(netrcKey(text, url, true)).toBe(key);
  });

  it("does not give a host the key of another host", () => {
    const one = "machine api.wandb.ai password k";
    expect(netrcKey(one, "https://wandb.example.com", true)).toBeNull();
    const all = "default login user password k";
    expect(netrcKey(all, "https://wandb.example.com", true)).toBe("k");
    expect(netrcKey(all, "https://wandb.example.com", false)).toBeNull();
  });
});

it("provides server and entity from the section that W&B's own tool writes", () => {
  const text = `
# comment
[other]
base_url = https://other.example

[default]
; base_url = https://commented.example
base_url = https://acme.wandb.io/
entity=  team one
project = ignored
mode =
`;
  expect(parseWandbSettings(text)).toEqual({
    baseUrl: "https://acme.wandb.io/",
    entity: "team one",
  });
});

it.each(["", "[default]\n", "base_url = https://no.section", "\u0000 no settings"])(
  "has no key in %j",
  (text) => {
    expect(parseWandbSettings(text)).toEqual(NO_SETTINGS);
  },
);
