/** Says something to whoever runs the program. */
export type Log = (
  level: "info" | "warning" | "error",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
