import { expect, test } from "vitest";
import { judge, type Plan, refusal, type Survey } from "./checks.ts";

const fine: Survey = {
  version: "v1.34.4",
  missingRights: [],
  veleros: [],
  nodes: [{ ready: true, platform: "linux/amd64" }],
  storageClasses: 1,
  podSecurity: undefined,
};
const plan: Plan = { namespace: "velero", agent: true, controllers: [] };

test("judge() has nothing against a usual cluster", () => {
  expect(judge(fine, plan).map(({ level }) => level)).toEqual(["ok", "ok", "ok", "ok"]);
});

test.each([
  ["an old server", { version: "v1.27.16" }, {}, "error", /older than 1\.28/],
  ["an odd version", { version: "dev" }, {}, "warning", /"dev" is not understood/],
  ["a provider's version", { version: "1.29+" }, {}, "ok", /Kubernetes 1\.29/],
  ["no rights", { missingRights: ["create namespaces"] }, {}, "error", /may not create namespaces/],
  ["Velero here", { veleros: ["velero/velero"] }, {}, "error", /same Backups/],
  ["Velero elsewhere", { veleros: ["other/velero"] }, {}, "ok", /another namespace/],
  [
    "chosen beside Velero",
    { veleros: ["velero/velero"] },
    { controllers: ["gc"] },
    "warning",
    /only controllers/,
  ],
  ["unknown Velero", { veleros: undefined }, {}, "warning", /cannot be asked/],
  ["no node at all", { nodes: [] }, {}, "warning", /no node yet/],
  ["no node ready", { nodes: [{ ready: false, platform: "linux/amd64" }] }, {}, "error", /none of 1 nodes/],
  [
    "Windows",
    { nodes: [...(fine.nodes ?? []), { ready: true, platform: "windows/amd64" }] },
    {},
    "warning",
    /windows/,
  ],
  ["restricted", { podSecurity: "restricted" }, {}, "error", /enforce=privileged/],
  ["restricted, no agents", { podSecurity: "restricted" }, { agent: false }, "ok", /Kubernetes/],
  ["no class", { storageClasses: 0 }, {}, "warning", /storage class/],
] as const)("judge(): %s", (_, survey, more, level, words) => {
  const found = judge({ ...fine, ...survey }, { ...plan, ...more });
  expect(found).toContainEqual({ level, words: expect.stringMatching(words) as string });
  if (level !== "error") expect(found.some((one) => one.level === "error")).toBe(false);
});

test("refusal() names every error, and is none without", () => {
  expect(refusal(judge(fine, plan))).toBeUndefined();
  const refused = refusal(judge({ ...fine, version: "v1.20.0", podSecurity: "baseline" }, plan));
  expect(refused).toMatchObject({ code: "INSTALL_REFUSED" });
  expect(refused?.message).toMatch(/1\.20\.0.*baseline/);
});
