import type { Clock, Log } from "../kube/index.ts";

/** What a line may have; the rest of it is left out. */
const lineBytes = 16 << 10;
/** Lines in a window; what comes beyond is counted. */
const lineLimit = 200;
const windowMs = 10_000;

/** Passes on what a plugin prints: one entry a line, JSON as its logger writes it or any text, and no flood. */
export class LogTap {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #plugin: string;
  /** The beginning of an unfinished line; bounded by `lineBytes`. */
  #rest = "";
  #since: number;
  #lines = 0;
  #dropped = 0;

  constructor(options: { readonly plugin: string; readonly log: Log; readonly clock: Clock }) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#plugin = options.plugin;
    this.#since = options.clock.monotonic();
  }

  write(chunk: Uint8Array | string): void {
    const text = this.#rest + (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const lines = text.split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, lineBytes);
    for (const line of lines) if (line.trim() !== "") this.#line(line.slice(0, lineBytes));
  }

  /** Nothing more comes. */
  end(): void {
    if (this.#rest.trim() !== "") this.#line(this.#rest);
    this.#rest = "";
    this.#tellDropped();
  }

  #line(line: string): void {
    const now = this.#clock.monotonic();
    if (now - this.#since >= windowMs) {
      this.#tellDropped();
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines > lineLimit) {
      this.#dropped += 1;
      return;
    }
    const { level, message } = readLine(line);
    this.#log(level, message, { plugin: this.#plugin });
  }

  #tellDropped(): void {
    if (this.#dropped > 0)
      this.#log("warning", `${this.#dropped} lines of the plugin were left out`, { plugin: this.#plugin });
    this.#dropped = 0;
  }
}

/** A line as hclog or logrus writes it, or any other text. */
export function readLine(line: string): {
  readonly level: "info" | "warning" | "error";
  readonly message: string;
} {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry === "object" && entry !== null) {
      const field = (name: string) => {
        const value: unknown = name in entry ? (entry as Record<string, unknown>)[name] : undefined;
        return typeof value === "string" ? value : undefined;
      };
      const message = field("@message") ?? field("msg") ?? field("message");
      if (message !== undefined) return { level: levelOf(field("@level") ?? field("level") ?? ""), message };
    }
  } catch {
    // not JSON: the line is the message
  }
  return { level: "info", message: line };
}

function levelOf(word: string): "info" | "warning" | "error" {
  if (/^(error|fatal|panic)$/i.test(word)) return "error";
  return /^warn/i.test(word) ? "warning" : "info";
}
