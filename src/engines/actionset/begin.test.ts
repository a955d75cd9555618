import { expect, test } from "vitest";
import type { ActionSet, Blueprint } from "../../api/index.ts";
import { ApiError, type Client } from "../../kube/index.ts";
import { initialState, planActions, refusedState } from "./begin.ts";

const set: ActionSet = {
  apiVersion: "cr.kanister.io/v1alpha1",
  kind: "ActionSet",
  metadata: { name: "s", namespace: "n" },
  spec: { actions: [{ name: "backup", blueprint: "bp", object: { kind: "pvc", name: "x" } }] },
};
const client = (blueprint?: Pick<Blueprint, "actions">) =>
  ({
    get: async () => {
      if (blueprint) return blueprint;
      throw new ApiError("get", { code: 404, reason: "NotFound", message: "no" });
    },
  }) as unknown as Pick<Client, "get">;
const signal = new AbortController().signal;

test("planActions() and initialState() make a status in which everything waits", async () => {
  const outputArtifacts = { a: { keyValue: { p: "{{ .Time }}" } } };
  const plan = {
    phases: [{ name: "p", func: "KubeTask" }],
    deferPhase: { name: "d", func: "KubeTask" },
    outputArtifacts,
  };
  const planned = await planActions(client({ actions: { backup: plan } }), set, signal);
  expect(initialState(planned)).toEqual({
    state: "pending",
    error: "",
    actions: [
      {
        name: "backup",
        blueprint: "bp",
        object: { kind: "pvc", name: "x" },
        artifacts: outputArtifacts,
        phases: [{ name: "p", state: "pending" }],
        deferPhase: { name: "d", state: "pending" },
      },
    ],
  });
});

test("a blueprint or action that is missing is named", async () => {
  await expect(planActions(client(), set, signal)).rejects.toMatchObject({
    code: "ACTION_BLUEPRINT",
    message: 'there is no blueprint "bp" in namespace "n"',
  });
  await expect(planActions(client({ actions: { restore: {} } }), set, signal)).rejects.toMatchObject({
    code: "ACTION_BLUEPRINT",
    message: 'blueprint "bp" has no action "backup"; it has restore',
  });
});

test("refusedState() keeps as many actions as the spec has", () => {
  expect(refusedState(set, "why")).toMatchObject({
    state: "failed",
    error: "why",
    actions: [{ name: "backup", phases: [] }],
  });
});
