import { AppError } from "../errors.ts";
import type { MoverKind } from "../movers/index.ts";

/** What a trace is of; its first line. */
export interface TraceHead {
  readonly v: 1;
  /** Runs with the same key are runs of the same thing. */
  readonly key: string;
  /** What costs time in it. */
  readonly family: string;
  readonly mover: MoverKind | (string & {});
  readonly version: string;
  readonly op: "backup" | "restore" | (string & {});
  readonly unit: "bytes" | "items" | "steps";
  /** Epoch ms, or text that `Date` reads. */
  readonly startedAt: number | string;
  /** Whether there was an earlier snapshot to compare with. */
  readonly parent?: boolean;
}

/** One moment of a run, seconds after its start. */
export interface TracePoint {
  readonly t: number;
  readonly done?: number;
  readonly total?: number;
  readonly stage?: string;
  /** Bytes that went to the store, as the mover tells it. */
  readonly uploaded?: number;
  readonly files?: number;
  readonly filesTotal?: number;
  /** Seconds left, as the mover tells it. */
  readonly left?: number;
  /** What the mover's process has read and written, and what went through its sockets. */
  readonly io?: { readonly read: number; readonly written: number };
  readonly net?: { readonly sent: number; readonly received: number };
  /** The mover's own words. */
  readonly raw?: string;
}

/** A run from its start to its end. */
export interface Trace {
  readonly head: TraceHead;
  readonly points: readonly TracePoint[];
  /** Seconds. */
  readonly end: number;
  /** `completed`, or how else it ended. */
  readonly outcome: string;
}

/** Reads a trace: one JSON value a line. `name` is told when it is none. */
export function readTrace(text: string, name: string): Trace {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const head = readHead(objectOf(lines[0]), name);
  const points: TracePoint[] = [];
  let last: { readonly end: number; readonly outcome: string } | undefined;
  for (const line of lines.slice(1)) {
    const found = objectOf(line);
    const t = found?.["t"];
    // A line that was cut off by a crash says nothing; the others still do.
    if (!found || typeof t !== "number" || !(t >= 0)) continue;
    const { end } = found;
    if (typeof end === "string") last = { end: t, outcome: end };
    else points.push(pointOf(found, t));
  }
  if (!last) throw bad(name, "has no end");
  const { end, outcome } = last;
  return { head, points: points.toSorted((a, b) => a.t - b.t).filter((p) => p.t <= end), end, outcome };
}

function readHead(found: Found | undefined, name: string): TraceHead {
  if (!found || found["v"] !== 1) throw bad(name, 'does not begin with {"v":1,…}');
  const text = (field: string): string => {
    const value = found[field];
    if (typeof value !== "string") throw bad(name, `has no ${field} in its first line`);
    return value;
  };
  const startedAt = found["startedAt"];
  const unit = found["unit"] ?? "bytes";
  if (unit !== "bytes" && unit !== "items" && unit !== "steps") throw bad(name, "counts in an unknown unit");
  if (typeof startedAt !== "number" && Number.isNaN(Date.parse(String(startedAt))))
    throw bad(name, "does not say when it started");
  return {
    v: 1,
    key: text("key"),
    family: text("family"),
    mover: text("mover"),
    version: typeof found["version"] === "string" ? found["version"] : "",
    op: text("op"),
    unit,
    startedAt: typeof startedAt === "number" ? startedAt : String(startedAt),
    ...(typeof found["parent"] === "boolean" && { parent: found["parent"] }),
  };
}

function pointOf(found: Found, t: number): TracePoint {
  const numbers = ["done", "total", "uploaded", "files", "filesTotal", "left"] as const;
  const point: Record<string, unknown> = { t };
  for (const field of numbers) {
    const value = found[field];
    if (typeof value === "number" && value >= 0 && Number.isFinite(value)) point[field] = value;
  }
  for (const [field, parts] of Object.entries(pairs)) {
    const value = pairOf(found[field], parts);
    if (value) point[field] = value;
  }
  if (typeof found["stage"] === "string") point["stage"] = found["stage"];
  return point as unknown as TracePoint; // built from checked fields just above
}

const pairs = { io: ["read", "written"], net: ["sent", "received"] } as const;

function pairOf(value: unknown, parts: readonly string[]): Found | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found = value as Found;
  const isCount = (part: string) => {
    const each = found[part];
    return typeof each === "number" && each >= 0 && Number.isFinite(each);
  };
  return parts.every(isCount) ? Object.fromEntries(parts.map((part) => [part, found[part]])) : undefined;
}

type Found = Readonly<Record<string, unknown>>;

function objectOf(line: string | undefined): Found | undefined {
  try {
    const value: unknown = JSON.parse(line ?? "");
    return typeof value === "object" && value !== null ? (value as Found) : undefined;
  } catch {
    return undefined; // half a line: the caller decides
  }
}

function bad(name: string, what: string): AppError {
  return new AppError("TRACE_FORM", `"${name}" is no trace: it ${what}`, { retry: false });
}

/** Epoch ms at which a run began. */
export function startOf({ startedAt }: TraceHead): number {
  return typeof startedAt === "number" ? startedAt : Date.parse(startedAt);
}
