import { expect, onTestFinished, test } from "vitest";
import { Spool } from "./archive/spool.ts";
import { Outcomes } from "./outcomes.ts";

test("Outcomes tells what became of each item, sorted, in target namespaces", async () => {
  const spool = await Spool.open();
  onTestFinished(async () => await spool.close());
  for (const name of ["b", "a", "c"])
    spool.add({ groupResource: "pods", namespace: "shop", name }, Buffer.from("{}"), true);
  spool.add({ groupResource: "deployments.apps", namespace: "shop", name: "d" }, Buffer.from("{}"), true);
  spool.add({ groupResource: "nodes", namespace: "", name: "n" }, Buffer.from("{}"), true);
  const outcomes = new Outcomes(spool.size);
  outcomes.set(0, "v1/Pod", "created");
  outcomes.set(1, "v1/Pod", "failed");
  outcomes.set(3, "apps/v1/Deployment", "updated");
  outcomes.set(4, "v1/Node", "skipped");
  outcomes.add("v1/Namespace", "copy", "created");
  const text = [...outcomes.json(spool, () => "copy")].join("");
  expect(JSON.parse(text)).toEqual({
    "apps/v1/Deployment": ["copy/d(updated)"],
    "v1/Namespace": ["copy(created)"],
    "v1/Node": ["n(skipped)"],
    "v1/Pod": ["copy/a(failed)", "copy/b(created)"],
  });
  expect(outcomes.get(2)).toBeUndefined();
});

test("Outcomes of nothing is an empty list", async () => {
  const spool = await Spool.open();
  onTestFinished(async () => await spool.close());
  expect([...new Outcomes(0).json(spool, (name) => name)].join("")).toBe("{}");
});
