/** A choice of one value in a list. */

interface ChoiceProps<Value extends string | number> {
  readonly label: string;
  readonly value: Value;
  readonly values: readonly Value[];
  readonly name: (value: Value) => string;
  readonly choose: (value: Value) => void;
}

export function Choice<Value extends string | number>({
  label,
  value,
  values,
  name,
  choose,
}: ChoiceProps<Value>) {
  return (
    <label class="field">
      <span>{label}</span>
      <select
        value={value}
        onChange={({ currentTarget: { selectedIndex } }) => choose(values[selectedIndex] ?? value)}
      >
        {values.map((own) => (
          <option key={own} value={own}>
            {name(own)}
          </option>
        ))}
      </select>
    </label>
  );
}
