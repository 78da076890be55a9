/** Selects one value from a list. */

import type { SelectHTMLAttributes } from "preact";

interface SelectProps<Value extends string | number>
  extends Pick<SelectHTMLAttributes<HTMLSelectElement>, "aria-label" | "title"> {
  readonly value: Value;
  readonly values: readonly Value[];
  readonly name: (value: Value) => string;
  readonly choose: (value: Value) => void;
}

/** The list without a label, for rows that have one or no room for it. */
export function Select<Value extends string | number>({
  value,
  values,
  name,
  choose,
  ...attributes
}: SelectProps<Value>) {
  return (
    <select
      {...attributes}
      value={value}
      onChange={({ currentTarget: { selectedIndex } }) => choose(values[selectedIndex] ?? value)}
    >
      {values.map((own) => (
        <option key={own} value={own}>
          {name(own)}
        </option>
      ))}
    </select>
  );
}

interface ChoiceProps<Value extends string | number> extends SelectProps<Value> {
  readonly label: string;
}

export function Choice<Value extends string | number>({ label, ...props }: ChoiceProps<Value>) {
  return (
    <label class="field">
      <span>{label}</span>
      <Select {...props} />
    </label>
  );
}
