import { expect, test } from "vitest";
// The rules by name have no door of their own: they are the default of applyStrategicPatch.
import { rulesByName } from "../../apimachinery/strategic-merge.ts";
import { core } from "../schema/core.ts";
import { other } from "../schema/other.ts";
import { structOf } from "../schema/types.ts";
import { jsonPatch, strategicPatch } from "./patch.ts";

test("jsonPatch() adds by replacing, as the server's library does", () => {
  expect(jsonPatch({ a: 1 }, [{ op: "replace", path: "/b", value: 2 }])).toEqual({ a: 1, b: 2 });
});

test("jsonPatch() hides why it refuses, as the server does", () => {
  expect(() => jsonPatch({ a: 1 }, [{ op: "remove", path: "/nope" }])).toThrow(
    expect.objectContaining({ code: 422, message: expect.stringContaining("rejected our request") }),
  );
});

test("strategicPatch() knows the types of the kinds: a list of the same name is merged in one and replaced in the other", () => {
  const list = (name: string) => ({ spec: { finalizers: [name] }, metadata: { finalizers: [name] } });
  expect(strategicPatch("Namespace", list("a"), list("b"))).toEqual({
    spec: { finalizers: ["b"] },
    metadata: { finalizers: ["a", "b"] },
  });
});

test("strategicPatch() refuses an element without its key as a bad request", () => {
  expect(() => strategicPatch("Pod", {}, { spec: { containers: [{ image: "x" }] } })).toThrow(
    expect.objectContaining({ code: 400, message: expect.stringContaining("merge key: name") }),
  );
});

test("the rules by name agree with the types, but for names that mean two things", () => {
  const differ: string[] = [];
  let agree = 0;
  for (const line of `${core}${other}`.split("\n")) {
    const name = line.split(" ", 1)[0]?.replace("^", "") ?? "";
    for (const [field, { type }] of structOf(name)?.fields ?? []) {
      if (type.is !== "list") continue;
      const byName = rulesByName(field).mergeKey(name.endsWith("Container") ? [{ containerPort: 80 }] : []);
      if (byName !== type.mergeKey) differ.push(`${name}.${field}`);
      else if (byName !== undefined) agree += 1;
    }
  }
  expect(agree).toBeGreaterThan(40);
  expect(differ.toSorted()).toEqual([
    "CustomResourceDefinitionStatus.conditions", // of all kinds with conditions, two replace them
    "EndpointSlice.ports",
    "EndpointSubset.ports",
    "IngressLoadBalancerIngress.ports",
    "LoadBalancerIngress.ports",
    "NamespaceSpec.finalizers",
    "NetworkPolicyEgressRule.ports",
    "NetworkPolicyIngressRule.ports",
    "NodeStatus.addresses", // of endpoints they are replaced
    "ServiceAccount.imagePullSecrets", // of a pod they are merged
    "ValidatingAdmissionPolicyStatus.conditions",
  ]);
});
