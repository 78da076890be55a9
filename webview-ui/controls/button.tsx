/** Buttons shared by all pages. */

import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly label: string;
  readonly icon?: IconName | undefined;
}

/** A button with a text and an optional icon before it. */
export function Button({ label, icon, ...attributes }: ButtonProps) {
  return (
    <button type="button" {...attributes}>
      {icon === undefined ? null : <Icon name={icon} />}
      {icon === undefined ? label : <span>{label}</span>}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, "icon" | "title"> {
  readonly icon: IconName;
  /** Tooltip, if it says more than the label. */
  readonly hint?: string | undefined;
}

/** An icon-only button; the label serves screen readers and the tooltip. */
export function IconButton({
  icon,
  label,
  hint = label,
  class: own,
  ...attributes
}: IconButtonProps) {
  const classes = ["quiet only-icon", own].filter(Boolean).join(" ");
  return (
    <button type="button" class={classes} aria-label={label} title={hint} {...attributes}>
      <Icon name={icon} />
    </button>
  );
}
