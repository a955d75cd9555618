import { isRecord, type OperationStatus, writeOperation } from "../api/index.ts";
import type { MergePatch } from "../kube/index.ts";
import { isVolume, type Memory, type Operation, type Tracked } from "../progress/index.ts";

/** So many parts keep all that the next process needs; an estimate has at most 16 kB of evidence, in practice a tenth of it. */
const fullParts = 40;
/** So many parts are written at all; an object of the API server may have 1.5 MB. */
const maxParts = 800;

/** The status to write, cut to what an object can hold: first the evidence of small parts goes, then long lists. */
export function statusOf({ operation, memory }: Tracked): OperationStatus {
  // Parts without numbers have next to no evidence.
  if (partsOf(operation, ({ weight }) => weight !== 0) <= fullParts) return writeOperation(operation, memory);
  const thin = { ...memory, children: memory.children.map(withoutEvidence) };
  if (partsOf(operation) <= maxParts) return writeOperation(operation, thin);
  const short = withoutSteps(operation);
  return writeOperation(partsOf(short) <= maxParts ? short : withoutLists(short, 0), thin);
}

function partsOf(operation: Operation, counts: (part: Operation) => boolean = () => true): number {
  return operation.children.reduce((sum, child) => sum + partsOf(child, counts), counts(operation) ? 1 : 0);
}

/** Of very many volumes the steps go first: each volume says itself what it waits for. */
function withoutSteps(operation: Operation): Operation {
  return { ...operation, children: isVolume(operation) ? [] : operation.children.map(withoutSteps) };
}

function withoutEvidence({ run: _run, expected: _expected, ...memory }: Memory): Memory {
  return { ...memory, children: memory.children.map(withoutEvidence) };
}

/** The numbers of a list stay with its parent; the objects tell its members again. */
function withoutLists(operation: Operation, depth: number): Operation {
  const children = depth > 0 && operation.children.length > 100 ? [] : operation.children;
  return { ...operation, children: children.map((child) => withoutLists(child, depth + 1)) };
}

/** The merge patch that leaves exactly `next` where `before` was: what is no longer said is taken away. */
export function replacing(before: unknown, next: object): MergePatch {
  const patch: Record<string, unknown> = {};
  if (isRecord(before)) for (const key of Object.keys(before)) patch[key] = null;
  for (const [key, value] of Object.entries(next)) {
    if (value === undefined) continue;
    const was = isRecord(before) ? before[key] : undefined;
    patch[key] = isRecord(value) ? replacing(was, value) : value;
  }
  return patch;
}
