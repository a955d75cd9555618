import { stalledPart } from "../../progress/index.ts";
import { type Form, sentenceOf, type Telling, timeOf } from "../telling.ts";

/** An alert that is not repeated is over after so many repetitions have been missed. */
const missed = 5;
const failedMs = 3_600_000;
const testMs = 60_000;

interface Alert {
  readonly name:
    | "HeadwayOperationStalled"
    | "HeadwayOperationLate"
    | "HeadwayOperationFailed"
    | "HeadwayTest";
  readonly severity: "info" | "warning" | "critical";
  readonly startMs: number;
  readonly endMs: number;
}

/** The alerts of Alertmanager's API v2. What stands still or is late is repeated until it is over, as Prometheus does. */
export const alertmanager: Form = {
  compose(telling, { url, headers, everyMs }) {
    const alerts = alertsOf(telling, everyMs);
    if (alerts.length === 0) return undefined;
    return {
      url: `${url.replace(/\/+$/, "")}/api/v2/alerts`,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(alerts.map((alert) => bodyOf(alert, telling))),
    };
  },
  // The moment is part of it: the same alert is due again and again.
  shows: ({ told, atMs }) => (told.stalled !== undefined || told.late ? String(atMs) : undefined),
};

function alertsOf({ event, operation, atMs, told }: Telling, everyMs: number): readonly Alert[] {
  const until = atMs + missed * everyMs;
  const started = operation.startedAt ?? atMs;
  const since = told.stalled ?? stalledPart(operation)?.stall?.since ?? started;
  const stalled = (endMs: number) =>
    ({ name: "HeadwayOperationStalled", severity: "warning", startMs: since, endMs }) as const;
  const late = (endMs: number) =>
    ({ name: "HeadwayOperationLate", severity: "warning", startMs: told.dueBy ?? started, endMs }) as const;
  switch (event) {
    case "started":
      return [];
    case "stalled":
      return [stalled(until)];
    case "resumed":
      return [stalled(atMs)];
    case "late":
      return [late(until)];
    case "moved":
      return [...(told.stalled !== undefined ? [stalled(until)] : []), ...(told.late ? [late(until)] : [])];
    case "failed":
      return [
        ...over(),
        { name: "HeadwayOperationFailed", severity: "critical", startMs: atMs, endMs: atMs + failedMs },
      ];
    case "completed":
    case "canceled":
      return over();
    case "test":
      return [{ name: "HeadwayTest", severity: "info", startMs: atMs, endMs: atMs + testMs }];
  }
  function over(): readonly Alert[] {
    return [...(told.stalled !== undefined ? [stalled(atMs)] : []), ...(told.late ? [late(atMs)] : [])];
  }
}

/** The labels name the alert: nothing in them may change while it lasts. */
function bodyOf({ name, severity, startMs, endMs }: Alert, telling: Telling): object {
  const { ref } = telling.operation;
  return {
    labels: {
      alertname: name,
      severity,
      kind: ref.kind,
      namespace: ref.namespace ?? "",
      name: ref.name,
      uid: ref.uid ?? "",
      ...(telling.cluster !== undefined && { cluster: telling.cluster }),
    },
    annotations: { summary: sentenceOf(telling) },
    startsAt: timeOf(Math.min(startMs, endMs)),
    endsAt: timeOf(endMs),
  };
}
