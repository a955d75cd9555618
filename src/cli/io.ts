/** The world of a command: where its words and its data go. Tests bring their own. */
export interface Io {
  /** Data: what a script reads. */
  out(text: string): void;
  /** Words: what a person reads. */
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is a terminal, and how large it is. */
  readonly terminal: { readonly columns: number; readonly rows: number } | undefined;
  readonly color: boolean;
}

/** The real world. */
export function processIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
    terminal: process.stdout.isTTY
      ? {
          // Asked each time: a person may make the window larger.
          get columns() {
            return process.stdout.columns;
          },
          get rows() {
            return process.stdout.rows;
          },
        }
      : undefined,
    color: process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "",
  };
}
