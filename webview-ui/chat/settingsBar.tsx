/** How the models are sampled from now on, and who answers their calls. */

import { useEffect, useState } from "preact/hooks";
import type { ChatSettings, ChatView } from "../../src/shared/chat.ts";
import { chatStrings as text } from "../strings/chat.ts";
import type { ChatModel } from "./chatModel.ts";

interface SettingsProps {
  readonly chat: ChatModel;
  readonly view: ChatView;
}

const MAX_SAMPLES = 64;

export function SettingsBar({ chat, view }: SettingsProps) {
  const { settings, configured, task } = view;
  const change = (changed: Partial<ChatSettings>): void =>
    chat.act({ action: "change", settings: changed });
  return (
    <fieldset class="chat-settings">
      <legend class="visually-hidden">{text.settings}</legend>
      <NumberField
        label={text.temperature}
        value={settings.temperature}
        configured={configured.temperature}
        step="any"
        onChange={(temperature) => change({ temperature })}
      />
      <NumberField
        label={text.maxTokens}
        value={settings.maxTokens}
        configured={configured.maxTokens}
        min={1}
        onChange={(maxTokens) => change({ maxTokens })}
      />
      <NumberField
        label={text.seed}
        value={settings.seed}
        onChange={(seed) => change({ seed: seed ?? settings.seed })}
      />
      <NumberField
        label={text.samples}
        value={settings.samples}
        min={1}
        max={MAX_SAMPLES}
        onChange={(samples) => change({ samples: samples ?? 1 })}
      />
      {task === null ? null : (
        <label class="field">
          <span>{text.answersBy}</span>
          <select
            value={settings.answersBy}
            onChange={({ currentTarget: { value } }) =>
              change({ answersBy: value === "person" ? "person" : "environment" })
            }
          >
            <option value="environment">{text.environment}</option>
            <option value="person">{text.person}</option>
          </select>
        </label>
      )}
    </fieldset>
  );
}

interface NumberProps {
  readonly label: string;
  /** Null = as configured. */
  readonly value: number | null;
  readonly configured?: number | null;
  readonly min?: number;
  readonly max?: number;
  readonly step?: "any";
  /** Null for an empty field. */
  readonly onChange: (value: number | null) => void;
}

function NumberField({ label, value, configured, min = 0, max, step, onChange }: NumberProps) {
  // What is being typed: a view that arrives meanwhile must not replace it.
  const [typed, setTyped] = useState<string | null>(null);
  useEffect(() => setTyped(null), [value]);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        value={typed ?? value ?? ""}
        placeholder={configured == null ? "" : String(configured)}
        min={min}
        max={max}
        step={step ?? 1}
        onInput={({ currentTarget: input }) => setTyped(input.value)}
        onChange={({ currentTarget: { validity, value: text, valueAsNumber } }) => {
          if (!validity.valid) setTyped(null);
          else onChange(text === "" ? null : valueAsNumber);
        }}
      />
    </label>
  );
}
