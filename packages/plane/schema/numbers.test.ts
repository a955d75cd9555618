import { expect, test } from "vitest";
import { numbers } from "./numbers.ts";
import { type FieldType, structOf } from "./types.ts";

interface Numbered {
  readonly field: string;
  readonly number: number;
  readonly inline: string | undefined;
}

const messages = new Map(
  numbers
    .trim()
    .split("\n")
    .map((line): [string, Numbered[]] => {
      const [name = "", ...words] = line.split(" ");
      return [
        name,
        words.map((word) => {
          const [, field = "", number = "", inline] = /^(\w+)=(\d+)(?:>(\w+))?$/.exec(word) ?? [];
          return { field, number: Number(number), inline };
        }),
      ];
    }),
);

/** Everything that a kind is made of. */
function typesOf(name: string, seen = new Set<string>()): Set<string> {
  const struct = structOf(name);
  if (!struct || seen.has(name)) return seen;
  seen.add(name);
  const walk = (type: FieldType): void => {
    if (type.is === "struct") typesOf(type.name, seen);
    else if (type.is !== "scalar") walk(type.of);
  };
  for (const { type } of struct.fields.values()) walk(type);
  return seen;
}

/** The JSON names that a message brings, those of inlined messages in place of the field. */
const jsonNames = (name: string): string[] =>
  (messages.get(name) ?? []).flatMap(({ field, inline }) =>
    inline === undefined ? [field] : jsonNames(inline),
  );

test("no message gives a number or a name twice", () => {
  expect(messages.size).toBeGreaterThan(300);
  for (const [name, fields] of messages) {
    expect(fields.length, name).toBeGreaterThan(0);
    expect(new Set(fields.map((f) => f.number)).size, name).toBe(fields.length);
    expect(new Set(fields.map((f) => f.field)).size, name).toBe(fields.length);
  }
});

// Definitions are sent as JSON by every client, and FieldsV1 is raw bytes that creates do not carry.
const kinds = [
  "ConfigMap Secret Service ServiceAccount Namespace Pod PersistentVolumeClaim PersistentVolume ResourceQuota",
  "Deployment ReplicaSet StatefulSet DaemonSet Job CronJob",
  "Role RoleBinding ClusterRole ClusterRoleBinding Ingress NetworkPolicy PodDisruptionBudget PriorityClass StorageClass",
]
  .join(" ")
  .split(" ");

test.each(kinds)("every field of a %s and of what it is made of has a number", (kind) => {
  const missing = [...typesOf(kind)].flatMap((type) => {
    const named = new Set([...jsonNames(type), "apiVersion", "kind"]);
    return [...(structOf(type)?.fields.keys() ?? [])]
      .filter((field) => !named.has(field))
      .map((f) => `${type}.${f}`);
  });
  expect(missing).toEqual([]);
});
