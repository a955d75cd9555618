import { almost, percentText } from "../../progress/index.ts";

/** One side of a results file, as it is stored. */
export interface StoredResult {
  readonly velero?: readonly string[];
  readonly cluster?: readonly string[];
  readonly namespaces?: Readonly<Record<string, readonly string[]>>;
}

/** A moment as upstream's command line prints it: `2026-11-15 19:14:06 +0000 UTC`. */
export function moment(text: string | null | undefined): string {
  if (!text) return "<n/a>";
  return `${new Date(text).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`;
}

/**
 * The share of a volume that is still being copied, as upstream prints it but for the rounding: upstream rounds the last
 * bytes up to `100.00%` while the copy runs, and here only what has ended is whole.
 */
export function copiedShare(bytesDone: number, totalBytes: number): string {
  return `${percentText(Math.min(bytesDone / totalBytes, almost))}%`;
}

/** A duration in two units at most, as kubectl prints ages: `95s`, `4m10s`, `29d`. */
export function age(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (days < 8) return two(days, "d", hours % 24, "h");
  return `${days}d`;
}

function two(a: number, unitA: string, b: number, unitB: string): string {
  return b === 0 ? `${a}${unitA}` : `${a}${unitA}${b}${unitB}`;
}

/** A selector as people write it, or `<none>`. */
export function selectorWords(
  selector: { readonly matchLabels?: Readonly<Record<string, string>> | null } | null | undefined,
  query: (selector: object) => string,
): string {
  const text = selector ? query(selector) : "";
  return text === "" ? "<none>" : text;
}

/** A list with commas, or what stands for an empty one. */
export function listWords(list: readonly string[] | null | undefined, empty: string): string {
  return list && list.length > 0 ? list.join(", ") : empty;
}

/** How many items are done, and of how many while that is not all of them. */
export function itemWords(
  progress:
    | { readonly itemsBackedUp?: number; readonly itemsRestored?: number; readonly totalItems?: number }
    | null
    | undefined,
): string {
  const done = progress?.itemsBackedUp ?? progress?.itemsRestored;
  if (done === undefined) return "";
  const { totalItems = done } = progress ?? {};
  return done === totalItems ? String(done) : `${done}/${totalItems}`;
}

/** From the start to the end, once it has ended. */
export function took(
  status:
    | { readonly startTimestamp?: string | null; readonly completionTimestamp?: string | null }
    | undefined,
): string {
  const { startTimestamp, completionTimestamp } = status ?? {};
  if (!startTimestamp || !completionTimestamp) return "";
  return age(Date.parse(completionTimestamp) - Date.parse(startTimestamp));
}
