import { expect, it } from "vitest";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { openNotifyPlaces } from "../../../src/trainer/notify/notifyPlaces.ts";
import { configIn, textWith } from "../../core/config/configText.ts";
import { variablesOf } from "../services/variablesOf.ts";

it("a key in the query of a webhook's address is redacted", async () => {
  const redactor = new Redactor();
  const { places, close } = openNotifyPlaces({
    programs: { folder: "/" },
    redactor,
    loaded: { config: configIn(textWith("notify: [{ webhook_variable: HOOK }]")), path: "/a.yaml" },
    variables: variablesOf({
      dotenv: { HOOK: "https://chat.example/v1/spaces/A/messages?key=k-0123456789abcdef" },
    }),
    runFolder: () => null,
    home: "/home/ada",
  });
  await close();
  expect(places.map(({ name }) => name)).toEqual(["The webhook in HOOK"]);
  expect(redactor.redact("sent with k-0123456789abcdef")).not.toContain("k-0123456789abcdef");
});
