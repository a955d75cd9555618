import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** A log is turned over at this size and one older part is kept, so that a container's logs stay below twice of it. */
const turnBytes = 10 * 1024 * 1024;

/** One line of a container's output. */
export interface LogLine {
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
  /** Whether the line went on, or ended without a newline. */
  readonly partial: boolean;
}

/** Writes a container's output with times, as the kubelet does; readers can follow it. */
export class LogFile {
  readonly #path: string;
  #file: number;
  #size: number;
  readonly #tails = new Map<string, string>();
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #followers = new Set<(line: LogLine) => void>();
  #ended = false;

  constructor(path: string) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    this.#file = openSync(path, "a");
    this.#size = statSync(path).size;
  }

  /** Takes a piece of output; an unfinished line waits for its end. */
  write(stream: LogLine["stream"], chunk: Buffer): void {
    const parts = (
      (this.#tails.get(stream) ?? "") + this.#decoders[stream].decode(chunk, { stream: true })
    ).split("\n");
    const tail = parts.pop() ?? "";
    for (const text of parts) this.#line(stream, text, false);
    // A line without end must not grow for ever.
    if (tail.length < 16_384) this.#tails.set(stream, tail);
    else {
      this.#tails.set(stream, "");
      this.#line(stream, tail, true);
    }
  }

  /** Calls back for each new line until stopped or until the log ends. */
  follow(onLine: (line: LogLine) => void): () => void {
    this.#followers.add(onLine);
    return () => void this.#followers.delete(onLine);
  }

  /** Whether nothing more will come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The container is over: an unfinished last line counts. */
  end(): void {
    if (this.#ended) return;
    for (const stream of ["stdout", "stderr"] as const) {
      const tail = this.#tails.get(stream) ?? "";
      if (tail !== "") this.#line(stream, tail, true);
    }
    this.#ended = true;
    closeSync(this.#file);
  }

  #line(stream: LogLine["stream"], text: string, partial: boolean): void {
    const line = { time: new Date().toISOString(), stream, text, partial };
    const bytes = Buffer.from(`${line.time} ${stream} ${partial ? "P" : "F"} ${text}\n`);
    if (this.#size + bytes.length > turnBytes) {
      closeSync(this.#file);
      renameSync(this.#path, `${this.#path}.old`);
      this.#file = openSync(this.#path, "a");
      this.#size = 0;
    }
    writeSync(this.#file, bytes);
    this.#size += bytes.length;
    for (const follower of this.#followers) follower(line);
  }
}

/** Every line that is kept of a log. */
export function readLog(path: string): LogLine[] {
  const lines: LogLine[] = [];
  for (const part of [`${path}.old`, path]) {
    if (!existsSync(part)) continue;
    for (const line of readFileSync(part, "utf8").split("\n")) {
      const found = /^(\S+) (stdout|stderr) ([FP]) (.*)$/.exec(line);
      if (!found) continue;
      const [, time = "", stream, kind, text = ""] = found;
      lines.push({ time, stream: stream as LogLine["stream"], text, partial: kind === "P" });
    }
  }
  return lines;
}
