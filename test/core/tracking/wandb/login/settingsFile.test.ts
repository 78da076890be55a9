import { expect, it } from "vitest";
import {
  NO_SETTINGS,
  parseWandbSettings,
} from "../../../../../src/core/tracking/wandb/login/settingsFile.ts";

it("takes server and entity from the section that W&B's tool writes", () => {
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
  "finds nothing in %j",
  (text) => {
    expect(parseWandbSettings(text)).toEqual(NO_SETTINGS);
  },
);
