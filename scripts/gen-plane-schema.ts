// Writes packages/plane/schema/{core,other}.ts from the OpenAPI documents of a real API server (the cluster that KUBECONFIG names):
// field names, types and merge keys of the built-in kinds, one type a line, in the notation that packages/plane/schema/types.ts reads.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
}

const groups = [
  "api/v1",
  "apis/admissionregistration.k8s.io/v1",
  "apis/apiextensions.k8s.io/v1",
  "apis/apps/v1",
  "apis/authentication.k8s.io/v1",
  "apis/authorization.k8s.io/v1",
  "apis/autoscaling/v1",
  "apis/autoscaling/v2",
  "apis/batch/v1",
  "apis/coordination.k8s.io/v1",
  "apis/discovery.k8s.io/v1",
  "apis/events.k8s.io/v1",
  "apis/networking.k8s.io/v1",
  "apis/policy/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/scheduling.k8s.io/v1",
  "apis/storage.k8s.io/v1",
];
const scalars: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "q",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "t",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "u",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "x",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "r",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "r",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON": "a",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": "a",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": "a",
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": "a",
};

const all = new Map<string, Schema>();
for (const group of groups) {
  const text = execFileSync(process.env["KUBECTL"] ?? "kubectl", ["get", "--raw", `/openapi/v3/${group}`], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const schemas: Record<string, Schema> = JSON.parse(text).components.schemas;
  for (const [name, schema] of Object.entries(schemas)) all.set(name, schema);
}

/** The kind's own name, with its group in front where the core group has the same. */
function short(full: string): string {
  const name = full.split(".").at(-1) ?? "";
  const group = /^io\.k8s\.api\.([a-z]+)\.(v\d+)/.exec(full);
  if (!group || group[1] === "core" || !all.has(`io.k8s.api.core.v1.${name}`)) {
    return group?.[1] === "autoscaling" && group[2] === "v1" && name !== "Scale" ? `v1.${name}` : name;
  }
  return `${group[1]}.${name}`;
}

function typeOf(schema: Schema): string {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref) {
    const full = ref.replace("#/components/schemas/", "");
    return (scalars[full] ?? short(full)) + marks(schema);
  }
  if (schema.type === "array") return `[${typeOf(schema.items ?? {})}]${marks(schema)}`;
  if (schema.type === "object")
    return schema.additionalProperties ? `{${typeOf(schema.additionalProperties)}}${marks(schema)}` : "r";
  if (schema.type === "string") return schema.format === "byte" ? "y" : "s";
  if (schema.type === "integer") return schema.format === "int64" ? "l" : "i";
  return { number: "n", boolean: "b" }[schema.type ?? ""] ?? "a";
}

/** Merge keys: `/key` for strategic merge, `/` for a merged list of scalars, `!k1,k2` or `!` for apply, `~` retainKeys, `^` atomic map. */
function marks(schema: Schema): string {
  const strategy = schema["x-kubernetes-patch-strategy"] ?? "";
  const key = schema["x-kubernetes-patch-merge-key"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const listType = schema["x-kubernetes-list-type"];
  let out = strategy.includes("merge") && schema.type === "array" ? `/${key ?? ""}` : "";
  if (listType === "map") out += `!${keys.join(",")}`;
  else if (listType === "set") out += "!";
  if (strategy.includes("retainKeys")) out += "~";
  if (schema["x-kubernetes-map-type"] === "atomic") out += "^";
  return out;
}

const skip =
  /(List|Status|WatchEvent|APIGroup|APIResource.*|DeleteOptions|MicroTime|Time|Quantity|Patch|IntOrString)$/;
const lines = new Map<string, string>();
for (const [full, schema] of all) {
  if (scalars[full] || !schema.properties) continue;
  if (schema.properties["items"] && full.endsWith("List")) continue;
  if (skip.test(full) && full.includes("apimachinery") && !full.endsWith("LabelSelector")) continue;
  const fields = Object.entries(schema.properties).map(
    ([name, value]) => `${name}${schema.required?.includes(name) ? "*" : ""}:${typeOf(value)}`,
  );
  const mapType = schema["x-kubernetes-map-type"] === "atomic" ? "^" : "";
  lines.set(full, `${short(full)}${mapType} ${fields.join(" ")}`);
}
const of = (test: (full: string) => boolean) =>
  [...lines]
    .filter(([full]) => test(full))
    .map(([, line]) => line)
    .toSorted();
const core = (full: string) => full.includes(".api.core.");
for (const [file, what, list] of [
  ["core", "the core group", of(core)],
  ["other", "every other group and the shared metadata", of((full) => !core(full))],
] as const) {
  writeFileSync(
    join(import.meta.dirname, `../packages/plane/schema/${file}.ts`),
    `// Written by scripts/gen-plane-schema.ts from a real API server; do not edit.\n/** Types of ${what}; the notation is in types.ts. */\nexport const ${file} = \`\n${list.join("\n")}\n\`;\n`,
  );
  console.log(file, list.length);
}
