import { ApiError } from "./api-error.ts";

/** May this request reach the server twice? A POST may not, nor a JSON patch. */
export type Repeat = "safe" | "unsafe";

/** What went wrong with one try. */
export interface Failure {
  readonly error: unknown;
  /** Nothing of the request can have reached the server. */
  readonly unsent: boolean;
}

/** Whether the same request may be tried again after this failure. */
export function mayRetry(failure: Failure, repeat: Repeat): boolean {
  const { error } = failure;
  if (!(error instanceof ApiError)) return failure.unsent || repeat === "safe";
  const { code } = error.status;
  // Flow control refuses before anything was done; so does a server that names its own wait.
  if (code === 429) return true;
  if (![500, 502, 503, 504].includes(code)) return false;
  return repeat === "safe" || error.retryAfterMs !== undefined;
}

/** Reads a Retry-After header: seconds, or a date. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  if (header.trim() !== "" && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
