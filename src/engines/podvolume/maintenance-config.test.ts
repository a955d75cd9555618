import { expect, test } from "vitest";
import { ApiError } from "../../kube/index.ts";
import { maintenanceRemarks, tellMaintenanceConfig } from "./maintenance-config.ts";

const data = {
  global: '{"podResources": {"cpuLimit": "1"}, "keepLatestMaintenanceJobs": 1, "colour": "blue"}',
  "app-default-kopia": '{"podResources": {}, "loadAffinity": []}',
  broken: "[",
};

test("maintenanceRemarks() names each setting once, with the keys that have it and why it has no effect", () => {
  expect(maintenanceRemarks(data)).toEqual([
    'its key "broken" is no JSON object',
    'podResources (in "global", "app-default-kopia") has no effect: maintenance runs in the operator, and its own resources count',
    'keepLatestMaintenanceJobs (in "global") has no effect: there are no Jobs to keep; status.recentMaintenance has the last runs',
    'colour (in "global") has no effect: it is not known',
    'loadAffinity (in "app-default-kopia") has no effect: maintenance runs in the operator, and its own affinity counts',
  ]);
  expect(maintenanceRemarks({ global: '{"toString": 1}' })).toEqual([
    'toString (in "global") has no effect: it is not known',
  ]);
  expect(maintenanceRemarks({})).toEqual([]);
});

test.each([
  ["is there", async () => ({ data: { global: '{"podLabels": {}}' } }), /podLabels .*no pods to label$/],
  [
    "is not there",
    () => Promise.reject(new ApiError("get", { code: 404, reason: "NotFound", message: "" } as never)),
    /the ConfigMap "jobs" of maintenance cannot be read: it is not there$/,
  ],
])("tellMaintenanceConfig() of a ConfigMap that %s", async (_, get, want) => {
  const told: string[] = [];
  const deps = {
    client: { get } as never,
    namespace: "velero",
    log: (_l: string, m: string) => void told.push(m),
  };
  await tellMaintenanceConfig(deps, "jobs", new AbortController().signal);
  expect(told).toEqual([expect.stringMatching(want)]);
});
