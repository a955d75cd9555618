import { logLine } from "../../kinds/index.ts";
import { Findings, type Subject } from "./results.ts";
import { GzipSpool } from "./spool.ts";

/** The log of one backup: the lines that `backup logs` shows, and the warnings and errors that its results count. */
export class RunLog {
  readonly path: string;
  readonly warnings = new Warner((subject, message, error) => this.#line("warning", message, subject, error));
  readonly errors = new Warner((subject, message, error) => this.#line("error", message, subject, error));
  readonly #spool: GzipSpool;
  readonly #backup: string;
  readonly #now: () => number;
  readonly #onLine: ((line: string) => void) | undefined;

  constructor(path: string, backup: string, now: () => number, onLine?: (line: string) => void) {
    this.path = path;
    this.#spool = new GzipSpool(path);
    this.#backup = backup;
    this.#now = now;
    this.#onLine = onLine;
  }

  info(message: string, subject: Subject = {}): void {
    this.#line("info", message, subject);
  }

  /** Ends the file; its size in bytes. */
  close(): Promise<number> {
    return this.#spool.close();
  }

  destroy(): void {
    this.#spool.destroy();
  }

  #line(level: "info" | "warning" | "error", message: string, subject: Subject, error?: string): void {
    const line = logLine(this.#now(), level, message, [
      ["backup", this.#backup],
      ["error", error === undefined ? undefined : JSON.stringify(error)],
      ["name", subject.name],
      ["namespace", subject.namespace],
      ["resource", subject.resource],
    ]);
    this.#onLine?.(line);
    // Lines are few and short; the spool's own batch bounds what waits in memory, and its failure is told on close.
    this.#spool.write(Buffer.from(line))?.catch(() => undefined);
  }
}

/** Findings that are written to the log at the same time. */
class Warner extends Findings {
  readonly #tell: (subject: Subject, message: string, error?: string) => void;

  constructor(tell: (subject: Subject, message: string, error?: string) => void) {
    super();
    this.#tell = tell;
  }

  override add(subject: Subject, message: string, error?: string): void {
    super.add(subject, message, error);
    this.#tell(subject, message, error);
  }
}
