// Sends the same random requests to the embedded server and to the real one of KUBECONFIG and compares every answer, after
// normalising uids, times and versions.
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../harness/random.ts";
import {
  type Answer,
  type Body,
  embedded,
  real,
  type Target,
  until,
} from "../../system/kubernetes/request.ts";

const requests = Number(process.env["HEADWAY_DIFFERENTIAL"] ?? 5000);
const seed = Number(process.env["HEADWAY_SEED"] ?? 20261115);
const ns = `diff-${Math.random().toString(36).slice(2, 8)}`;
const group = `${ns}.example.com`;

describe("embedded and real", () => {
  let ours: Target;
  let theirs: Target;

  beforeAll(async () => {
    ours = await embedded();
    theirs = real(process.env["KUBECONFIG"] ?? "");
    for (const target of [ours, theirs]) {
      await target.call("POST", "/api/v1/namespaces", { metadata: { name: ns } });
      await target.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "things", kind: "Thing" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              subresources: { status: {} },
              schema: { openAPIV3Schema: thingSchema },
            },
          ],
        },
      });
      await until(
        () => target.call("GET", `/apis/${group}/v1/namespaces/${ns}/things`),
        ({ code }) => code === 200,
      );
    }
  });

  afterAll(async () => {
    for (const target of [ours, theirs]) {
      await target.call("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${group}`);
      await target.call("DELETE", `/api/v1/namespaces/${ns}`);
      await target.close();
    }
  });

  test(`${requests} random requests from seed ${seed} get the same answers`, async () => {
    const random = seededRandom(seed);
    const seen = new Map<number, number>();
    const differences: object[] = [];
    for (let i = 0; i < requests; i++) {
      const step = choose(random);
      const [a, b] = await Promise.all([send(ours, step), send(theirs, step)]);
      seen.set(b.code, (seen.get(b.code) ?? 0) + 1);
      if (!isDeepStrictEqual(plain(a), plain(b)))
        differences.push({ request: i, step, ours: plain(a), theirs: plain(b) });
      if (differences.length === 5) break;
    }
    expect(differences).toEqual([]);
    // A comparison that only ever saw refusals would prove little.
    for (const code of [200, 201, 404, 409, 422])
      expect(seen.get(code), `answers with ${code}`).toBeGreaterThan(requests / 200);
  }, 600_000);
});

const thingSchema: Body = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        n: { type: "integer", minimum: 0, maximum: 5 },
        s: { type: "string", default: "d" },
        list: { type: "array", items: { type: "string" } },
      },
    },
    status: { type: "object", properties: { phase: { type: "string" } } },
  },
};

interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

function send(target: Target, step: Step): Promise<Answer> {
  return target.call(step.method, step.path, step.body, step.type === undefined ? {} : { type: step.type });
}

function choose(random: () => number): Step {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const name = pick(["a", "b", "c", "d", "e", "Bad_Name"]);
  const kind = pick(["configmaps", "secrets", "things"] as const);
  const base =
    kind === "things" ? `/apis/${group}/v1/namespaces/${ns}/things` : `/api/v1/namespaces/${ns}/${kind}`;
  const labels = random() < 0.6 ? { app: pick(["x", "y"]), ...(random() < 0.1 && { bad: "-" }) } : undefined;
  const finalizers = random() < 0.1 ? ["example.com/hold"] : undefined;
  const content = contentOf(kind, pick, random);
  const object = {
    ...(kind === "things" && { apiVersion: `${group}/v1`, kind: "Thing" }),
    metadata: { name, ...(labels && { labels }), ...(finalizers && { finalizers }) },
    ...content,
  };
  const dry = random() < 0.1 ? "?dryRun=All" : "";
  const item = `${base}/${name}${dry}`;
  const selector = pick(["app=x", "app!=x", "app in (x,y)", "!app", "app"]);
  const steps: readonly (() => Step)[] = [
    () => ({ method: "POST", path: `${base}${dry}`, body: object }),
    () => ({ method: "POST", path: `${base}${dry}`, body: object }),
    () => ({ method: "GET", path: `${base}/${name}` }),
    () => ({ method: "PUT", path: item, body: object }),
    () => ({
      method: "PATCH",
      path: item,
      type: "application/merge-patch+json",
      body: { metadata: { labels: labels ?? null, ...(random() < 0.5 && { finalizers: null }) }, ...content },
    }),
    () => ({
      method: "PATCH",
      path: item,
      type: "application/json-patch+json",
      body: [
        {
          op: pick(["add", "replace", "remove", "test"]),
          path: pick(["/metadata/labels", "/metadata/labels/app", "/data/k", "/spec/n"]),
          value: pick<unknown>(["x", { app: "z" }, 3]),
        },
      ],
    }),
    () => ({
      method: "DELETE",
      path: `${base}/${name}`,
      body: random() < 0.2 ? { preconditions: { resourceVersion: "1" } } : undefined,
    }),
    () => ({
      method: "GET",
      path: `${base}?labelSelector=${encodeURIComponent(selector)}&fieldSelector=metadata.name!%3Dkube-root-ca.crt`,
    }),
  ];
  return pick(steps)();
}

function contentOf(kind: string, pick: <T>(list: readonly T[]) => T, random: () => number): object {
  const value = pick(["1", "2"]);
  if (kind === "configmaps")
    return random() < 0.1
      ? { data: { "bad key": value } }
      : { data: { k: value, ...(random() < 0.2 && { z: value }) } };
  if (kind === "secrets")
    return random() < 0.3
      ? { stringData: { k: value } }
      : { data: { k: Buffer.from(value).toString("base64") } };
  return {
    spec: {
      n: pick([1, 2, 3, 9]),
      ...(random() < 0.3 && { s: value }),
      ...(random() < 0.2 && { list: [value] }),
      ...(random() < 0.1 && { odd: 1 }),
    },
    ...(random() < 0.3 && { status: { phase: value } }),
  };
}

/** An answer without what two servers cannot have in common. */
function plain({ code, body, headers }: Answer): unknown {
  const text = JSON.stringify(body, (key, value: unknown) => {
    if (key === "managedFields") return undefined; // ours records appliers only, and says so in docs/embedded-cluster.md
    if (key === "uid") return "UID";
    if (key === "resourceVersion") return "VERSION";
    if (key.endsWith("Timestamp") && typeof value === "string") return "TIME";
    // The real server checks metadata several times on an update and names each fault as often; the set is what counts.
    if (key === "causes" && Array.isArray(value))
      return [...new Set(value.map((cause) => JSON.stringify(cause)))].toSorted();
    return value;
  })
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UID")
    .replaceAll(/in record \(\d+\)/g, "in record (VERSION)")
    .replaceAll(/\\"resourceVersion\\\\?":\\\\?"\d+/g, "VERSION");
  const sorted = JSON.parse(text);
  if (sorted.details?.causes?.length > 1) sorted.message = sorted.message.split(" is invalid:")[0];
  // What a refused patch would have made is quoted whole, in the order of Go's maps and with managed fields.
  if (sorted.message?.includes("patch: Invalid value")) return { code, reason: sorted.reason };
  return { code, body: sorted, warning: headers["warning"] };
}
