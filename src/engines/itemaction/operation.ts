import type { StoredItemId, StoredOperationStatus } from "../../api/index.ts";
import { isOperationEnded } from "../../kinds/index.ts";
import type { ActionProgress } from "../../plugins/index.ts";
import type { Observation, Ref, Sample, State } from "../../progress/index.ts";

/** What is kept of a plugin's words: they end in files and on screens. */
const wordsLimit = 1024;

/** The status after a plugin has said how far it is. Numbers that are none are passed over. */
export function advanced(before: StoredOperationStatus, said: ActionProgress): StoredOperationStatus {
  const nCompleted = count(said.nCompleted) ?? before.nCompleted;
  const nTotal = count(said.nTotal) ?? before.nTotal;
  const started = said.started ?? before.started;
  const updated = said.updated ?? before.updated;
  const units = said.units?.slice(0, 64) ?? before.operationUnits;
  const description = said.description?.slice(0, wordsLimit) ?? before.description;
  const failed = said.completed && said.error !== undefined && said.error !== "";
  return {
    ...before,
    phase: said.completed
      ? failed
        ? "Failed"
        : "Completed"
      : started
        ? "InProgress"
        : (before.phase ?? "New"),
    ...(failed && { error: said.error?.slice(0, wordsLimit) }),
    ...(nCompleted && { nCompleted }),
    ...(nTotal && { nTotal }),
    ...(units && { operationUnits: units }),
    ...(description && { description }),
    ...(started && { started }),
    ...(updated && { updated }),
  };
}

/** The status of an operation that nothing more will come of. */
export function failedWith(before: StoredOperationStatus, error: string): StoredOperationStatus {
  return { ...before, phase: "Failed", error: error.slice(0, wordsLimit) };
}

/** Whether an operation has had its time. */
export function isOverdue({ created }: StoredOperationStatus, timeoutMs: number, nowMs: number): boolean {
  const since = Date.parse(created ?? "");
  return Number.isFinite(since) && nowMs > since + timeoutMs;
}

/** An operation as a part of the tree of its run. */
export function observed(
  {
    action,
    item,
    status,
    owner,
  }: {
    readonly action: string;
    readonly item: StoredItemId;
    readonly status: StoredOperationStatus;
    readonly owner: Ref;
  },
  heartbeatAt: number | undefined,
): Observation {
  const { Group, Resource, Namespace, Name } = item;
  const type = Group === "" ? Resource : `${Resource}.${Group}`;
  const place = `${Namespace === "" ? "" : `${Namespace}/`}${Name}`;
  const progress = sampleOf(status);
  const startedAt = moment(status.started ?? status.created);
  const message = status.error ?? messageOf(status);
  const isWaiting = status.phase === "New" || status.phase === undefined;
  return {
    id: `${action} ${type} ${place}`,
    ref: owner,
    kind: "itemoperation",
    title: `${type} ${place} (${action})`,
    state: stateOf(status),
    ...(progress && { progress }),
    ...(startedAt !== undefined && { startedAt }),
    ...(isOperationEnded(status) && { finishedAt: moment(status.updated) ?? heartbeatAt ?? startedAt ?? 0 }),
    ...(message && { message }),
    ...(isWaiting && { waitingFor: { reason: "plugin", message: `plugin ${action} to begin` } }),
    ...(heartbeatAt !== undefined && { signals: { heartbeatAt } }),
  };
}

function stateOf({ phase }: StoredOperationStatus): State {
  switch (phase) {
    case "Completed":
      return "completed";
    case "Failed":
      return "failed";
    case "Canceled":
      return "canceled";
    default:
      return "running";
  }
}

/** Bytes where the plugin counts bytes; anything else is counted as items, and its own word is in the message. */
function sampleOf({
  nCompleted = 0,
  nTotal = 0,
  operationUnits = "",
}: StoredOperationStatus): Sample | undefined {
  if (nCompleted === 0 && nTotal === 0) return undefined;
  const unit = /^b(ytes?)?$/i.test(operationUnits) ? "bytes" : "items";
  return { unit, done: nCompleted, ...(nTotal > 0 && { total: Math.max(nTotal, nCompleted) }) };
}

function messageOf({
  description = "",
  operationUnits = "",
  nCompleted = 0,
  nTotal = 0,
}: StoredOperationStatus): string {
  const isOwnUnit = operationUnits !== "" && !/^(b|bytes?|items?)$/i.test(operationUnits);
  const counted = isOwnUnit && nTotal > 0 ? `${nCompleted} of ${nTotal} ${operationUnits}` : "";
  return [description, counted].filter((part) => part !== "").join(", ");
}

function count(value: number | undefined): number | undefined {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function moment(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isFinite(ms) ? ms : undefined;
}
