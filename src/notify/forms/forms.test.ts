import { expect, test } from "vitest";
import { anOperation } from "../../../test/harness/fake-observer.ts";
import type { Operation } from "../../progress/index.ts";
import type { OpenSink, Telling } from "../telling.ts";
import { forms } from "./registry.ts";

const atMs = Date.parse("2026-11-18T04:00:00Z");
const uid = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d";
const sink: OpenSink = {
  name: "s",
  type: "webhook",
  mode: "structured",
  channel: undefined,
  everyMs: 60_000,
  url: "http://x/in",
  headers: { "X-Team": "ops" },
};

function telling(
  event: Telling["event"],
  given: Partial<Operation> = {},
  more: Partial<Telling> = {},
): Telling {
  const base = anOperation("nightly", { startedAt: atMs - 60_000, fraction: 0.434, ...given });
  const operation = { ...base, ref: { ...base.ref, uid } };
  return { event, operation, atMs, cluster: "prod", namespace: "velero", about: ["shop"], told: {}, ...more };
}

function composed(type: OpenSink["type"], what: Telling, given: Partial<OpenSink> = {}) {
  const out = forms[type].compose(what, { ...sink, type, ...given });
  if (!out) throw new Error("nothing was composed");
  return { ...out, json: JSON.parse(out.body) as Record<string, unknown> };
}

const stalled = { stall: { since: atMs - 30_000, cause: "agent-missing" } } as const;

test("a CloudEvent in structured mode has all that version 1.0 asks for", () => {
  const { json, headers, url } = composed("cloudevents", telling("started"));
  expect(url).toBe("http://x/in");
  expect(headers).toMatchObject({
    "content-type": "application/cloudevents+json; charset=utf-8",
    "X-Team": "ops",
  });
  expect(json).toMatchObject({
    specversion: "1.0",
    id: `${uid}.started`,
    source: "/headway/prod/velero",
    type: "dev.headway.operation.started",
    subject: "Backup/velero/nightly",
    time: "2026-11-18T04:00:00.000Z",
    datacontenttype: "application/json",
    data: {
      event: "started",
      text: "Backup nightly has started",
      kind: "Backup",
      name: "nightly",
      share: 0.434,
    },
  });
});

test("a CloudEvent in binary mode has its attributes in headers", () => {
  const { json, headers } = composed("cloudevents", telling("started", {}, { cluster: "größer %" }), {
    mode: "binary",
  });
  expect(headers).toMatchObject({
    "ce-specversion": "1.0",
    "ce-id": `${uid}.started`,
    "ce-type": "dev.headway.operation.started",
    "ce-source": "/headway/gr%25C3%25B6%25C3%259Fer%2520%2525/velero",
    "content-type": "application/json",
  });
  expect(json).toMatchObject({ event: "started" });
});

test("an event that is sent again has the same id, another stall has another", () => {
  const id = (what: Telling) => composed("webhook", what).json["id"];
  expect(id(telling("completed"))).toBe(id(telling("completed", {}, { atMs: atMs + 5_000 })));
  expect(id(telling("stalled", stalled))).toBe(id(telling("stalled", stalled, { atMs: atMs + 5_000 })));
  expect(id(telling("stalled", stalled))).not.toBe(
    id(telling("stalled", { stall: { since: atMs, cause: "agent-missing" } })),
  );
});

test("a webhook is told flat facts, and unknown is absent", () => {
  const { json } = composed("webhook", telling("stalled", stalled));
  expect(json).toMatchObject({
    event: "stalled",
    text:
      "Backup nightly: stalled for 30s: no node agent runs on the node. " +
      String(json["text"]).split(". ")[1],
    stall: { cause: "agent-missing", since: "2026-11-18T03:59:30.000Z", part: "Backup nightly" },
  });
  expect(json).not.toHaveProperty("finishedAt");
  expect(json).not.toHaveProperty("secondsLeft");
});

const chat = { channel: "C1", url: "https://slack.example/api/" };

test("Slack gets one message with a bar that is edited", () => {
  const first = composed("slack", telling("started"), chat);
  expect(first.url).toBe("https://slack.example/api/chat.postMessage");
  expect(first.json).toEqual({
    channel: "C1",
    text: ":arrow_forward: *Backup nightly* on prod\n████████░░░░░░░░░░░░ 43%",
  });
  const learned = forms.slack.accept?.(
    { status: 200, body: '{"ok":true,"channel":"C9","ts":"1.2"}' },
    telling("started"),
  );
  expect(learned).toEqual({ message: { channel: "C9", ts: "1.2" } });
  const later = composed("slack", telling("stalled", stalled, { told: learned ?? {} }), chat);
  expect(later.url).toBe("https://slack.example/api/chat.update");
  expect(later.json).toMatchObject({ channel: "C9", ts: "1.2" });
  expect(later.json["text"]).toMatch(/^:warning: .*43%, stalled for 30s: no node agent/s);
});

test("Slack's incoming webhook gets a message for each event, and nobody can call the channel", () => {
  const { url, json } = composed("slack", telling("failed", { state: "failed", message: "<!channel> & co" }));
  expect(url).toBe("http://x/in");
  expect(json["text"]).toMatch(/^:x: Backup nightly failed: &lt;!channel&gt; &amp; co \(prod\)$/);
  expect(forms.slack.accept?.({ status: 200, body: "ok" }, telling("failed"))).toEqual({});
});

test.each([
  ["ratelimited", {}, { retry: true, isLost: false }],
  ["invalid_auth", {}, { retry: false, isLost: false }],
  ["message_not_found", { message: { channel: "C", ts: "1" } }, { retry: true, isLost: true }],
  ["message_not_found", {}, { retry: false, isLost: false }],
])("Slack's refusal in a good answer: %s", (error, told, want) => {
  const accept = () =>
    forms.slack.accept?.(
      { status: 200, body: JSON.stringify({ ok: false, error }) },
      telling("started", {}, { told }),
    );
  expect(accept).toThrow(expect.objectContaining(want));
});

test("Teams gets an adaptive card", () => {
  const { json } = composed("teams", telling("failed", { state: "failed", errors: 2 }));
  expect(json).toMatchObject({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          type: "AdaptiveCard",
          body: [{ text: "Backup nightly", color: "Attention" }, {}, {}, { type: "FactSet" }],
        },
      },
    ],
  });
});

test.each<[Telling["event"], Partial<Operation>, Telling["told"], readonly (readonly [string, number])[]]>([
  ["stalled", stalled, {}, [["HeadwayOperationStalled", 300]]],
  [
    "moved",
    stalled,
    { stalled: 1, late: true },
    [
      ["HeadwayOperationStalled", 300],
      ["HeadwayOperationLate", 300],
    ],
  ],
  ["resumed", {}, { stalled: 1 }, [["HeadwayOperationStalled", 0]]],
  ["completed", { state: "completed" }, { stalled: 1 }, [["HeadwayOperationStalled", 0]]],
  ["failed", { state: "failed" }, {}, [["HeadwayOperationFailed", 3_600]]],
  ["test", { state: "completed" }, {}, [["HeadwayTest", 60]]],
])("Alertmanager is told of %s", (event, given, told, want) => {
  const { url, json } = composed("alertmanager", telling(event, given, { told }), { url: "http://am:9093/" });
  const alerts = json as unknown as { labels: Record<string, string>; endsAt: string }[];
  expect(url).toBe("http://am:9093/api/v2/alerts");
  expect(
    alerts.map(({ labels, endsAt }) => [labels["alertname"], (Date.parse(endsAt) - atMs) / 1000]),
  ).toEqual(want);
  expect(alerts[0]?.labels).toMatchObject({
    kind: "Backup",
    namespace: "velero",
    name: "nightly",
    uid,
    cluster: "prod",
  });
});

test.each<[Telling["event"], Partial<Operation>]>([
  ["started", {}],
  ["completed", { state: "completed" }],
])("Alertmanager is not told of %s", (event, given) => {
  expect(forms.alertmanager.compose(telling(event, given), sink)).toBeUndefined();
});

test("OpenTelemetry gets one trace for each operation, named by the uid, with a span for each part that began", () => {
  const part = (id: string, given: Partial<Operation>): Operation => ({
    ...anOperation(id, given),
    id,
    title: id,
    kind: "volume",
  });
  const what = telling("failed", {
    state: "failed",
    message: "no room",
    finishedAt: atMs,
    progress: { unit: "bytes", done: 5, total: 2 ** 40, movedAt: atMs },
    children: [
      part("data", {
        state: "failed",
        startedAt: atMs - 30_000,
        children: [part("deep", { state: "completed", startedAt: atMs - 20_000, finishedAt: atMs - 10_000 })],
      }),
      part("never", { state: "skipped" }),
    ],
  });
  const { url, json } = composed("otlp", what, { url: "http://collector:4318" });
  expect(url).toBe("http://collector:4318/v1/traces");
  const [{ resource, scopeSpans }] = json["resourceSpans"] as [
    { resource: object; scopeSpans: [{ spans: Record<string, unknown>[] }] },
  ];
  expect(resource).toMatchObject({
    attributes: [{ key: "service.name", value: { stringValue: "headway" } }, {}, {}],
  });
  const { spans } = scopeSpans[0];
  expect(spans.map(({ name }) => name)).toEqual(["Backup nightly", "data", "deep"]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([uid.replaceAll("-", "")]));
  expect(spans[0]).toMatchObject({
    startTimeUnixNano: `${atMs - 60_000}000000`,
    endTimeUnixNano: `${atMs}000000`,
    status: { code: 2, message: "no room" },
  });
  expect(spans[0]?.["attributes"]).toContainEqual({
    key: "headway.total",
    value: { intValue: String(2 ** 40) },
  });
  expect(spans[1]).toMatchObject({ parentSpanId: spans[0]?.["spanId"], endTimeUnixNano: `${atMs}000000` });
  expect(spans[2]).toMatchObject({ parentSpanId: spans[1]?.["spanId"], status: { code: 1 } });
  expect(spans.every(({ spanId }) => /^[0-9a-f]{16}$/.test(String(spanId)))).toBe(true);
});

test("OpenTelemetry is told at the end only, and of what began", () => {
  expect(forms.otlp.compose(telling("started"), sink)).toBeUndefined();
  const { startedAt: _none, ...never } = anOperation("x", { state: "failed" });
  expect(forms.otlp.compose({ ...telling("failed"), operation: never }, sink)).toBeUndefined();
});

test("a trace of a great many parts is bounded", () => {
  const children = Array.from({ length: 3_000 }, (_, i) => ({
    ...anOperation(`v${i}`, { state: "completed", startedAt: atMs }),
    id: `v${i}`,
  }));
  const { json } = composed("otlp", telling("completed", { state: "completed", finishedAt: atMs, children }));
  const [{ scopeSpans }] = json["resourceSpans"] as [{ scopeSpans: [{ spans: unknown[] }] }];
  expect(scopeSpans[0].spans).toHaveLength(2_000);
});
