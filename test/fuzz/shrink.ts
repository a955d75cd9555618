import type { Json } from "./json.ts";
import { BrokenLaw, type Case, outcomeOf, type Target } from "./target.ts";

/** What two failures have in common when they are the same fault: the error and where it was thrown. */
export function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof BrokenLaw) return error.message.replaceAll(/[\d.]+/g, "#").slice(0, 80);
  const place = error.stack?.split("\n").find((line) => line.includes("/src/"));
  return `${error.name}: ${place?.trim().replace(/^.*\/(src\/[^)]*).*$/, "$1") ?? ""}`;
}

/** A smaller case with the same fault, as far as a bounded number of tries finds one. */
export async function shrink(target: Target, given: Case, fault: string, tries = 2000): Promise<Case> {
  let [best, left, found] = [given, tries, true];
  while (found && left > 0) {
    found = false;
    for (const smaller of smallerOnes(best)) {
      left -= 1;
      if (left <= 0) break;
      const outcome = await outcomeOf(target, smaller);
      if (typeof outcome === "string" || faultOf(outcome.crash) !== fault) continue;
      [best, found] = [smaller, true];
      break;
    }
  }
  return best;
}

function* smallerOnes(given: Case): Generator<Case> {
  if (given instanceof Uint8Array) yield* smallerBytes(given);
  else yield* smallerJson(given, true);
}

function* smallerBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let size = Math.ceil(bytes.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < bytes.length; at += size) {
      yield Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + size)]);
    }
    if (bytes.length / size > 200) return;
  }
}

/** The parts of a case itself stay: without one of them the target has nothing to run. */
function* smallerJson(value: Json, isCase = false): Generator<Json> {
  if (typeof value === "string") {
    if (value.length > 1)
      yield* [value.slice(0, value.length / 2), value.slice(value.length / 2), value.slice(0, -1)];
  } else if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (list.length > 2) yield list.slice(0, list.length / 2);
    for (const [at, child] of list.entries()) {
      yield list.toSpliced(at, 1);
      for (const smaller of smallerJson(child)) yield list.with(at, smaller);
    }
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value as { readonly [key: string]: Json });
    if (!isCase) for (const at of entries.keys()) yield Object.fromEntries(entries.toSpliced(at, 1));
    for (const [at, [key, child]] of entries.entries())
      for (const smaller of smallerJson(child)) yield Object.fromEntries(entries.with(at, [key, smaller]));
  }
}
