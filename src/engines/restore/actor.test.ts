import { expect, test } from "vitest";
import type { Restore } from "../../api/index.ts";
import { actorOf, adviceFor } from "./actor.ts";

const restore = (account?: string): Restore => ({
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: {
    name: "r",
    namespace: "velero",
    ...(account !== undefined && { annotations: { "headway.dev/service-account": account } }),
  },
});
const rights = (mode: "none" | "account" | "cluster") => ({ mode, account: "headway-restore" });

test.each([
  ["cluster", undefined, { account: undefined }],
  ["cluster", "shop", { account: "shop" }],
  ["account", undefined, { account: "headway-restore" }],
  ["account", "shop", { account: "shop" }],
] as const)("actorOf() in mode %s with account %s", (mode, account, want) => {
  expect(actorOf(restore(account), rights(mode))).toEqual(want);
});

test.each([
  ["none", undefined, /may not restore anything/],
  ["none", "shop", /--restore-rights=none/],
  ["account", "", /names no service account/],
  ["account", "kube-system:admin", /names no service account/],
  ["cluster", "a\r\nImpersonate-Group: system:masters", /names no service account/],
  ["cluster", "a".repeat(254), /names no service account/],
] as const)("actorOf() refuses in mode %s account %j", (mode, account, want) => {
  expect(actorOf(restore(account), rights(mode))).toEqual({ fault: expect.stringMatching(want) });
});

test("adviceFor() says which right is missing and how to give it", () => {
  const advice = adviceFor("velero", "shop");
  const right = {
    user: "system:serviceaccount:velero:shop",
    verb: "create",
    resource: "configmaps",
    group: "",
  };
  expect(advice({ ...right, namespace: "apps" })).toBe(
    'service account "velero/shop" needs the right to create configmaps; `kubectl create rolebinding shop -n apps --clusterrole=cluster-admin --serviceaccount=velero:shop` lets it restore everything in "apps", a narrower role is enough',
  );
  expect(advice(right)).toContain("`kubectl create clusterrolebinding shop --clusterrole=cluster-admin");
  expect(advice({ ...right, user: "system:serviceaccount:velero:headway", verb: "impersonate" })).toContain(
    "`headway install --restore-account shop`",
  );
});
