/** A field for a number that keeps what is being typed: `0.` is no number yet, and `0.50` is one already. */

import type { InputHTMLAttributes } from "preact";
import { useEffect, useState } from "preact/hooks";

interface NumberInputProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    "aria-label" | "placeholder" | "min" | "max" | "step" | "required"
  > {
  readonly value: number | null;
  /** Null for an empty input; not called with what the input does not allow. */
  readonly set: (value: number | null) => void;
  /** True to set the number when the input is left or with Enter, not at each key. */
  readonly isSetAtEnd?: boolean;
}

/** The input alone, for where a label is in its place. */
export function NumberInput({ value, set, isSetAtEnd = false, ...attributes }: NumberInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  // Another number than the typed one came from elsewhere.
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
        if (!isSetAtEnd) take(input);
      }}
      onChange={({ currentTarget: input }) => {
        if (isSetAtEnd) take(input);
      }}
      onBlur={({ currentTarget: { validity, form } }) => {
        // A form says itself what it does not allow.
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
