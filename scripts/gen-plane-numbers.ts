// Writes packages/plane/schema/numbers.ts: the field numbers of the protobuf messages in which kubectl sends built-in kinds. They are
// read from the `generated.proto` files of the published Go modules, whose folders are the arguments:
//   node scripts/gen-plane-numbers.ts "$(go list -m -f '{{.Dir}}' k8s.io/api)" "$(go list -m -f '{{.Dir}}' k8s.io/apimachinery)"
// `npm run` has no name for it: it is needed only when the Kubernetes version of the embedded cluster changes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { structOf } from "../packages/plane/schema/types.ts";

/** The first one wins where two groups have a message of the same name. */
const files = [
  "core/v1",
  "admissionregistration/v1",
  "apps/v1",
  "authentication/v1",
  "authorization/v1",
  "autoscaling/v2",
  "autoscaling/v1",
  "batch/v1",
  "coordination/v1",
  "discovery/v1",
  "events/v1",
  "networking/v1",
  "policy/v1",
  "rbac/v1",
  "scheduling/v1",
  "storage/v1",
];

/** One message: its fields in the order of the file. */
type Message = readonly { readonly name: string; readonly number: string; readonly type: string }[];

function messagesIn(file: string): [string, Message][] {
  const text = readFileSync(file, "utf8").replaceAll(/\/\/.*$/gm, "");
  return [...text.matchAll(/^message (\w+) \{([^}]*)\}/gm)].map(([, name = "", body = ""]) => [
    name,
    [...body.matchAll(/(?:optional +([\w.]+)|repeated +([\w.]+)|map<[^>]*>) +(\w+) = (\d+);/g)].map(
      ([, one, many, field = "", number = ""]) => ({
        name: field,
        number,
        type: (one ?? many ?? "").replace(/^.*\./, ""),
      }),
    ),
  ]);
}

const [api, machinery] = process.argv.slice(2);
if (api === undefined || machinery === undefined)
  throw new Error("usage: gen-plane-numbers.ts API APIMACHINERY");
const messages = new Map<string, Message>();
for (const file of [join(machinery, "pkg/apis/meta/v1"), ...files.map((name) => join(api, name))]) {
  for (const [name, message] of messagesIn(join(file, "generated.proto"))) {
    if (!messages.has(name)) messages.set(name, message);
  }
}

/** Whether JSON has the fields of that message in place of the field itself. */
function isInlined(owner: string, field: Message[number]): boolean {
  const struct = structOf(owner);
  const inner = messages.get(field.type);
  if (!struct || !inner || struct.fields.has(field.name)) return false;
  return inner.some((one) => struct.fields.has(one.name));
}

/** A few messages begin a field's name with a capital letter that JSON does not have. */
function jsonName(owner: string, field: string): string {
  const lower = field.replace(/^./, (letter) => letter.toLowerCase());
  return structOf(owner)?.fields.has(lower) === true ? lower : field;
}

const inlined = new Set(
  [...messages].flatMap(([name, fields]) => fields.filter((f) => isInlined(name, f)).map((f) => f.type)),
);
const lines = [...messages]
  .filter(([name, fields]) => fields.length > 0 && (structOf(name) !== undefined || inlined.has(name)))
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, fields]) => {
    const words = fields.map(
      (f) => `${jsonName(name, f.name)}=${f.number}${isInlined(name, f) ? `>${f.type}` : ""}`,
    );
    return [name, ...words].join(" ");
  });
const head = `// Written by scripts/gen-plane-numbers.ts from the published .proto files; do not edit.
/** One message a line: \`Name field=number …\`; \`>Type\` where the field is inlined in JSON. */
export const numbers = \`
`;
writeFileSync(
  join(import.meta.dirname, "../packages/plane/schema/numbers.ts"),
  `${head}${lines.join("\n")}\n\`;\n`,
);
