/** The head of a plain table. */

interface TableHeadProps {
  /** `number` aligns the head with its numbers; `hidden` heads are for screen readers only. */
  readonly heads: readonly (readonly [label: string, kind?: "number" | "hidden"])[];
}

export function TableHead({ heads }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {heads.map(([label, kind]) => (
          <th scope="col" key={label} class={kind === "number" ? "number" : undefined}>
            {kind === "hidden" ? <span class="visually-hidden">{label}</span> : label}
          </th>
        ))}
      </tr>
    </thead>
  );
}
