import { createHash } from "node:crypto";
import { isTerminal, type Operation, titleOf } from "../../progress/index.ts";
import { type Form, present, type Telling } from "../telling.ts";

/** A trace holds so many spans at most; what is deepest is left out. */
const mostSpans = 2_000;
const internalKind = 1;
const [okCode, errorCode] = [1, 2];

/**
 * OpenTelemetry over HTTP in its JSON encoding: one trace for each operation when it is over, a span for each part that has begun.
 * The trace id is the object's uid without its dashes, so that whoever knows the one finds the other.
 */
export const otlp: Form = {
  compose(telling, { url, headers }) {
    if (!isTerminal(telling.operation.state)) return undefined;
    const body = traceOf(telling);
    if (!body) return undefined;
    return {
      url: `${url.replace(/\/+$/, "").replace(/\/v1\/traces$/, "")}/v1/traces`,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    };
  },
};

/** The trace of an operation that is over; nothing where it never began. */
function traceOf({ operation, cluster, namespace, about }: Telling): object | undefined {
  const traceId = traceIdOf(operation);
  const spans = spansOf(operation, traceId);
  if (spans.length === 0) return undefined;
  const resource = { "service.name": "headway", "service.namespace": namespace, "k8s.cluster.name": cluster };
  const [first, ...rest] = spans;
  const named = {
    ...first,
    attributes: [...(first?.attributes ?? []), ...attributesOf({ "headway.namespaces": about.join(",") })],
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: "headway" }, spans: [named, ...rest] }],
      },
    ],
  };
}

/** 32 hexadecimal digits: the uid of the object, or a digest of what names it. */
function traceIdOf({ ref, id }: Operation): string {
  const bare = (ref.uid ?? "").replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(bare) && !/^0+$/.test(bare) ? bare : digest(ref.uid ?? id, 32);
}

interface Span {
  readonly attributes: readonly object[];
  readonly [key: string]: unknown;
}

function spansOf(root: Operation, traceId: string): readonly Span[] {
  const spans: Span[] = [];
  // Breadth first: the bound cuts the deepest parts.
  const rest: { part: Operation; path: string; parent: string; endMs: number }[] = [
    { part: root, path: "", parent: "", endMs: root.finishedAt ?? root.startedAt ?? 0 },
  ];
  for (let next = rest.shift(); next && spans.length < mostSpans; next = rest.shift()) {
    const { part, path, parent } = next;
    if (part.startedAt === undefined) continue;
    const endMs = Math.max(part.startedAt, part.finishedAt ?? next.endMs);
    const spanId = digest(`${traceId}/${path}`, 16);
    spans.push({ ...(parent !== "" && { parentSpanId: parent }), ...spanOf(part, endMs), traceId, spanId });
    for (const child of part.children)
      rest.push({ part: child, path: `${path}/${child.id}`, parent: spanId, endMs });
  }
  return spans;
}

function spanOf(part: Operation, endMs: number): Span {
  const { kind, ref, state, progress, warnings, errors, message, startedAt = endMs } = part;
  const failed = state === "failed" || state === "partially-failed";
  return {
    name: titleOf(part),
    kind: internalKind,
    startTimeUnixNano: nanos(startedAt),
    endTimeUnixNano: nanos(endMs),
    attributes: attributesOf({
      "headway.kind": kind,
      "headway.state": state,
      "headway.warnings": warnings,
      "headway.errors": errors,
      "headway.done": progress?.done,
      "headway.total": progress?.total,
      "headway.unit": progress?.unit,
      "k8s.object.kind": ref.kind,
      "k8s.object.name": ref.name,
      "k8s.namespace.name": ref.namespace,
    }),
    status: failed ? present({ code: errorCode, message }) : { code: state === "completed" ? okCode : 0 },
  };
}

function attributesOf(given: Readonly<Record<string, string | number | undefined>>): readonly object[] {
  return Object.entries(given).flatMap(([key, value]): object[] => {
    if (value === undefined || value === "") return [];
    if (typeof value === "string") return [{ key, value: { stringValue: value } }];
    // Whole numbers are text in this encoding, since JSON has no 64 bits.
    return [
      { key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } },
    ];
  });
}

function nanos(ms: number): string {
  return `${Math.max(0, Math.round(ms))}000000`;
}

function digest(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
