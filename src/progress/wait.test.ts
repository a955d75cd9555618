import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import type { Operation } from "./operation.ts";
import { waitOf, waitWords } from "./wait.ts";

const agent = { reason: "agent", message: "a node agent to take it" } as const;
const waits = (state: Operation["state"]) => anOperation("v", { state, waitingFor: agent });

test.each([
  ["its own wait", { waitingFor: agent, children: [anOperation("moves")] }, agent],
  ["every running part waits", { children: [waits("running"), waits("running")] }, agent],
  ["one part moves", { children: [waits("running"), anOperation("moves")] }, undefined],
  ["nothing runs and the next part waits", { children: [waits("pending"), waits("pending")] }, agent],
  [
    "volumes wait after the items are done",
    {
      children: [
        anOperation("items", { state: "completed" }),
        anOperation("volumes", { state: "pending", children: [waits("pending")] }),
      ],
    },
    agent,
  ],
  ["a later step waits while another runs", { children: [anOperation("now"), waits("pending")] }, undefined],
  ["it is over", { state: "failed", waitingFor: agent }, undefined],
] as const)("[WD6] %s", (_name, given, want) => {
  expect(waitOf(anOperation("b", given))).toEqual(want);
});

test.each([
  [{ reason: "queue" }, "waiting for queue"],
  [{ reason: "queue", message: "its turn" }, "waiting for its turn"],
  [{ reason: "plan", message: "The plan is not ready" }, "waiting: The plan is not ready"],
  [
    { reason: "pod", object: { apiVersion: "v1", kind: "Pod", namespace: "shop", name: "db-0" } },
    "waiting for Pod shop/db-0",
  ],
] as const)("waitWords(%j) is %s", (wait, want) => {
  expect(waitWords(wait)).toBe(want);
});
