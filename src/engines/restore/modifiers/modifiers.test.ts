import { expect, test } from "vitest";
import { modifierOf } from "./modifiers.ts";

const item = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web-1", namespace: "shop", labels: { app: "web" } },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [
          { name: "a", image: "x" },
          { name: "b", image: "y" },
        ],
        tolerations: [{ key: "t" }],
      },
    },
  },
};
const rule = (conditions: string, patch: string): string => `version: v1
resourceModifierRules:
- conditions:
    groupResource: deployments.apps
${conditions}
${patch}`;
const replicas = `  patches:
  - {operation: replace, path: /spec/replicas, value: "3"}`;

test.each([
  ["without other conditions", "", 3],
  ["by name", '    resourceNameRegex: "^web-[0-9]$"', 3],
  ["by another name", '    resourceNameRegex: "^db"', 1],
  ["by a name in Go's syntax", '    resourceNameRegex: "(?i)^(WE+)+B-[[:digit:]]$"', 3],
  ["by namespace", "    namespaces: [other, shop]", 3],
  ["by another namespace", "    namespaces: [other]", 1],
  ["by label", "    labelSelector: {matchLabels: {app: web}}", 3],
  ["by another label", "    labelSelector: {matchLabels: {app: db}}", 1],
  ["by value", '    matches: [{path: /spec/replicas, value: "1"}]', 3],
  ["by another value", '    matches: [{path: /spec/replicas, value: "2"}]', 1],
  ["by a value that is not there", '    matches: [{path: /spec/none, value: "2"}]', 1],
])("modifierOf() changes an item %s", (_title, conditions, want) => {
  const changed = modifierOf(rule(conditions, replicas))("deployments.apps", item);
  expect(changed["spec"]).toMatchObject({ replicas: want });
});

test("modifierOf() takes types by pattern and leaves others alone", () => {
  const modify = modifierOf(rule("", replicas).replace("deployments.apps", '"*.apps"'));
  expect(modify("deployments.apps", item)["spec"]).toMatchObject({ replicas: 3 });
  expect(modify("pods", item)).toBe(item);
});

test.each([
  ["a number", "7", 7],
  ["a quoted number", "'\"7\"'", "7"],
  ["a boolean", '"true"', true],
  ["a text", '"hello"', "hello"],
  ["an object", "'{\"a\": [1]}'", { a: [1] }],
  ["null", '"null"', null],
  ["a number that JSON does not know", '"007"', "007"],
  ["nothing", '""', ""],
])("modifierOf() reads %s as a value", (_title, text, want) => {
  const patch = `  patches:\n  - {operation: add, path: /spec/new, value: ${text}}`;
  expect(modifierOf(rule("", patch))("deployments.apps", item)["spec"]).toHaveProperty("new", want);
});

test.each([
  [
    "add to a list",
    '{operation: add, path: /spec/template/spec/tolerations/-, value: \'{"key":"u"}\'}',
    { tolerations: [{ key: "t" }, { key: "u" }] },
  ],
  [
    "insert into a list",
    '{operation: add, path: /spec/template/spec/tolerations/0, value: \'{"key":"u"}\'}',
    { tolerations: [{ key: "u" }, { key: "t" }] },
  ],
  ["remove from a list", "{operation: remove, path: /spec/template/spec/tolerations/0}", { tolerations: [] }],
  [
    "replace in a list",
    "{operation: replace, path: /spec/template/spec/containers/1/image, value: z}",
    {
      containers: [
        { name: "a", image: "x" },
        { name: "b", image: "z" },
      ],
    },
  ],
  [
    "copy",
    "{operation: copy, from: /spec/template/spec/tolerations, path: /spec/template/spec/copied}",
    { copied: [{ key: "t" }] },
  ],
  [
    "move",
    "{operation: move, from: /spec/template/spec/tolerations, path: /spec/template/spec/moved}",
    { moved: [{ key: "t" }] },
  ],
])("modifierOf() can %s", (_title, operation, want) => {
  const changed = modifierOf(rule("", `  patches:\n  - ${operation}`))("deployments.apps", item);
  const spec = (changed as unknown as typeof item).spec.template.spec;
  expect(spec).toMatchObject(want);
});

test("modifierOf() merges, and merges strategically", () => {
  const patch = (kind: string) =>
    `  ${kind}:\n  - patchData: '{"spec":{"replicas":null,"template":{"spec":{"containers":[{"name":"b","image":"new"}]}}}}'`;
  const merged = modifierOf(rule("", patch("mergePatches")))("deployments.apps", item);
  expect(merged["spec"]).toEqual({
    template: { spec: { containers: [{ name: "b", image: "new" }], tolerations: [{ key: "t" }] } },
  });
  const strategic = modifierOf(rule("", patch("strategicPatches")))("deployments.apps", item);
  expect(strategic["spec"]).toEqual({
    template: {
      spec: {
        containers: [
          { name: "a", image: "x" },
          { name: "b", image: "new" },
        ],
        tolerations: [{ key: "t" }],
      },
    },
  });
});

test("modifierOf() applies strategic directives", () => {
  const patch = `  strategicPatches:\n  - patchData: '{"spec":{"template":{"spec":{"containers":[{"name":"a","$patch":"delete"},{"name":"c","image":"n"}],"tolerations":[{"key":"new"}]}}}}'`;
  const changed = modifierOf(rule("", patch))("deployments.apps", item) as unknown as typeof item;
  expect(changed.spec.template.spec).toEqual({
    containers: [
      { name: "b", image: "y" },
      { name: "c", image: "n" },
    ],
    tolerations: [{ key: "new" }],
  });
});

test.each([
  ["no YAML", "a: [", "no YAML"],
  ["an alias", "a: &x 1\nb: *x\nversion: v1", "no YAML"],
  ["another version", "version: v2\nresourceModifierRules: []", "version"],
  ["no rules", "version: v1", "resourceModifierRules"],
  ["no type", "version: v1\nresourceModifierRules:\n- conditions: {}\n  patches: []", "groupResource"],
  ["no patch", "version: v1\nresourceModifierRules:\n- conditions: {groupResource: pods}", "exactly one of"],
  ["two kinds of patch", rule("", `${replicas}\n  mergePatches: [{patchData: "{}"}]`), "exactly one of"],
  ["an unknown operation", rule("", "  patches: [{operation: delete, path: /a}]"), "no operation"],
  [
    "a look-ahead, which Go does not have",
    rule('    resourceNameRegex: "(?=a)"', replicas),
    "rule 1: regexp",
  ],
  ["a reference back", rule("    resourceNameRegex: '(a)\\1'", replicas), "rule 1: regexp"],
  ["a pattern that is none", rule('    resourceNameRegex: "["', replicas), "rule 1"],
  ["JSON that is none", rule("", "  patches: [{operation: add, path: /a, value: '{'}]"), "no JSON"],
])("modifierOf() refuses %s", (_title, text, reason) => {
  expect(() => modifierOf(text)).toThrow(
    expect.objectContaining({ code: "MODIFIER_INVALID", message: expect.stringContaining(reason) }),
  );
});

test.each([
  ["a place that is not there", "{operation: replace, path: /spec/none/deep, value: x}"],
  ["a list's end that is none", "{operation: remove, path: /spec/template/spec/containers/9}"],
  ["the name", "{operation: remove, path: /metadata/name}"],
  ["a test that fails", '{operation: test, path: /spec/replicas, value: "9"}'],
])("modifierOf() says when a patch does not fit: %s", (_title, operation) => {
  expect(() => modifierOf(rule("", `  patches:\n  - ${operation}`))("deployments.apps", item)).toThrow(
    expect.objectContaining({
      code: "MODIFIER_INVALID",
      message: expect.stringContaining("rule 1") as string,
    }),
  );
});

test("modifierOf() cannot pollute anything", () => {
  const patch = '  patches:\n  - {operation: add, path: /__proto__/polluted, value: "1"}';
  expect(() => modifierOf(rule("", patch))("deployments.apps", item)).toThrow("nothing at");
  const merge = `  mergePatches:\n  - patchData: '{"__proto__":{"polluted":1}}'`;
  modifierOf(rule("", merge))("deployments.apps", item);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("modifierOf() keeps an item in its namespace", () => {
  const merge = `  mergePatches:\n  - patchData: '{"metadata":{"namespace":"kube-system"}}'`;
  expect(modifierOf(rule("", merge))("deployments.apps", item).metadata.namespace).toBe("shop");
});
