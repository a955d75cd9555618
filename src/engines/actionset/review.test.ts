import { expect, test } from "vitest";
import { review } from "./review.ts";

const ask = (kind: string, object: object) =>
  review({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "u1", kind: { group: "cr.kanister.io", version: "v1alpha1", kind }, object },
  })["response"];
const phase = (more: object = {}) => ({
  func: "KubeTask",
  name: "p",
  args: { image: "i", command: ["x"] },
  ...more,
});
const blueprint = (...phases: object[]) => ({ actions: { backup: { phases } } });

test("review() lets good blueprints and ActionSets in", () => {
  expect(ask("Blueprint", blueprint(phase()))).toEqual({ uid: "u1", allowed: true });
  const action = { name: "backup", blueprint: "b", object: { kind: "pvc", name: "x" } };
  expect(ask("ActionSet", { spec: { actions: [action] } })).toEqual({ uid: "u1", allowed: true });
});

test("review() refuses what can never run, with every reason", () => {
  expect(ask("Blueprint", blueprint(phase({ func: "Nope" }), phase()))).toMatchObject({
    allowed: false,
    status: { code: 422, message: expect.stringMatching(/no function "Nope"[^]*the name "p" is taken/) },
  });
  expect(ask("ActionSet", {})).toMatchObject({
    allowed: false,
    status: { message: "an ActionSet needs a spec" },
  });
});

test("review() warns of templates, and does not refuse them", () => {
  const odd = phase({ args: { image: "{{ .Nope }}", command: ["{{ if }}"] } });
  expect(ask("Blueprint", blueprint(odd))).toMatchObject({
    allowed: true,
    warnings: [expect.stringContaining(".Nope"), expect.stringContaining("missing value for if")],
  });
});

test("review() answers nonsense without falling over", () => {
  for (const body of [null, 5, {}, { request: { object: [] } }]) {
    expect(review(body)["response"]).toMatchObject({ allowed: true });
  }
});
