/** The world of a command: where its words and its data go. Tests bring their own. */
export interface Io {
  /** Data: what a script reads. */
  out(text: string): void;
  /** Data that is no text, such as the bytes of a file; resolves when it was taken. */
  bytes?(chunk: Uint8Array): Promise<void>;
  /** Words: what a person reads. */
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether standard output is a terminal, and how large it is. */
  readonly terminal: { readonly columns: number; readonly rows: number } | undefined;
  readonly color: boolean;
  /** The keyboard, where there is one beside the terminal. */
  readonly keys?: {
    /** Every key as it is pressed, until the returned function is called. */
    listen(on: (sent: string) => void): () => void;
    /** What Ctrl-C does while keys are listened to: the terminal does not send it itself then. */
    interrupt(): void;
  };
}

/** The real world. */
export function processIo(): Io {
  return {
    out: (text) => void process.stdout.write(text),
    bytes: (chunk) =>
      new Promise((resolve, reject) => {
        process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
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
    ...(process.stdout.isTTY && process.stdin.isTTY && { keys: { listen: listenToKeys, interrupt } }),
  };
}

function listenToKeys(on: (sent: string) => void): () => void {
  const { stdin } = process;
  const take = (sent: Buffer) => on(sent.toString("utf8"));
  // Whatever ends the process, the shell after it wants its terminal back.
  const restore = () => void stdin.setRawMode(false);
  stdin.setRawMode(true);
  stdin.on("data", take);
  stdin.resume();
  process.once("exit", restore);
  return () => {
    process.off("exit", restore);
    stdin.off("data", take);
    stdin.pause();
    restore();
  };
}

function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}
