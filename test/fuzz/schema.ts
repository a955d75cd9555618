import { violations } from "../../packages/plane/structural.ts";
import { allKinds, apiVersionOf, crdOf, type KubeObject } from "../../src/api/index.ts";
import type { Kind } from "../../src/api/kind.ts";
import type { Schema } from "../../src/api/schema.ts";
import { anyJson, hostileNumber, hostileText, type Json, mutateJson } from "./json.ts";
import type { Random } from "./random.ts";

const times = [
  "2026-11-16T10:00:00Z",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "2026-11-16T10:00:00.5+14:00",
];
const words = [
  "default",
  "shop",
  "pods",
  "*",
  "deployments.apps",
  "velero",
  "1h0m0s",
  "720h",
  "@daily",
  "0 3 * * *",
  "10Gi",
  "backup-1",
  "restic",
  "kopia",
];
const names = ["shop", "shop-1", "velero", "a", "x".repeat(253)];

/** Words that the code looks for under some keys: blind texts would find few of its branches. */
const byKey: Readonly<Record<string, readonly string[]>> = {
  phase: [
    "New",
    "InProgress",
    "Completed",
    "Failed",
    "Canceled",
    "PartiallyFailed",
    "Finalizing",
    "Prepared",
    "WaitingForPluginOperations",
    "FailedValidation",
    "Restore",
    "Backup",
  ],
  state: ["pending", "running", "complete", "failed", "skipped", "deferred", "attemptingCancel", "completed"],
  operator: ["In", "NotIn", "Exists", "DoesNotExist"],
  kind: ["Pod", "PersistentVolumeClaim", "Namespace", "Deployment", "StatefulSet", "Secret"],
  action: ["copy", "move", "skip"],
  message: ["Step: 7/33", "Running", "Backup velero/b: 3 out of 10 (1 s)"],
};

/** An object that the schema of its kind mostly accepts, in all its odd corners. */
export function anObject(random: Random, kind: Kind): Json {
  const fields = Object.entries(kind.fields).map(
    ([key, schema]) => [key, fromSchema(random, schema, key, 8)] as const,
  );
  const object = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: aMetadata(random),
    ...Object.fromEntries(fields.filter(() => !random.oneIn(12))),
  };
  if (!random.oneIn(3)) return object;
  // Names and versions are the API server's own: what is mutated is the rest.
  const [head, rest] = [
    Object.entries(object).slice(0, 3),
    Object.fromEntries(Object.entries(object).slice(3)),
  ];
  const changed = mutateJson(random, rest);
  const isMap = typeof changed === "object" && changed !== null && !Array.isArray(changed);
  return isMap ? Object.fromEntries([...Object.entries(changed), ...head]) : object;
}

/** The object with the type of its kind, when an API server with our definitions would have stored it. */
export function stored<T extends KubeObject>(given: Json): T | undefined {
  const object = given as unknown as T; // judged in the next lines
  const schema = schemas.get(`${object.apiVersion} ${object.kind}`);
  return schema && violations(given as never, schema as never).length === 0 ? object : undefined;
}

const schemas = new Map(
  allKinds.map((kind) => [
    `${apiVersionOf(kind)} ${kind.kind}`,
    crdOf(kind).spec.versions[0].schema.openAPIV3Schema,
  ]),
);

/** The metadata as an API server checks them, whatever the schema says. */
function aMetadata(random: Random): Json {
  return {
    name: random.of(names),
    namespace: random.of(names.slice(0, 4)),
    ...(!random.oneIn(8) && { uid: random.of(["u1", "u2", "c0ffee00-1111-4222-8333-444455556666"]) }),
    ...(!random.oneIn(8) && { creationTimestamp: random.of(times) }),
    ...(random.oneIn(3) && { labels: aMap(random, () => random.of(["", "shop", "a", "v-1"])) }),
    ...(random.oneIn(3) && { annotations: aMap(random, () => hostileText(random)) }),
    ...(random.oneIn(4) && {
      ownerReferences: [
        {
          apiVersion: "velero.io/v1",
          kind: random.of(["Backup", "Restore", "MigMigration"]),
          name: random.of(names),
          uid: "u1",
        },
      ],
    }),
  };
}

const labels = [
  "velero.io/backup-name",
  "velero.io/restore-name",
  "velero.io/storage-location",
  "velero.io/backup-uid",
  "velero.io/pvc-uid",
  "headway.dev/stall",
  "headway.dev/store-marker",
  "migration.openshift.io/migmigration-name",
  "app",
];

function aMap(random: Random, value: () => Json): Json {
  return Object.fromEntries(
    Array.from({ length: random.size(5) }, () => [random.of(labels), value()] as const),
  );
}

function fromSchema(random: Random, schema: Schema, key: string, depth: number): Json {
  if (schema.nullable && random.oneIn(6)) return null;
  if (schema.enum && !random.oneIn(10)) return random.of(schema.enum);
  if (schema["x-kubernetes-int-or-string"])
    return random.oneIn(2) ? Math.trunc(hostileNumber(random)) : aText(random, schema, key);
  switch (schema.type) {
    case "string":
      return aText(random, schema, key);
    case "integer":
      return bounded(random, schema);
    case "number":
      return hostileNumber(random);
    case "boolean":
      return random.oneIn(2);
    case "array":
      return Array.from({ length: Math.max(schema.minItems ?? 0, depth > 0 ? random.size(5) : 0) }, () =>
        schema.items ? fromSchema(random, schema.items, key, depth - 1) : anyJson(random),
      );
    case "object":
      return aRecord(random, schema, depth);
    default:
      return anyJson(random);
  }
}

function aRecord(random: Random, schema: Schema, depth: number): Json {
  const { properties = {}, required = [], additionalProperties } = schema;
  const has = (key: string) => required.includes(key) || (depth > 0 && !random.oneIn(3));
  const known = Object.entries(properties)
    .filter(([key]) => has(key))
    .map(([key, child]) => [key, fromSchema(random, child, key, depth - 1)] as const);
  const free = additionalProperties
    ? Array.from(
        { length: depth > 0 ? random.size(4) : 0 },
        () =>
          [
            random.oneIn(3) ? hostileText(random) : random.of(words),
            fromSchema(random, additionalProperties, "", depth - 1),
          ] as const,
      )
    : [];
  const open = schema["x-kubernetes-preserve-unknown-fields"]
    ? [[random.of(words), anyJson(random)] as const]
    : [];
  return Object.fromEntries([...known, ...free, ...open]);
}

function aText(random: Random, schema: Schema, key: string): string {
  if (schema.format === "date-time" && !random.oneIn(20)) return random.of(times);
  const known = Object.hasOwn(byKey, key) ? byKey[key] : undefined;
  if (known && !random.oneIn(4)) return random.of(known);
  return random.oneIn(2) ? random.of(words) : hostileText(random);
}

function bounded(random: Random, { minimum = -Infinity, maximum = Infinity }: Schema): number {
  return Math.min(maximum, Math.max(minimum, Math.trunc(hostileNumber(random))));
}
