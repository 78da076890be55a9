/** A number field that keeps the typed text: `0.` is not a number yet, and `0.50` must not become `0.5`. */

import type { InputHTMLAttributes } from "preact";
import { useEffect, useState } from "preact/hooks";

interface NumberInputProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    "aria-label" | "placeholder" | "min" | "max" | "step" | "required"
  > {
  readonly value: number | null;
  /** Receives null for an empty input; not called for invalid input. */
  readonly set: (value: number | null) => void;
  /** True to commit on blur or Enter instead of at each key. */
  readonly commitsOnBlur?: boolean;
}

/** The input without a label. */
export function NumberInput({
  value,
  set,
  commitsOnBlur = false,
  ...attributes
}: NumberInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  // A value that differs from the typed one was set elsewhere.
  useEffect(
    () => setTyped((own) => (own !== null && numberIn(own) === value ? own : null)),
    [value],
  );
  const take = ({ validity, value: text }: HTMLInputElement): void => {
    if (validity.valid) set(numberIn(text));
  };
  return (
    <input
      {...attributes}
      type="number"
      value={typed ?? value ?? ""}
      onInput={({ currentTarget: input }) => {
        setTyped(input.value);
        if (!commitsOnBlur) take(input);
      }}
      onChange={({ currentTarget: input }) => {
        if (commitsOnBlur) take(input);
      }}
      onBlur={({ currentTarget: { validity, form } }) => {
        // A form reports invalid input itself.
        if (!validity.valid && form === null) setTyped(null);
      }}
    />
  );
}

export interface NumberFieldProps extends NumberInputProps {
  readonly label: string;
}

export function NumberField({ label, ...props }: NumberFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <NumberInput {...props} />
    </label>
  );
}

function numberIn(text: string): number | null {
  return text === "" ? null : Number(text);
}
