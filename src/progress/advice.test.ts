import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { adviceFor, adviceOf } from "./advice.ts";
import { stallCauses } from "./stall.ts";

test.each(stallCauses)("[WD12] %s comes with advice, of the part that stands still", (cause) => {
  const part = anOperation("v", { stall: { since: 0, cause } });
  expect(adviceOf(anOperation("b", { children: [part] }))).toBe(adviceFor(cause));
  expect(adviceFor(cause)).toMatch(/^[A-Z].{10,}/);
});

test("adviceOf() helps where nobody takes the work, and is silent where nothing is to be done", () => {
  expect(adviceOf(anOperation("b", { state: "pending", waitingFor: { reason: "server" } }))).toContain(
    "kubectl get pods",
  );
  expect(adviceOf(anOperation("b", { waitingFor: { reason: "volumes" } }))).toBeUndefined();
  expect(adviceOf(anOperation("b"))).toBeUndefined();
  expect(adviceOf(anOperation("b", { state: "failed" }))).toBeUndefined();
});
