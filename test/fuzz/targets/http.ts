import { ApiError } from "../../../src/kube/index.ts";
import { type AppOptions, createApp } from "../../../src/server/app.ts";
import type { ClusterPart } from "../../../src/server/cluster-routes.ts";
import { Metrics } from "../../../src/server/metrics.ts";
import { StreamHub } from "../../../src/server/stream-hub.ts";
import { TestClock } from "../../harness/clock.ts";
import { anOperation, FakeObserver } from "../../harness/fake-observer.ts";
import { mutateText } from "../bytes.ts";
import { anyJson, hostileText, mutateJson } from "../json.ts";
import { BrokenLaw, target } from "../target.ts";

const paths = [
  "/api/operations",
  "/api/operations/velero/Backup/b",
  "/api/operations/velero/Backup/b/curve",
  "/api/operations/velero/Backup/b/log",
  "/api/operations/velero/Backup/b/results",
  "/api/operations/velero/Backup/b/events",
  "/api/operations/velero/Backup/b/cancel",
  "/api/objects/Backup/velero/b",
  "/api/objects",
  "/api/choices/Namespace",
  "/api/clusters",
  "/api/about",
  "/api/stream",
  "/metrics",
  "/healthz",
];
const made = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b2", namespace: "velero" },
  spec: { includedNamespaces: ["shop"] },
};
const results = '{"errors":{"velero":["a"]},"warnings":{"namespaces":{"shop":["name: /x message: /y"]}}}';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** What lies in the object store. */
  readonly file: string;
}

/** A request, and the file that it may be about. */
export const http = target<{ readonly [K in keyof Asked]: Asked[K] }>({
  name: "http",
  covers:
    "requests to the server of the page, from the path to the body, in one process; every answer must be one that the server means",
  make: (random) => ({
    method: random.of(["GET", "GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS"]),
    path: random.oneIn(3)
      ? random.of(paths)
      : mutateText(random, `${random.of(paths)}?namespace=velero&state=running`, random.of(paths)),
    headers: {
      host: random.oneIn(3) ? hostileText(random) : "localhost",
      authorization: random.oneIn(3) ? hostileText(random) : "Bearer t",
      "last-event-id": random.oneIn(2) ? hostileText(random) : "abcdef01-1",
      "content-type": random.of(["application/json", "text/plain", "multipart/form-data", ""]),
    },
    body: random.oneIn(2)
      ? JSON.stringify(mutateJson(random, made))
      : mutateText(random, JSON.stringify(made), JSON.stringify(anyJson(random))),
    file: random.oneIn(4) ? hostileText(random) : mutateText(random, results),
  }),
  async run(given) {
    const request = requestOf(given);
    if (!request) return false;
    const answer = await app(given.file).fetch(request);
    // What an AppError tells is answered with 502 and its code; 500 is for what nobody foresaw.
    if (answer.status === 500) throw new BrokenLaw(`HTTP 500 to ${given.method}`);
    // However its path was written: a stream has no end of its own.
    if (answer.headers.get("content-type")?.includes("event-stream")) await answer.body?.cancel();
    else await answer.text();
    return answer.status < 400;
  },
});

/** What the platform itself does not take never reaches the server. */
function requestOf({ method, path, headers, body }: Asked): Request | undefined {
  try {
    const hasBody = !["GET", "HEAD"].includes(method);
    return new Request(new URL(path, "http://localhost"), { method, headers, ...(hasBody && { body }) });
  } catch {
    return undefined;
  }
}

/** An API server that knows nothing: what it is asked for in earnest it answers as a real one does. */
const nothing = async () => {
  throw new ApiError("get", { code: 404, reason: "NotFound", message: "not found" });
};
const client = {
  get: nothing,
  list: async () => [],
  create: async (_: unknown, object: unknown) => object,
  patch: async (_: unknown, name: string) => ({ metadata: { name } }),
  watch: nothing,
} as unknown as ClusterPart["client"]; // the methods that routes use

function app(file: string) {
  const [observer, clock] = [new FakeObserver(), new TestClock()];
  observer.set(anOperation("b"));
  const hub = new StreamHub({ observer, clock });
  const options: AppOptions = {
    observer,
    hub,
    clock,
    metrics: new Metrics(observer, () => 0),
    authorizer: { check: async () => 200 },
    clusters: new Map([["", { client, writes: true, readFile: async () => file }]]),
    hosts: [],
    isReady: () => true,
  };
  return createApp(options);
}
