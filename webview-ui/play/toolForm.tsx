/** A form for a tool's arguments, generated from their JSON Schema. */

import * as l10n from "@vscode/l10n";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PlayTool } from "../../src/shared/play.ts";
import { Button, IconButton } from "../controls/button.tsx";
import { NumberField } from "../controls/numberField.tsx";
import { UntrustedText } from "../text/untrustedText.tsx";
import { visibleLine } from "../text/visible.ts";
import {
  argumentFields,
  type Described,
  type FieldValues,
  initialValue,
  initialValues,
  type NamedField,
} from "./schemaField.ts";

interface ToolFormProps {
  readonly tool: PlayTool;
  readonly isEnabled: boolean;
  /** Receives the arguments as JSON. */
  readonly send: (args: string) => void;
}

/** Use the tool's name as the key, so that each tool starts with an empty form. */
export function ToolForm({ tool, isEnabled, send }: ToolFormProps) {
  const fields = argumentFields(tool.schema);
  const isFree =
    fields.length === 0 && tool.schema !== null && "properties" in tool.schema === false;
  const [values, setValues] = useState(() => initialValues(fields));
  const [written, setWritten] = useState("{}");
  return (
    <form
      class="tool-form stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isEnabled) send(isFree ? written : JSON.stringify(values));
      }}
    >
      {tool.description === "" ? null : (
        <p class="fact plain-text">
          <UntrustedText text={tool.description} />
        </p>
      )}
      {isFree ? (
        <TextArea label={l10n.t("Arguments as JSON")} value={written} set={setWritten} isCode />
      ) : (
        <Fields fields={fields} values={values} set={setValues} />
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={!isEnabled}>
          {l10n.t("Call {0}", visibleLine(tool.name))}
        </button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly fields: readonly NamedField[];
  readonly values: FieldValues;
  readonly set: (values: FieldValues) => void;
}

function Fields({ fields, values, set }: FieldsProps) {
  return (
    <>
      {fields.map((each) => {
        const { name, isRequired } = each;
        const isGiven = Object.hasOwn(values, name);
        const change = (value: unknown): void => set({ ...values, [name]: value });
        const label = visibleLine(name);
        return (
          <div class="form-field stack" key={name}>
            {isRequired ? null : (
              <label class="check row">
                <input
                  type="checkbox"
                  checked={isGiven}
                  onChange={() =>
                    isGiven ? set(without(values, name)) : change(initialValue(each))
                  }
                />
                <span>{l10n.t("{0}, optional", label)}</span>
              </label>
            )}
            {isRequired || isGiven ? (
              <Input label={label} described={each} value={values[name]} set={change} />
            ) : null}
            {each.description === "" ? null : (
              <span class="fact plain-text">
                <UntrustedText text={each.description} />
              </span>
            )}
          </div>
        );
      })}
    </>
  );
}

function without(values: FieldValues, name: string): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([own]) => own !== name));
}

interface InputProps {
  readonly label: string;
  readonly described: Described;
  readonly value: unknown;
  readonly set: (value: unknown) => void;
}

function Input({ label, described, value, set }: InputProps) {
  const { field } = described;
  switch (field.kind) {
    case "choice":
      return (
        <label class="field">
          <span>{label}</span>
          <select
            value={String(field.values.indexOf(value))}
            onChange={({ currentTarget: { selectedIndex } }) => set(field.values[selectedIndex])}
          >
            {field.values.map((own, index) => (
              <option key={index} value={String(index)}>
                {visibleLine(typeof own === "string" ? own : JSON.stringify(own))}
              </option>
            ))}
          </select>
        </label>
      );
    case "boolean":
      return (
        <label class="check row">
          <input type="checkbox" checked={value === true} onChange={() => set(value !== true)} />
          <span>{label}</span>
        </label>
      );
    case "number":
      return (
        <NumberField
          label={label}
          required
          step={field.isInteger ? 1 : "any"}
          min={field.min}
          max={field.max}
          value={typeof value === "number" ? value : null}
          set={set}
        />
      );
    case "text":
      return field.isLong ? (
        <TextArea label={label} value={String(value ?? "")} set={set} rows={2} />
      ) : (
        <label class="field-column stack">
          <span>{label}</span>
          <input
            type="text"
            value={String(value ?? "")}
            onInput={({ currentTarget }) => set(currentTarget.value)}
          />
        </label>
      );
    case "list":
      return <List label={label} item={field.item} value={value} set={set} />;
    case "object":
      return (
        <fieldset class="form-group stack">
          <legend>{label}</legend>
          <Fields fields={field.fields} values={valuesOf(value)} set={set} />
        </fieldset>
      );
    case "json":
      return <JsonValue label={label} set={set} />;
  }
}

interface ListProps extends Omit<InputProps, "described"> {
  readonly item: Described;
}

function List({ label, item, value, set }: ListProps) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const made = useRef(items.length);
  // An item keeps its key when others are removed, because its inputs hold what was typed.
  const [keys, setKeys] = useState<readonly number[]>(() => items.map((_, index) => index));
  const add = (): void => {
    setKeys([...keys, made.current]);
    made.current += 1;
    set([...items, initialValue(item)]);
  };
  const remove = (index: number): void => {
    setKeys(keys.toSpliced(index, 1));
    set(items.toSpliced(index, 1));
  };
  return (
    <fieldset class="form-group stack">
      <legend>{label}</legend>
      {items.map((own, index) => (
        <div class="row" key={keys[index]}>
          <Input
            label={`${label} ${index + 1}`}
            described={item}
            value={own}
            set={(changed) => set(items.with(index, changed))}
          />
          <IconButton
            icon="close"
            label={l10n.t("Remove {0} {1}", label, index + 1)}
            onClick={() => remove(index)}
          />
        </div>
      ))}
      <Button class="secondary" label={l10n.t("Add to {0}", label)} onClick={add} />
    </fieldset>
  );
}

interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly rows?: number;
  readonly isCode?: boolean;
  /** True if the text must be valid JSON. */
  readonly isJson?: boolean;
}

export function TextArea({
  label,
  value,
  set,
  rows = 3,
  isCode = false,
  isJson = false,
}: TextAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const fault = isJson && parsedJson(value) === undefined ? l10n.t("Write this as JSON.") : "";
    area.current?.setCustomValidity(fault);
  }, [isJson, value]);
  return (
    <label class="field-column stack">
      <span>{label}</span>
      <textarea
        ref={area}
        class={isCode ? "mono" : ""}
        rows={rows}
        value={value}
        spellcheck={!isCode}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  );
}

/** Sets the value once the text is valid JSON; until then the form cannot be submitted. */
function JsonValue({ label, set }: Pick<InputProps, "label" | "set">) {
  const [written, setWritten] = useState("");
  return (
    <TextArea
      isCode
      isJson
      label={l10n.t("{0} as JSON", label)}
      value={written}
      set={(text) => {
        setWritten(text);
        set(parsedJson(text));
      }}
    />
  );
}

/** Undefined if the text is not JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function valuesOf(value: unknown): FieldValues {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
