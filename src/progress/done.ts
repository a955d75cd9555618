import { formatBytes, formatPercent, formatProgress, formatProgressShort } from "./format.ts";
import { type Amount, moved, sum } from "./moved.ts";
import { isTerminal, type Operation } from "./operation.ts";
import type { Sample } from "./progress.ts";
import { isVolume, stepsOf } from "./steps.ts";

/**
 * How far it is: a percent while it runs and when all of it is done. After any other end a percent would read as a
 * promise: what was done is said in numbers.
 */
export function doneWords(operation: Operation): string {
  const { state, fraction, startedAt } = operation;
  if (!isTerminal(state) || state === "completed") return formatPercent(fraction);
  if (state === "skipped") return "";
  return amountsOf(operation) || (startedAt === undefined ? "nothing done" : "");
}

/** The numbers beside `doneWords`, nothing where they only repeat it. */
export function numbersOf(operation: Operation): string {
  if (isTerminal(operation.state)) return operation.state === "completed" ? amountsOf(operation) : "";
  const work = workOf(operation);
  return work && !isEmpty(work) ? formatProgress(work) : "";
}

/** As `numbersOf`, in fewer columns. */
export function numbersShort(operation: Operation): string {
  if (isTerminal(operation.state)) return numbersOf(operation);
  const work = workOf(operation);
  return work && !isEmpty(work) ? formatProgressShort(work) : "";
}

/** `1 error`, `2 errors`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function isEmpty({ done, total }: Sample): boolean {
  return done === 0 && total === undefined;
}

/** What is worth counting in work that is not over: what runs tells more than how many steps are over. */
function workOf(operation: Operation): Sample | undefined {
  const { progress, kind, children, state } = operation;
  if (!progress || progress.unit !== "steps") return progress;
  if (state === "running") {
    const works = children.filter((child) => child.state === "running").map(moved);
    const bytes = works.find((work) => work.bytes)?.bytes;
    if (bytes) return { unit: "bytes", ...bytes };
    const items = works.find((work) => work.items)?.items;
    if (items) return { unit: "items", ...items };
  }
  // Kanister counts phases in hundredths of a percent: those are no steps that anybody takes.
  if (kind === "phase") return undefined;
  if (progress.total !== 1) return progress;
  // A set of one action has as many steps as that action.
  return children[0] && workOf(children[0]);
}

/** `3 of 5 volumes, 1.2 of 1.8 GiB, 412 of 900 items`; nothing when nothing was counted. */
function amountsOf(operation: Operation): string {
  const volumes = volumesIn(operation);
  const steps = stepsOf(operation);
  const isRow = steps.length > 0 && steps.every(({ kind }) => kind === "step" || kind === "phase");
  const row = isRow ? countOf(steps, steps[0]?.kind === "phase" ? "phase" : "step") : "";
  // A migration copies each volume out and in again: their sum is nothing that anybody has.
  if (new Set(volumes.map(({ kind }) => kind)).size > 1) return row;
  const { bytes, items } = moved(operation);
  // Where objects are counted, bytes without volumes are those of the archive, which nobody asked for.
  const copied = volumes.length > 0 ? copiedBytes(volumes) : items ? undefined : bytes;
  return [
    row,
    volumes.length > 0 ? countOf(volumes, "volume") : "",
    copied ? bytesOf(copied) : "",
    items ? itemsOf(items) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function volumesIn(operation: Operation): readonly Operation[] {
  return operation.children.flatMap((child) => (isVolume(child) ? [child] : volumesIn(child)));
}

/** The bytes of the volumes; nothing when one that completed has told none, for the sum would be too small. */
function copiedBytes(volumes: readonly Operation[]): Amount | undefined {
  const amounts = volumes.map((volume) => moved(volume).bytes);
  const isShort = volumes.some(({ state }, i) => state === "completed" && !amounts[i]);
  return isShort ? undefined : sum(amounts.map((amount) => amount ?? { done: 0 }));
}

function countOf(parts: readonly Operation[], noun: string): string {
  const done = parts.filter(({ state }) => state === "completed").length;
  return done === parts.length ? counted(done, noun) : `${done} of ${counted(parts.length, noun)}`;
}

function bytesOf({ done, total, estimated }: Amount): string {
  return total === undefined
    ? done === 0
      ? ""
      : formatBytes(done)
    : formatProgressShort({ unit: "bytes", done, total, ...(estimated && { estimated }) });
}

function itemsOf({ done, total = done }: Amount): string {
  return done === total ? counted(done, "item") : `${done} of ${counted(total, "item")}`;
}
