/** A help text, given the command that starts the program, so that its examples can be copied. */
export type HelpText = (program: string) => string;
