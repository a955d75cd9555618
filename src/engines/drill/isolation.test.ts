import { expect, test } from "vitest";
import { parse } from "yaml";
import { contentsOf } from "./contents.ts";
import { egressPolicy, scratchNamespace, usualModifiers } from "./isolation.ts";

interface Rules {
  readonly resourceModifierRules: readonly { readonly conditions: { readonly groupResource: string } }[];
}

test("usualModifiers() has rules for what reaches out, and for the storage class only when one is asked for", () => {
  const types = (text: string) =>
    (parse(text) as Rules).resourceModifierRules.map(({ conditions }) => conditions.groupResource);
  expect(types(usualModifiers())).toEqual(["services", "services", "services", "cronjobs.batch"]);
  expect(types(usualModifiers({ storageClassName: "cheap" }))).toContain("persistentvolumeclaims");
  expect(usualModifiers({ storageClassName: "cheap" })).toContain("cheap");
});

test("scratchNamespace() takes over what decides about the rights of pods, and nothing else", () => {
  const made = scratchNamespace("shop-drill-aaaaa", "u1", {
    labels: { "pod-security.kubernetes.io/enforce": "baseline", team: "x" },
    annotations: { "openshift.io/sa.scc.uid-range": "1/2", "argocd.io/x": "y" },
  });
  expect(made.metadata).toEqual({
    name: "shop-drill-aaaaa",
    labels: { "pod-security.kubernetes.io/enforce": "baseline", "headway.dev/drill-uid": "u1" },
    annotations: { "openshift.io/sa.scc.uid-range": "1/2" },
  });
});

test("egressPolicy() lets pods talk to copies of the same drill and to DNS only", () => {
  const { spec } = egressPolicy("a", "u1");
  expect(spec.policyTypes).toEqual(["Egress"]);
  expect(spec.egress).toHaveLength(2);
  expect(JSON.stringify(spec.egress[0])).toContain("u1");
  expect(spec.egress[1]?.ports?.every(({ port }) => port === 53 || port === 5353)).toBe(true);
});

test("contentsOf() reads namespaces and counts, and takes nothing that is no name", () => {
  const list = { "v1/Pod": ["shop/a", "shop/b", "db/c", "Bad Name/x", 7], "v1/Node": ["n1"], odd: "text" };
  expect(contentsOf(list, undefined)).toEqual({ namespaces: ["db", "shop"], items: 3 });
  expect(contentsOf(list, ["shop"])).toEqual({ namespaces: ["shop"], items: 2 });
  expect(contentsOf("rubbish", [])).toEqual({ namespaces: [], items: 0 });
});
