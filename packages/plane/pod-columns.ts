import { age } from "./age.ts";
import type { Column } from "./columns.ts";
import { type Json, type KubeObject, listAt, mapAt, numberAt, textAt } from "./object.ts";

/** The columns of `kubectl get pods` after the name. */
export const podColumns: readonly Column[] = [
  { name: "Ready", type: "string", cell: ready },
  { name: "Status", type: "string", cell: podReason },
  { name: "Restarts", type: "string", cell: restarts },
  { name: "Age", type: "string", cell: (o, now) => age(o.metadata.creationTimestamp, now) },
  { name: "IP", type: "string", priority: 1, cell: (o) => textAt(o.status, "podIP") ?? "<none>" },
  { name: "Node", type: "string", priority: 1, cell: (o) => textAt(o.spec, "nodeName") ?? "<none>" },
  { name: "Nominated Node", type: "string", priority: 1, cell: () => "<none>" },
  { name: "Readiness Gates", type: "string", priority: 1, cell: () => "<none>" },
];

function statuses(o: KubeObject): readonly Json[] {
  return listAt(o.status, "containerStatuses");
}

function ready(o: KubeObject): string {
  const up = statuses(o).filter((s) => mapAt({ s }, "s")["ready"] === true && running(s)).length;
  return `${up}/${listAt(o.spec, "containers").length}`;
}

function running(status: Json): boolean {
  return mapAt(status, "state")["running"] !== undefined;
}

function restarts(o: KubeObject, nowMs: number): string {
  let total = 0;
  let last = "";
  for (const status of statuses(o)) {
    total += numberAt(status, "restartCount") ?? 0;
    const at = textAt(mapAt(mapAt(status, "lastState"), "terminated"), "finishedAt") ?? "";
    if (at > last) last = at;
  }
  return total > 0 && last !== "" ? `${total} (${age(last, nowMs)} ago)` : String(total);
}

/** What kubectl shows as the status: the most telling of phase, reasons and exit codes. */
function podReason(o: KubeObject): string {
  let reason = textAt(o.status, "reason") ?? textAt(o.status, "phase") ?? "";
  const inits = listAt(o.status, "initContainerStatuses");
  const blocked = inits.findIndex((s) => numberAt(mapAt(mapAt(s, "state"), "terminated"), "exitCode") !== 0);
  if (blocked >= 0)
    reason = initReason(inits[blocked] ?? null, blocked, listAt(o.spec, "initContainers").length);
  else {
    let alive = false;
    for (const status of statuses(o).toReversed()) {
      const said = containerReason(status);
      if (said !== undefined) reason = said;
      else if (running(status)) alive = true;
    }
    if (reason === "Completed" && alive) reason = "Running";
  }
  return o.metadata.deletionTimestamp === undefined ? reason : "Terminating";
}

function containerReason(status: Json): string | undefined {
  const waiting = textAt(mapAt(mapAt(status, "state"), "waiting"), "reason");
  if (waiting) return waiting;
  const terminated = mapAt(mapAt(status, "state"), "terminated");
  const reason = textAt(terminated, "reason");
  if (reason) return reason;
  const code = numberAt(terminated, "exitCode");
  return code === undefined ? undefined : `ExitCode:${code}`;
}

function initReason(status: Json, index: number, total: number): string {
  const terminated = mapAt(mapAt(status, "state"), "terminated");
  const code = numberAt(terminated, "exitCode");
  if (code !== undefined) return `Init:${textAt(terminated, "reason") ?? `ExitCode:${code}`}`;
  const waiting = textAt(mapAt(mapAt(status, "state"), "waiting"), "reason");
  if (waiting && waiting !== "PodInitializing") return `Init:${waiting}`;
  return `Init:${index}/${total}`;
}
