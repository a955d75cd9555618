import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipped } from "../../../packages/wire/index.ts";
import { type FindingPlace, Findings, logLine } from "../../kinds/index.ts";

const batchBytes = 64 * 1024;
/** A restore of a million items writes no more than this; the results file and the counts stay complete. */
const maxBytes = 256 * 1024 * 1024;

/** The log of one restore, in a nameless file: what `restore logs` shows, with the warnings and errors counted. */
export class RunLog {
  readonly warnings = new Findings();
  readonly errors = new Findings();
  readonly #file: FileHandle;
  readonly #restore: string;
  readonly #now: () => number;
  readonly #onLine: ((line: string) => void) | undefined;
  #batch: string[] = [];
  #batchBytes = 0;
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, restore: string, now: () => number, onLine?: (line: string) => void) {
    this.#file = file;
    this.#restore = restore;
    this.#now = now;
    this.#onLine = onLine;
  }

  static async open(restore: string, now: () => number, onLine?: (line: string) => void): Promise<RunLog> {
    const folder = await mkdtemp(join(tmpdir(), "headway-restore-log-"));
    try {
      return new RunLog(await open(join(folder, "log"), "wx+", 0o600), restore, now, onLine);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  info(message: string): void {
    this.#line("info", message);
  }

  warn(place: FindingPlace, message: string): void {
    this.warnings.add(place, message);
    this.#line("warning", message, place);
  }

  fail(place: FindingPlace, message: string): void {
    this.errors.add(place, message);
    this.#line("error", message, place);
  }

  /** The whole log so far, compressed. */
  async *gzip(): AsyncGenerator<Uint8Array> {
    this.#flush();
    await this.#writing;
    yield* gzipped(pieces(this.#file, this.#bytes));
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  #line(level: "info" | "warning" | "error", message: string, place?: FindingPlace): void {
    const line = logLine(this.#now(), level, message, [
      ["restore", this.#restore],
      ["namespace", typeof place === "object" ? place.namespace : undefined],
    ]);
    this.#onLine?.(line);
    this.#batch.push(line);
    this.#batchBytes += line.length;
    if (this.#batchBytes > batchBytes) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#batch.join(""));
    this.#batch = [];
    this.#batchBytes = 0;
    if (bytes.length === 0 || this.#bytes + bytes.length > maxBytes) return;
    const at = this.#bytes;
    this.#bytes += bytes.length;
    // A full disk costs the log, not the restore: the results file still says what went wrong.
    this.#writing = this.#writing
      .then(async () => void (await this.#file.write(bytes, 0, bytes.length, at)))
      .catch(() => undefined);
  }
}

async function* pieces(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(batchBytes), 0, batchBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
